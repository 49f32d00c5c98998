//! Running other programs, and saying what went wrong with them.

use anyhow::{Context, Result, bail};
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Tells the reader what happens now; on standard error, which leaves standard output to results.
pub fn say(message: impl AsRef<str>) {
    eprintln!("xtask: {}", message.as_ref());
}

/// Runs a command whose output the reader sees.
///
/// # Errors
///
/// When it cannot start or ends with anything but success; `what` names the purpose, as in
/// "building the page".
pub fn run(command: &mut Command, what: &str) -> Result<()> {
    let status = command.status().with_context(|| cannot_start(command, what))?;
    if !status.success() {
        bail!("{what} failed ({status}); the reason is above. The command was: {}", line(command));
    }
    Ok(())
}

/// Runs a command and gives what it wrote to standard output, without the last line end.
///
/// # Errors
///
/// When it cannot start or fails; the error then holds what it wrote to standard error.
pub fn capture(command: &mut Command, what: &str) -> Result<String> {
    let output = command.output().with_context(|| cannot_start(command, what))?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        bail!("{what} failed ({}): {}\nThe command was: {}", output.status, reason.trim_end(), line(command));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

fn cannot_start(command: &Command, what: &str) -> String {
    format!("{what} failed: `{}` could not be started; is it installed?", command.get_program().display())
}

/// The command as one would type it.
fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.display().to_string()).collect::<Vec<_>>().join(" ")
}

/// Where a program is, by the folders in `PATH`.
#[must_use]
pub fn which(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// `PATH` with these folders before it.
///
/// # Errors
///
/// When a folder's name holds the separator of `PATH`.
pub fn path_with(folders: &[&Path]) -> Result<OsString> {
    let present = env::var_os("PATH").unwrap_or_default();
    let all = folders.iter().map(|folder| folder.to_path_buf()).chain(env::split_paths(&present));
    env::join_paths(all).context("a folder with a separator in its name cannot be on PATH")
}

/// The cargo that runs this program, without what it told us about our own package: a build script
/// that watches such a variable would run again.
#[must_use]
pub fn cargo() -> Command {
    let mut command = Command::new(cargo_path());
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            command.env_remove(name.as_ref());
        }
    }
    command
}

/// The path of the cargo that runs this program; by itself, the one on `PATH`.
#[must_use]
pub fn cargo_path() -> PathBuf {
    env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::{capture, run, which};
    use std::process::Command;

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = run(&mut Command::new("no-such-program"), "testing").unwrap_err();
        assert_eq!(error.to_string(), "testing failed: `no-such-program` could not be started; is it installed?");
        assert_eq!(which("no-such-program"), None);
    }

    #[test]
    fn a_failure_carries_the_reason() {
        let error = capture(Command::new("sh").args(["-c", "echo because >&2; exit 3"]), "testing").unwrap_err();
        assert!(error.to_string().contains("because"), "{error}");
    }
}
