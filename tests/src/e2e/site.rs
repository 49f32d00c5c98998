//! The built site, and copies of it in which something is wrong.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;
use xtask::server::{self, Server};

use super::puppet::Puppet;

/// The built site, or a copy of it in which files can be changed while it is served.
pub struct Site {
    server: Server,
    /// Where the files lie.
    folder: PathBuf,
    /// Where the site lies on the server, such as `some/path/`; empty at the top.
    path: String,
    /// The copy, if it is one; removed with this value.
    copy: Option<TempDir>,
}

impl Site {
    /// Serves the site as it was built, on a free port of this machine.
    ///
    /// # Errors
    /// When nothing was built, or no port can be had.
    pub fn built() -> Result<Self> {
        let folder = built()?;
        Ok(Self { server: serve(&folder)?, folder, path: String::new(), copy: None })
    }

    /// Serves a copy of the built site under a path such as `some/path/` (empty: at the top).
    ///
    /// # Errors
    /// When nothing was built, or the copy cannot be written.
    pub fn copy(path: &str) -> Result<Self> {
        let copy = TempDir::new()?;
        let folder = copy.path().join(path);
        copy_folder(&built()?, &folder)?;
        Ok(Self { server: serve(copy.path())?, folder, path: path.to_owned(), copy: Some(copy) })
    }

    /// Serves a copy of the built site in which a puppet plays the engine.
    ///
    /// # Errors
    /// As for a copy.
    pub fn played(puppet: &Puppet) -> Result<Self> {
        let site = Self::copy("")?;
        site.replace("worker.js", &puppet.script()?)?;
        Ok(site)
    }

    /// Where its server listens.
    pub(super) fn server(&self) -> SocketAddr {
        self.server.address()
    }

    /// The address of the page with a query such as `?device=cpu`, or none.
    #[must_use]
    pub fn address(&self, query: &str) -> String {
        self.address_on(&self.server().ip().to_string(), query)
    }

    /// The same by another name of this machine.
    #[must_use]
    pub fn address_on(&self, host: &str, query: &str) -> String {
        format!("http://{host}:{}/{}{query}", self.server().port(), self.path)
    }

    /// Puts other bytes in the place of a file of a copy.
    ///
    /// # Errors
    /// When the site has no such file: a test must not break what is not there.
    pub fn replace(&self, file: &str, bytes: &[u8]) -> Result<()> {
        write(&self.existing(file)?, bytes)
    }

    /// Changes the bytes of a file of a copy.
    ///
    /// # Errors
    /// When the site has no such file.
    pub fn edit(&self, file: &str, change: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        let mut bytes = fs::read(self.existing(file)?)?;
        change(&mut bytes);
        self.replace(file, &bytes)
    }

    /// Takes a file out of a copy.
    ///
    /// # Errors
    /// When the site has no such file.
    pub fn remove(&self, file: &str) -> Result<()> {
        Ok(fs::remove_file(self.existing(file)?)?)
    }

    /// Adds a file to a copy.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&self, file: &str, bytes: &[u8]) -> Result<()> {
        write(&self.of_copy(file)?, bytes)
    }

    /// Makes a file of a copy what it was.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn restore(&self, file: &str) -> Result<()> {
        write(&self.of_copy(file)?, &fs::read(built()?.join(file))?)
    }

    fn existing(&self, file: &str) -> Result<PathBuf> {
        let file = self.of_copy(file)?;
        ensure!(file.is_file(), "the site has no file {}", file.display());
        Ok(file)
    }

    fn of_copy(&self, file: &str) -> Result<PathBuf> {
        ensure!(self.copy.is_some(), "only a copy of the site may be changed");
        Ok(self.folder.join(file))
    }
}

/// In the folder that `NUCLEUS_SITE` names, or else in `pkg/site`.
fn built() -> Result<PathBuf> {
    let folder = env::var_os("NUCLEUS_SITE").map_or_else(|| repository().join("pkg/site"), PathBuf::from);
    ensure!(
        folder.join("index.html").is_file(),
        "there is no built site in {}: run `cargo xtask build`, or name a folder in NUCLEUS_SITE",
        folder.display()
    );
    Ok(folder)
}

fn serve(folder: &Path) -> Result<Server> {
    let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    server::serve(folder, any_port).with_context(|| format!("cannot serve {}", folder.display()))
}

fn write(file: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(file, bytes).with_context(|| format!("cannot write {}", file.display()))
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
