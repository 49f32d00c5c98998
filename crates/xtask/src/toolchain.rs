//! A compiler for the browser: `wasm32-unknown-unknown` with its standard library.
//!
//! With rustup that is one command. Where rustup cannot download (or there is none), Debian's
//! `rustc-web` compiles the standard library from source, into a folder in the cache.

mod debian;
mod sysroot;

use crate::process::{self, say};
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The target of the modules.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// A way to compile for [`TARGET`].
#[derive(Debug)]
pub struct Toolchain {
    /// None: the ordinary compiler has the target. Else a folder with a compiler of its own.
    sysroot: Option<PathBuf>,
    /// Where cargo's installed tools are.
    tools: PathBuf,
}

impl Toolchain {
    /// Finds a compiler, or installs what is missing.
    ///
    /// # Errors
    ///
    /// When neither rustup nor Debian's packages can give one; the error says what to install.
    pub fn find_or_install(workspace: &Workspace) -> Result<Self> {
        Ok(Self { sysroot: Self::sysroot(&workspace.cache)?, tools: workspace.tools().join("bin") })
    }

    /// A sysroot that was made before comes first: another compiler would build everything again.
    fn sysroot(cache: &Path) -> Result<Option<PathBuf>> {
        if let Some(sysroot) = debian::find(cache) {
            return Ok(Some(sysroot));
        }
        if has_target() || (rustup_adds_target() && has_target()) {
            return Ok(None);
        }
        let made = debian::install(cache).context(
            "there is no compiler for wasm32-unknown-unknown; with rustup, \
             `rustup target add wasm32-unknown-unknown` installs it",
        )?;
        Ok(Some(made))
    }

    /// Cargo in the root of the workspace, with this compiler, for [`TARGET`] in the profile that
    /// the browser downloads. `command` is cargo's, such as `build`.
    ///
    /// # Errors
    ///
    /// When `PATH` cannot be set.
    pub fn cargo(&self, workspace: &Workspace, command: &str) -> Result<Command> {
        let mut cargo = workspace.cargo();
        cargo.args([command, "--release", "--target", TARGET]);
        self.equip(&mut cargo)?;
        Ok(cargo)
    }

    /// Makes a program that runs cargo and rustc by name find the right ones.
    ///
    /// # Errors
    ///
    /// When `PATH` cannot be set.
    pub fn equip(&self, command: &mut Command) -> Result<()> {
        let cargo = process::cargo_path();
        let bin = self.sysroot.as_ref().map(|sysroot| sysroot.join("bin"));
        let folders = [bin.as_deref(), cargo.parent(), Some(self.tools.as_path())];
        let folders: Vec<&Path> = folders.into_iter().flatten().filter(|folder| folder.is_absolute()).collect();
        command.env("PATH", process::path_with(&folders)?);
        if let Some(bin) = &bin {
            command.env("RUSTC", bin.join("rustc")).env("RUSTDOC", bin.join("rustdoc"));
        }
        // Flags for this machine's processor mean nothing to wasm, and would hide those in .cargo/config.toml.
        for name in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_RUSTFLAGS"] {
            command.env_remove(name);
        }
        Ok(())
    }
}

/// Whether the ordinary compiler finds a standard library for the target.
fn has_target() -> bool {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir", "--target", TARGET]);
    process::capture(&mut rustc, "asking rustc for its targets").is_ok_and(|folder| Path::new(&folder).is_dir())
}

fn rustup_adds_target() -> bool {
    if process::which("rustup").is_none() {
        return false;
    }
    say("adding the target wasm32-unknown-unknown (under a minute, once)");
    let added = process::capture(Command::new("rustup").args(["target", "add", TARGET]), "rustup target add");
    if added.is_err() {
        say("rustup cannot download it here; trying the packages of the system");
    }
    added.is_ok()
}
