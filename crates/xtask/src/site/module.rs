//! One wasm module with the JavaScript that wasm-bindgen writes around it.

use crate::process::{self, say};
use crate::toolchain::{TARGET, Toolchain};
use crate::workspace::{Workspace, make_folder};
use anyhow::{Context, Result};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::UNIX_EPOCH;

/// A built module.
#[derive(Debug)]
pub struct Module {
    /// Its name in the site, such as `page`.
    pub name: &'static str,
    /// As the compiler wrote it, with the names of its functions.
    pub compiled: PathBuf,
    /// What a browser downloads for it: the module and its JavaScript.
    pub files: [PathBuf; 2],
}

impl Module {
    /// Compiles `nucleus-NAME` and writes `pkg/NAME.js` and `pkg/NAME_bg.wasm` into the site.
    pub(super) fn build(
        workspace: &Workspace,
        toolchain: &Toolchain,
        bindgen: &Path,
        name: &'static str,
        how_long: &str,
    ) -> Result<Self> {
        say(format!("building the {name} for the browser ({how_long})"));
        let mut cargo = toolchain.cargo(workspace, "build")?;
        process::run(cargo.args(["-p", &format!("nucleus-{name}")]), &format!("building the {name}"))?;
        let compiled = workspace.target.join(TARGET).join(format!("release/nucleus_{name}.wasm"));
        Self::finish(name, compiled, bindgen, &workspace.site().join("pkg"))
    }

    /// Compiles the example `name` of the page's crate and writes `NAME.js` and `NAME_bg.wasm` into a folder.
    ///
    /// # Errors
    ///
    /// When it does not compile, or a file cannot be written.
    pub fn example(
        workspace: &Workspace,
        toolchain: &Toolchain,
        bindgen: &Path,
        name: &'static str,
        folder: &Path,
    ) -> Result<Self> {
        say(format!("building the page `{name}` for the browser (a minute the first time)"));
        let mut cargo = toolchain.cargo(workspace, "build")?;
        cargo.args(["-p", "nucleus-page", "--example", name]);
        process::run(&mut cargo, &format!("building the page `{name}`"))?;
        let compiled = workspace.target.join(TARGET).join(format!("release/examples/{name}.wasm"));
        Self::finish(name, compiled, bindgen, folder)
    }

    fn finish(name: &'static str, compiled: PathBuf, bindgen: &Path, folder: &Path) -> Result<Self> {
        let files = [folder.join(format!("{name}_bg.wasm")), folder.join(format!("{name}.js"))];
        let module = Self { name, compiled, files };
        module.bind(bindgen, folder).with_context(|| format!("cannot finish the {name}"))?;
        Ok(module)
    }

    /// Runs wasm-bindgen, unless its output is from this very module and this very tool.
    fn bind(&self, bindgen: &Path, folder: &Path) -> Result<()> {
        make_folder(folder)?;
        // Beside the site, not in it: `pkg/` of the workspace is never served.
        let stamp = folder.join("../..").join(format!(".{}.stamp", self.name));
        let present = format!("{} {}", identity(&self.compiled)?, identity(bindgen)?);
        let is_bound = fs::read_to_string(&stamp).is_ok_and(|text| text == present);
        if is_bound && self.files.iter().all(|file| file.is_file()) {
            return Ok(());
        }
        let mut command = Command::new(bindgen);
        command.args(["--target", "web", "--no-typescript", "--out-name", self.name]);
        // A third of the engine's download would be the names of its functions.
        command.args(["--remove-name-section", "--remove-producers-section"]);
        command.arg("--out-dir").arg(folder).arg(&self.compiled);
        process::run(&mut command, "wasm-bindgen")?;
        fs::write(&stamp, present).context("cannot write beside the site")
    }
}

/// A file's length and the time it was written, in nanoseconds.
fn identity(path: &Path) -> Result<String> {
    let metadata = fs::metadata(path).with_context(|| format!("there is no {}", path.display()))?;
    Ok(format!("{} {}", metadata.len(), nanoseconds(&metadata)))
}

fn nanoseconds(metadata: &Metadata) -> u128 {
    let written = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    written.map_or(0, |since| since.as_nanos())
}
