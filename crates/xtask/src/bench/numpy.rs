//! The sampler's step in NumPy, measured and compared by the script beside the sampler's bench.

use super::python;
use crate::process::{self, say};
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::process::Command;

/// Reads criterion's results and prints how many times faster they are.
const SCRIPT: &str = "crates/nucleus-sampler/benches/step_numpy.py";

/// Prints the comparison.
pub(super) fn compare(workspace: &Workspace) -> Result<()> {
    let python =
        python::with(&workspace.cache.join("python"), &["numpy"], "numpy").context("cannot compare with NumPy")?;
    say("the same steps in NumPy");
    let mut script = Command::new(python);
    script.arg(workspace.root.join(SCRIPT)).arg(workspace.target.join("criterion"));
    process::run(&mut script, "the comparison with NumPy")
}
