//! A Python with packages, in a folder of its own.

use crate::process::{self, say};
use crate::workspace::make_folder;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The Python of `folder`, with packages as pip wants to hear of them: names, or `-r` and a file. `needs` is what it must be able
/// to import then, such as `numpy, onnx`.
pub(super) fn with(folder: &Path, packages: &[&str], needs: &str) -> Result<PathBuf> {
    let python = folder.join("bin/python");
    let imports =
        |python: &Path| process::capture(Command::new(python).args(["-c", &format!("import {needs}")]), needs);
    if imports(&python).is_ok() {
        return Ok(python);
    }
    say(format!("installing {needs} for Python (under a minute, once)"));
    make_folder(folder)?;
    let mut venv = Command::new("python3");
    process::capture(venv.args(["-m", "venv"]).arg(folder), "making a Python environment")
        .context("install Python 3 with its module venv (Debian: `python3-venv`)")?;
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet"]).args(packages);
    process::capture(&mut pip, &format!("installing {needs}"))?;
    imports(&python)?;
    Ok(python)
}
