//! A private sysroot: the system's compiler and its libraries for this machine, by links, and a
//! standard library for wasm that is compiled here. Nothing is written under `/usr`.

use super::TARGET;
use crate::process::{self, say};
use crate::workspace::make_folder;
use anyhow::{Context, Result};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where Debian's compiler is, whatever is on `PATH`.
const SYSTEM: &str = "/usr";

/// The parts of the standard library that a module and its tests link.
const PARTS: &str = "-Zbuild-std=std,panic_abort,test,proc_macro";

/// The name of the host in the form of a target, such as `x86_64-unknown-linux-gnu`.
pub(super) fn host() -> Result<String> {
    let text = process::capture(Command::new("/usr/bin/rustc").arg("-vV"), "asking rustc-web")?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("`rustc -vV` names no host")
}

/// Makes the sysroot at `folder`, in place of what is there.
pub(super) fn build(folder: &Path, linker: &Path) -> Result<()> {
    say("compiling the standard library for wasm (about a minute, once)");
    let host = host()?;
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot replace {}", folder.display()))?;
    }
    let rustlib = folder.join("lib/rustlib");
    let libraries = rustlib.join(TARGET).join("lib");
    for part in [&libraries, &rustlib.join(&host).join("bin"), &folder.join("bin")] {
        make_folder(part)?;
    }
    copy_libraries(&compile(&folder.with_extension("build"))?, &libraries)?;
    link(&Path::new(SYSTEM).join("lib/rustlib").join(&host).join("lib"), &rustlib.join(&host).join("lib"))?;
    link(linker, &rustlib.join(&host).join("bin/rust-lld"))?;
    fs::remove_dir_all(folder.with_extension("build")).ok();
    programs(folder)
}

/// Compiles an empty crate together with the standard library; gives the folder with the results.
fn compile(scratch: &Path) -> Result<PathBuf> {
    make_folder(&scratch.join("src"))?;
    let manifest = "[package]\nname = \"empty\"\nedition = \"2024\"\n[workspace]\n";
    fs::write(scratch.join("Cargo.toml"), manifest).context("cannot write the empty crate")?;
    fs::write(scratch.join("src/lib.rs"), "#![no_std]\n").context("cannot write the empty crate")?;
    let mut cargo = Command::new(Path::new(SYSTEM).join("bin/cargo"));
    cargo.args(["build", "--quiet", "--release", "--target", TARGET, PARTS]).current_dir(scratch);
    cargo.env("RUSTC", Path::new(SYSTEM).join("bin/rustc")).env("CARGO_TARGET_DIR", scratch.join("target"));
    // Building the standard library is not a stable feature of cargo; the result is used as any other.
    cargo.env("RUSTC_BOOTSTRAP", "1").env_remove("RUSTFLAGS");
    process::run(&mut cargo, "compiling the standard library")?;
    Ok(scratch.join("target").join(TARGET).join("release/deps"))
}

fn copy_libraries(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let name = entry?.file_name();
        let text = name.to_string_lossy();
        if text.ends_with(".rlib") && !text.starts_with("libempty-") {
            fs::copy(from.join(&name), to.join(&name)).with_context(|| format!("cannot copy {text}"))?;
        }
    }
    Ok(())
}

/// The programs that look for libraries in this sysroot.
fn programs(folder: &Path) -> Result<()> {
    let bin = folder.join("bin");
    let (system, here) = (Path::new(SYSTEM).join("bin"), folder.display());
    for name in ["rustc", "rustdoc"] {
        script(&bin.join(name), &format!("exec {} --sysroot '{here}' \"$@\"", system.join(name).display()))?;
    }
    let driver = system.join("clippy-driver");
    script(&bin.join("clippy-driver"), &format!("SYSROOT='{here}' exec {} \"$@\"", driver.display()))?;
    // A copy, not a link: it starts the clippy-driver that lies beside it.
    fs::copy(system.join("cargo-clippy"), bin.join("cargo-clippy")).context("cannot copy cargo-clippy")?;
    Ok(())
}

fn script(path: &Path, line: &str) -> Result<()> {
    let text = format!("#!/bin/sh\n{line}\n");
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).context("cannot make a script executable")
}

fn link(to: &Path, at: &Path) -> Result<()> {
    symlink(to, at).with_context(|| format!("cannot link {} to {}", at.display(), to.display()))
}
