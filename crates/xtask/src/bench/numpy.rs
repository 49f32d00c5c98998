//! The sampler's step in NumPy, measured and compared by the script beside the sampler's bench.

use crate::process::{self, say};
use crate::workspace::{Workspace, make_folder};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Reads criterion's results and prints how many times faster they are.
const SCRIPT: &str = "crates/nucleus-sampler/benches/step_numpy.py";

/// Prints the comparison.
pub(super) fn compare(workspace: &Workspace) -> Result<()> {
    let python = python(&workspace.cache)
        .context("cannot compare with NumPy: install Python 3 with its module venv (Debian: `python3-venv`)")?;
    say("the same steps in NumPy");
    let mut script = Command::new(python);
    script.arg(workspace.root.join(SCRIPT)).arg(workspace.target.join("criterion"));
    process::run(&mut script, "the comparison with NumPy")
}

/// A Python with NumPy, in a folder of its own.
fn python(cache: &Path) -> Result<PathBuf> {
    let folder = cache.join("python");
    let python = folder.join("bin/python");
    let has_numpy =
        |python: &Path| process::capture(Command::new(python).args(["-c", "import numpy"]), "numpy").is_ok();
    if has_numpy(&python) {
        return Ok(python);
    }
    say("installing NumPy (under a minute, once)");
    make_folder(cache)?;
    let mut venv = Command::new("python3");
    process::capture(venv.args(["-m", "venv"]).arg(&folder), "making a Python environment")?;
    let mut pip = Command::new(&python);
    process::capture(pip.args(["-m", "pip", "install", "--quiet", "numpy"]), "installing NumPy")?;
    Ok(python)
}
