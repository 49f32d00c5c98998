//! The built site, and copies of it in which something is wrong.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;
use xtask::server::{self, Server};

/// A folder with the site in it.
pub struct Site {
    /// What the server serves.
    root: PathBuf,
    /// Where in it the site lies, such as `some/path/`; empty at the top.
    path: String,
    /// The copy, removed with this value.
    copy: Option<TempDir>,
}

/// A site that a browser can open, for as long as this value lives.
pub struct Served {
    server: Server,
    path: String,
    _copy: Option<TempDir>,
}

impl Site {
    /// The site as it was built: in the folder that `NUCLEUS_SITE` names, or else in `pkg/site`.
    ///
    /// # Errors
    /// When nothing was built there.
    pub fn built() -> Result<Self> {
        let root = env::var_os("NUCLEUS_SITE").map_or_else(|| repository().join("pkg/site"), PathBuf::from);
        ensure!(
            root.join("index.html").is_file(),
            "there is no built site in {}: run `cargo xtask build`, or name a folder in NUCLEUS_SITE",
            root.display()
        );
        Ok(Self { root, path: String::new(), copy: None })
    }

    /// A copy of the built site under a path such as `some/path/` (empty: at the top), to be changed at will.
    ///
    /// # Errors
    /// When nothing was built, or the copy cannot be written.
    pub fn copy(path: &str) -> Result<Self> {
        let built = Self::built()?;
        let copy = TempDir::new()?;
        copy_folder(&built.root, &copy.path().join(path))?;
        Ok(Self { root: copy.path().to_owned(), path: path.to_owned(), copy: Some(copy) })
    }

    /// Puts other bytes in the place of a file of a copy.
    ///
    /// # Errors
    /// When the site has no such file: a test must not break what is not there.
    pub fn replace(self, file: &str, bytes: &[u8]) -> Result<Self> {
        let file = self.existing(file)?;
        fs::write(&file, bytes).with_context(|| format!("cannot write {}", file.display()))?;
        Ok(self)
    }

    /// Changes the bytes of a file of a copy.
    ///
    /// # Errors
    /// When the site has no such file.
    pub fn edit(self, file: &str, change: impl FnOnce(&mut Vec<u8>)) -> Result<Self> {
        let mut bytes = fs::read(self.existing(file)?)?;
        change(&mut bytes);
        self.replace(file, &bytes)
    }

    /// Adds a file to a copy.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(self, file: &str, bytes: &[u8]) -> Result<Self> {
        let place = self.file(file)?;
        fs::create_dir_all(place.parent().context("a file lies in a folder")?)?;
        fs::write(&place, bytes).with_context(|| format!("cannot write {}", place.display()))?;
        Ok(self)
    }

    /// Takes a file out of a copy.
    ///
    /// # Errors
    /// When the site has no such file.
    pub fn remove(self, file: &str) -> Result<Self> {
        fs::remove_file(self.existing(file)?)?;
        Ok(self)
    }

    /// Serves it on a free port of this machine.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn serve(self) -> Result<Served> {
        let server = server::serve(&self.root, SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        Ok(Served { server, path: self.path, _copy: self.copy })
    }

    fn existing(&self, file: &str) -> Result<PathBuf> {
        let file = self.file(file)?;
        ensure!(file.is_file(), "the site has no file {}", file.display());
        Ok(file)
    }

    fn file(&self, file: &str) -> Result<PathBuf> {
        ensure!(self.copy.is_some(), "only a copy of the site may be changed");
        Ok(self.root.join(&self.path).join(file))
    }
}

impl Served {
    /// The address of the page with a query such as `?device=cpu`, or none.
    #[must_use]
    pub fn address(&self, query: &str) -> String {
        format!("{}{}{query}", self.server.url(), self.path)
    }
}

/// The folder that holds the whole repository.
#[must_use]
pub fn repository() -> &'static Path {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap_or(tests)
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target).with_context(|| format!("cannot copy {}", entry.path().display()))?;
        }
    }
    Ok(())
}
