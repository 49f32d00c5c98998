//! `cargo xtask test`: every check and every test, or one part of them.

use crate::browser::{self, Browser};
use crate::budget;
use crate::check;
use crate::cli::Part;
use crate::process::{self, say};
use crate::site;
use crate::toolchain::Toolchain;
use crate::tools;
use crate::workspace::Workspace;
use anyhow::Result;
use std::process::Command;
use std::time::Instant;

/// The package with the end-to-end tests, which are the test targets `e2e_*` behind the feature `e2e`.
const TESTS: &str = "nucleus-tests";

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
    say(format!(
        "everything passed, in {} s",
        start.elapsed().as_secs()
    ));
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
    let selection = workspace.native_selection();
    process::run(runner(workspace)?.args(&selection), "the native tests")?;
    // nextest runs no examples in documentation.
    let mut doctests = workspace.cargo();
    process::run(
        doctests.args(["test", "--doc", "--quiet"]).args(&selection),
        "the examples in the documentation",
    )
}

/// `cargo nextest run`, or `cargo test` without nextest.
fn runner(workspace: &Workspace) -> Result<Command> {
    let mut cargo = workspace.cargo();
    if tools::has_nextest(workspace) {
        cargo.args(["nextest", "run", "--no-fail-fast"]);
        cargo.env(
            "PATH",
            process::path_with(&[&workspace.tools().join("bin")])?,
        );
    } else {
        cargo.args(["test", "--no-fail-fast", "--all-targets"]);
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
    let mut command = runner(workspace)?;
    command.args(["-p", TESTS, "--features", "e2e", "--test", "e2e_*"]);
    // One at a time: several browsers would share the processors, and the tests measure times.
    command.args(["--test-threads", "1"]);
    command
        .env("NUCLEUS_SITE", &site.root)
        .env("CHROME", &browser.chrome)
        .env("CHROMEDRIVER", &browser.driver);
    process::run(&mut command, "the end-to-end tests")
}
