//! benches
use crate::workspace::Workspace;
use anyhow::Result;
/// x
/// # Errors
/// x
pub fn run(_: &Workspace) -> Result<()> {
    Ok(())
}
