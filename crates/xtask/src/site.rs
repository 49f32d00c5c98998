//! The site: two modules and the files of `www/`, in a folder that any static host can serve.

mod mirror;
mod module;

use crate::toolchain::Toolchain;
use crate::tools;
use crate::workspace::Workspace;
use anyhow::Result;
pub use module::Module;
use std::path::{Path, PathBuf};

/// A built site.
#[derive(Debug)]
pub struct Site {
    /// The folder to serve.
    pub root: PathBuf,
    /// The module that is the page.
    pub page: Module,
    /// The module that runs the model, in a worker.
    pub engine: Module,
}

impl Site {
    /// One line for the reader.
    #[must_use]
    pub fn summary(&self) -> String {
        format!("the site is in {}: serve that folder with any static host", self.root.display())
    }
}

impl Site {
    /// Makes a folder equal to the built site.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or written.
    pub fn copy_to(&self, folder: &Path) -> Result<()> {
        mirror::copy(&self.root, folder, "")
    }
}

/// Builds the site into `pkg/site`. What has not changed is not built again.
///
/// # Errors
///
/// When a tool cannot be had, a crate does not compile, or a file cannot be written.
pub fn build(workspace: &Workspace) -> Result<Site> {
    let toolchain = Toolchain::find_or_install(workspace)?;
    let bindgen = tools::wasm_bindgen(workspace)?;
    let root = workspace.site();
    // One cargo command each: together, the features that the page asks of web-sys would be the
    // engine's too, and building the page alone would then compile burn again.
    let how_long = "about 10 minutes the first time on 2 cores, seconds later";
    let page = Module::build(workspace, &toolchain, &bindgen, "page", "a minute the first time")?;
    let engine = Module::build(workspace, &toolchain, &bindgen, "engine", how_long)?;
    mirror::copy(&workspace.root.join("www"), &root, "pkg")?;
    Ok(Site { root, page, engine })
}
