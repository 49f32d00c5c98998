//! `cargo xtask record`: write the recorded runs again.

use crate::process::{self, say};
use crate::workspace::Workspace;
use anyhow::Result;

/// Runs the embedded model and writes `www/recordings`.
///
/// # Errors
///
/// When the recorder does not compile or fails.
pub fn run(workspace: &Workspace) -> Result<()> {
    say("recording runs of the embedded model into www/recordings");
    process::run(&mut workspace.test_program("record")?, "recording")
}
