//! Debian's compiler for the browser, where rustup's cannot be had.

use super::sysroot;
use crate::process;
use crate::system;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiler, cargo, clippy, and the source of the standard library.
const PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "rust-web-clippy"];

/// The file in a finished sysroot that holds the version of `rustc-web` it was made with.
const STAMP: &str = "rustc-web.version";

/// The sysroot that was made for the installed `rustc-web`, if there is one.
pub(super) fn find(cache: &Path) -> Option<PathBuf> {
    let versions = PACKAGES.map(system::version_of);
    let version = versions.into_iter().collect::<Option<Vec<_>>>()?.swap_remove(0);
    let folder = folder(cache);
    fs::read_to_string(folder.join(STAMP)).is_ok_and(|stamp| stamp == version).then_some(folder)
}

/// Installs the packages that are missing, and makes a sysroot.
pub(super) fn install(cache: &Path) -> Result<PathBuf> {
    if PACKAGES.iter().any(|package| system::version_of(package).is_none()) {
        let packages = PACKAGES.join(" ");
        let instead = format!("Without rustup, on Debian, `sudo apt-get install {packages}` does");
        system::install(&PACKAGES, "1 to 2 minutes, once", &instead)?;
    }
    let version = system::version_of(PACKAGES[0]).context("dpkg does not list rustc-web after its installation")?;
    let folder = folder(cache);
    sysroot::build(&folder, &linker()?).context("cannot make a standard library for wasm")?;
    fs::write(folder.join(STAMP), version).context("cannot finish the wasm toolchain")?;
    Ok(folder)
}

fn folder(cache: &Path) -> PathBuf {
    cache.join("wasm-toolchain")
}

/// A linker for wasm: rustup's toolchains carry one even where they lack the target; Debian's is
/// the same program in a package of its own.
fn linker() -> Result<PathBuf> {
    let mut rustc = Command::new("rustc");
    let ordinary = process::capture(rustc.args(["--print", "sysroot"]), "asking rustc")?;
    let programs = Path::new(&ordinary).join("lib/rustlib").join(sysroot::host()?).join("bin");
    let bundled = programs.join("rust-lld");
    if bundled.is_file() {
        return Ok(bundled);
    }
    if process::which("lld").is_none() {
        system::install(&["lld"], "under a minute, once", "Install LLVM's linker: `sudo apt-get install lld`")?;
    }
    process::which("lld").context("the package lld brought no program of that name")
}
