//! The command line tools that cargo can install.

use crate::process::{self, say};
use crate::workspace::{Workspace, make_folder};
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The wasm-pack that was tried with this workspace.
const WASM_PACK: &str = "0.15.1";

/// wasm-bindgen's tool. It must equal the crate that the modules are linked with.
///
/// # Errors
///
/// When it is not there and cannot be installed.
pub fn wasm_bindgen(workspace: &Workspace) -> Result<PathBuf> {
    let version = workspace.locked_version("wasm-bindgen")?;
    find_or_install(workspace, "wasm-bindgen", "wasm-bindgen-cli", &version)
}

/// wasm-pack, which runs tests inside a browser.
///
/// # Errors
///
/// When it is not there and cannot be installed.
pub fn wasm_pack(workspace: &Workspace) -> Result<PathBuf> {
    find_or_install(workspace, "wasm-pack", "wasm-pack", WASM_PACK)
}

/// Whether `cargo nextest` can be used, after an attempt to install it. Any version will do, and
/// `cargo test` runs the same tests where there is none.
#[must_use]
pub fn has_nextest(workspace: &Workspace) -> bool {
    let installed = workspace.tools().join("bin/cargo-nextest");
    if process::which("cargo-nextest").is_some() || installed.is_file() {
        return true;
    }
    say("installing cargo-nextest (about 5 minutes, once)");
    let done = cargo_install(workspace, &["cargo-nextest", "--locked"]);
    if let Err(error) = &done {
        say(format!("going on with `cargo test` instead: {error:#}"));
    }
    done.is_ok()
}

fn find_or_install(workspace: &Workspace, program: &str, package: &str, version: &str) -> Result<PathBuf> {
    let installed = workspace.tools().join("bin").join(program);
    let candidates = [Some(installed.clone()), process::which(program)];
    if let Some(found) = candidates.into_iter().flatten().find(|path| has_version(path, version)) {
        return Ok(found);
    }
    say(format!("installing {package} {version} (3 to 5 minutes on 2 cores, once)"));
    // Without --locked: the lock file that is published with a tool can name versions since withdrawn.
    cargo_install(workspace, &[package, "--version", version]).with_context(|| {
        format!("cannot install {package}: look at the reason, or put {program} {version} on PATH yourself")
    })?;
    Ok(installed)
}

/// `wasm-bindgen 0.2.130` is the first line that such a tool prints.
fn has_version(path: &PathBuf, version: &str) -> bool {
    let text = process::capture(Command::new(path).arg("--version"), "asking for a version");
    text.is_ok_and(|text| text.split_whitespace().nth(1) == Some(version))
}

/// Tools are built for this machine, apart from the workspace: its folder has its own settings for cargo.
fn cargo_install(workspace: &Workspace, arguments: &[&str]) -> Result<()> {
    make_folder(&workspace.cache)?;
    let scratch = workspace.cache.join("tools-build");
    let mut command = process::cargo();
    command.args(["install", "--quiet", "--root"]).arg(workspace.tools()).args(arguments);
    command.current_dir(&workspace.cache).env("CARGO_TARGET_DIR", &scratch);
    command.env_remove("RUSTC").env_remove("RUSTFLAGS").env_remove("CARGO_BUILD_TARGET");
    process::run(&mut command, "cargo install")?;
    // The tool is installed: what it was built from is of no more use, and left behind does no harm.
    fs::remove_dir_all(scratch).ok();
    Ok(())
}
