//! The sampler's step in NumPy, measured by the script beside the sampler's bench.

use crate::process::{self, say};
use crate::workspace::{Workspace, make_folder};
use anyhow::{Context, Result};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Prints one JSON object: from the name of a bench to the nanoseconds of one step.
const SCRIPT: &str = "crates/nucleus-sampler/benches/step_numpy.py";

/// Nanoseconds by the name of the bench that does the same.
pub(super) fn measure(workspace: &Workspace) -> Result<BTreeMap<String, f64>> {
    let python = python(&workspace.cache)?;
    say("the same steps in NumPy");
    let text = process::capture(Command::new(python).arg(workspace.root.join(SCRIPT)), "the NumPy script")?;
    let measured: Map<String, Value> = serde_json::from_str(&text).context("the NumPy script printed no JSON")?;
    Ok(measured.into_iter().filter_map(|(name, value)| Some((name, value.as_f64()?))).collect())
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
