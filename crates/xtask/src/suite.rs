//! `cargo xtask test`: every check and every test, or one part of them.

use crate::browser::{self, Browser};
use crate::budget;
use crate::check;
use crate::cli::Part;
use crate::process::{self, say};
use crate::site;
use crate::toolchain::Toolchain;
use crate::tools;
use crate::vulkan;
use crate::workspace::{TESTS, WEBGPU, Workspace};
use anyhow::Result;
use std::process::Command;
use std::time::Instant;

/// Runs the tests of a part; the first failure ends the run.
///
/// # Errors
///
/// When a tool is missing, a check or a test fails, or a module is too large.
pub fn run(workspace: &Workspace, part: &Part) -> Result<()> {
    match part {
        Part::All => all(workspace),
        Part::Native => native(workspace),
        Part::Browser(only) => in_browser(workspace, only.as_deref()),
        Part::EndToEnd => end_to_end(workspace),
    }
}

/// The quick parts first, so that a mistake is found before the long builds.
fn all(workspace: &Workspace) -> Result<()> {
    let start = Instant::now();
    timed("checks", || check::run(workspace))?;
    timed("native tests", || native(workspace))?;
    let site = timed("build", || site::build(workspace))?;
    timed("size budgets", || budget::check(&site))?;
    timed("browser tests", || in_browser(workspace, None))?;
    timed("end-to-end tests", || end_to_end(workspace))?;
    say(format!("everything passed, in {} s", start.elapsed().as_secs()));
    Ok(())
}

fn timed<T>(name: &str, run: impl FnOnce() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    let result = run()?;
    say(format!("{name}: done in {} s", start.elapsed().as_secs()));
    Ok(result)
}

fn native(workspace: &Workspace) -> Result<()> {
    say("native tests (10 minutes to build the first time, seconds later)");
    let mut tests = runner(workspace, false)?;
    vulkan::tell(&Browser::find_or_install()?, &mut tests)?;
    process::run(&mut tests, "the native tests")?;
    // nextest runs no examples in documentation.
    let mut doctests = workspace.cargo();
    doctests.args(["test", "--doc", "--quiet"]).args(workspace.native_selection());
    process::run(&mut doctests, "the examples in the documentation")
}

/// `cargo nextest run` with the end-to-end tests alone, or with all others; without nextest,
/// `cargo test` with the same. These are the targets `e2e_*` of the package [`TESTS`].
fn runner(workspace: &Workspace, end_to_end: bool) -> Result<Command> {
    let mut cargo = workspace.cargo();
    if tools::has_nextest(workspace) {
        let filter = if end_to_end { "binary(/^e2e_/)" } else { "not binary(/^e2e_/)" };
        cargo.args(["nextest", "run", "--no-fail-fast"]).args(workspace.native_selection());
        cargo.args(["--filterset", filter]);
        cargo.env("PATH", process::path_with(&[&workspace.tools().join("bin")])?);
    } else if end_to_end {
        cargo.args(["test", "--no-fail-fast", "--package", TESTS, "--features", "e2e", "--test", "e2e_*"]);
    } else {
        cargo.args(["test", "--no-fail-fast", "--features", WEBGPU]).args(workspace.native_packages());
    }
    Ok(cargo)
}

fn in_browser(workspace: &Workspace, only: Option<&str>) -> Result<()> {
    let toolchain = Toolchain::find_or_install(workspace)?;
    browser::test(workspace, &toolchain, &Browser::find_or_install()?, only)
}

/// Builds the site if need be and lets the tests drive it: they serve it themselves, and find the
/// site and the browser in `NUCLEUS_SITE`, `CHROME` and `CHROMEDRIVER`.
fn end_to_end(workspace: &Workspace) -> Result<()> {
    let browser = Browser::find_or_install()?;
    let site = site::build(workspace)?;
    say("end-to-end tests in the browser");
    let mut command = runner(workspace, true)?;
    // One at a time: several browsers would share the processors, and the tests measure times.
    command.env("NEXTEST_TEST_THREADS", "1").env("RUST_TEST_THREADS", "1");
    command.env("NUCLEUS_SITE", &site.root);
    browser.tell(&mut command);
    process::run(&mut command, "the end-to-end tests")
}
