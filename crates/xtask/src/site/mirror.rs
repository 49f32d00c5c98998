//! Keeps a folder equal to another, and leaves alone what is equal already: a file that is not
//! written keeps its time, and so the tag under which browsers hold it.

use crate::workspace::make_folder;
use anyhow::{Context, Result};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::Path;

/// Copies the files that are served from `from` to `to`, and removes from `to` what is not in
/// `from`, but for the entry `spared`.
pub(super) fn copy(from: &Path, to: &Path, spared: &str) -> Result<()> {
    make_folder(to)?;
    for entry in entries(to)? {
        let is_gone = !from.join(&entry).exists() || !is_served(&entry);
        if is_gone && entry != spared {
            remove(&to.join(&entry))?;
        }
    }
    for entry in entries(from)?.iter().filter(|entry| is_served(entry)) {
        let (source, copy) = (from.join(entry), to.join(entry));
        if source.is_dir() {
            self::copy(&source, &copy, "")?;
        } else if !is_copy(&source, &copy) {
            copy_file(&source, &copy).with_context(|| format!("cannot copy {}", source.display()))?;
        }
    }
    Ok(())
}

fn entries(folder: &Path) -> Result<Vec<std::ffi::OsString>> {
    let read = || fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name())).collect::<std::io::Result<Vec<_>>>();
    read().with_context(|| format!("cannot read {}", folder.display()))
}

/// What made the models stays in the repository: scripts, and the folder with a model's recipe.
fn is_served(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let extension = Path::new(name.as_ref()).extension();
    !name.starts_with('.') && name != "recipe" && name != "__pycache__" && extension != Some(OsStr::new("py"))
}

fn is_copy(source: &Path, copy: &Path) -> bool {
    let facts = |path| fs::metadata(path).and_then(|data| Ok((data.is_file(), data.len(), data.modified()?)));
    matches!((facts(source), facts(copy)), (Ok(one), Ok(other)) if one == other)
}

fn copy_file(source: &Path, copy: &Path) -> std::io::Result<()> {
    fs::copy(source, copy)?;
    File::options().write(true).open(copy)?.set_modified(fs::metadata(source)?.modified()?)
}

fn remove(path: &Path) -> Result<()> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    removed.with_context(|| format!("cannot remove {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::copy;
    use std::fs;
    use std::path::Path;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn a_mirror_has_what_is_served_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("www"), folder.path().join("site"));
        write(&from.join("index.html"), "new");
        write(&from.join("models/a/README.md"), "where it is from");
        write(&from.join("models/a/recipe/train.py"), "code");
        write(&to.join("pkg/page.js"), "built");
        write(&to.join("old.html"), "old");
        copy(&from, &to, "pkg").unwrap();
        assert_eq!(fs::read_to_string(to.join("index.html")).unwrap(), "new");
        assert!(to.join("models/a/README.md").is_file() && !to.join("models/a/recipe").exists());
        assert!(to.join("pkg/page.js").is_file() && !to.join("old.html").exists());
    }

    #[test]
    fn a_file_keeps_its_time_until_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("www"), folder.path().join("site"));
        write(&from.join("a"), "one");
        let time = || fs::metadata(to.join("a")).unwrap().modified().unwrap();
        copy(&from, &to, "pkg").unwrap();
        let first = time();
        copy(&from, &to, "pkg").unwrap();
        assert_eq!(time(), first);
        write(&from.join("a"), "two");
        copy(&from, &to, "pkg").unwrap();
        assert_eq!(fs::read_to_string(to.join("a")).unwrap(), "two");
        assert_ne!(time(), first);
    }
}
