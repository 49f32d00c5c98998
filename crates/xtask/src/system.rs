//! The system's own packages, where it is Debian's or like it.

use crate::process::{self, say};
use anyhow::{Context, Result, bail};
use std::process::Command;

/// The installed version of a Debian package.
#[must_use]
pub fn version_of(package: &str) -> Option<String> {
    let output = Command::new("dpkg-query").args(["-W", "-f=${db:Status-Status} ${Version}", package]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.strip_prefix("installed ").map(str::to_owned)
}

/// Installs Debian packages: only as root and where there is `apt-get`.
///
/// # Errors
///
/// When that is not possible. `instead` then says what the reader can do.
pub fn install(packages: &[&str], how_long: &str, instead: &str) -> Result<()> {
    let list = packages.join(" ");
    let is_root = process::capture(Command::new("id").arg("-u"), "asking who runs this").is_ok_and(|id| id == "0");
    if process::which("apt-get").is_none() || !is_root {
        bail!("{instead}");
    }
    say(format!("installing {list} ({how_long})"));
    apt_get(&["update"]).with_context(|| format!("cannot install {list}. {instead}"))?;
    let arguments = [&["install", "--yes", "--no-install-recommends"], packages].concat();
    apt_get(&arguments).with_context(|| format!("cannot install {list}. {instead}"))
}

fn apt_get(arguments: &[&str]) -> Result<()> {
    let mut command = Command::new("apt-get");
    command.arg("-qq").args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    process::capture(&mut command, "apt-get").map(drop)
}
