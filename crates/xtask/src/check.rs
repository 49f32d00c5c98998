//! `cargo xtask check`: format, clippy and documentation, with every warning an error.

use crate::process::{self, say};
use crate::toolchain::Toolchain;
use crate::workspace::{Package, Workspace};
use anyhow::Result;
use std::process::Command;

/// After `--`, for clippy.
const DENY: [&str; 3] = ["--", "--deny", "warnings"];

/// Runs all checks; the first that fails ends them.
///
/// # Errors
///
/// When one fails; its messages are printed already.
pub fn run(workspace: &Workspace) -> Result<()> {
    say("checking the format");
    process::run(workspace.cargo().args(["fmt", "--check"]), "checking the format (`cargo fmt` puts it right)")?;
    let toolchain = Toolchain::find_or_install(workspace)?;
    native(workspace)?;
    wasm(workspace, &toolchain)?;
    document(workspace, &toolchain)
}

fn native(workspace: &Workspace) -> Result<()> {
    say("clippy for this machine (5 minutes the first time, seconds later)");
    let mut clippy = workspace.cargo();
    clippy.arg("clippy").args(workspace.native_selection()).arg("--all-targets").args(DENY);
    process::run(&mut clippy, "clippy for this machine")
}

/// The modules, the crates that they are made of (clippy looks at these on the way), and the tests
/// that run inside a browser. One command each, as they are built: see [`crate::site::build`].
fn wasm(workspace: &Workspace, toolchain: &Toolchain) -> Result<()> {
    say("clippy for the browser (5 minutes the first time, seconds later)");
    let for_browser = |package: &&Package| package.is_module || package.has_browser_tests;
    for package in workspace.packages.iter().filter(for_browser) {
        let mut clippy = toolchain.cargo(workspace, "clippy")?;
        clippy.args(["-p", &package.name, "--lib", "--tests", "--examples"]).args(DENY);
        process::run(&mut clippy, &format!("clippy for {} in the browser", package.name))?;
    }
    Ok(())
}

fn document(workspace: &Workspace, toolchain: &Toolchain) -> Result<()> {
    say("documentation");
    let mut native = workspace.cargo();
    rustdoc(native.arg("doc").args(workspace.native_selection()))?;
    for module in workspace.packages.iter().filter(|package| package.is_module) {
        rustdoc(toolchain.cargo(workspace, "doc")?.args(["-p", &module.name]))?;
    }
    Ok(())
}

fn rustdoc(command: &mut Command) -> Result<()> {
    process::run(command.args(["--no-deps", "--quiet"]).env("RUSTDOCFLAGS", "--deny warnings"), "documentation")
}
