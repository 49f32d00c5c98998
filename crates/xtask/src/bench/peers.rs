//! `cargo xtask bench peers`: Nucleus beside transformers.js and wllama, on the same weights, in the same browser.
//!
//! [`prepare`] makes a folder with all of them, which is served as it is; the program `bench_peers` of the tests measures.

mod prepare;

use crate::browser::Browser;
use crate::process::{self, say};
use crate::site::{self, Module};
use crate::toolchain::Toolchain;
use crate::tools;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::fs;

/// The page that is measured, and the worker beside it.
const PAGE: &str = "tests/peers/pages/nucleus.html";

/// Prepares, builds, and hands `options` to the program that measures.
pub(super) fn run(workspace: &Workspace, options: &[String]) -> Result<()> {
    let browser = Browser::find_or_install()?;
    let folder = prepare::all(workspace)?;
    let site = folder.join("nucleus");
    site::build(workspace)?.copy_to(&site)?;
    let page = workspace.root.join(PAGE);
    fs::copy(&page, site.join("bench.html")).with_context(|| format!("cannot copy {}", page.display()))?;
    let (toolchain, bindgen) = (Toolchain::find_or_install(workspace)?, tools::wasm_bindgen(workspace)?);
    Module::example(workspace, &toolchain, &bindgen, "bench", &site.join("pkg"))?;
    let mut program = workspace.test_program("bench_peers")?;
    say("measuring, one engine at a time (10 to 20 minutes for all of them)");
    browser.tell(&mut program);
    process::run(program.args(options).env("NUCLEUS_PEERS", &folder), "the comparison with the peers")
}
