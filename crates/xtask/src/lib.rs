//! What `cargo xtask` does: it finds or installs the tools, builds the site, serves it, and runs
//! every check and test of the workspace.
//!
//! One file per command ([`serve`], [`site`] for `build`, [`suite`] for `test`, [`check`],
//! [`mod@bench`], [`record`]), and below them what they share: the [`workspace`], the wasm
//! [`toolchain`], the [`tools`], the [`browser`], and the static file [`server`].
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking"))]

pub mod bench;
pub mod browser;
pub mod budget;
pub mod check;
pub mod cli;
pub mod composition;
pub mod process;
pub mod record;
pub mod serve;
pub mod server;
pub mod site;
pub mod suite;
pub mod system;
pub mod toolchain;
pub mod tools;
pub mod vulkan;
pub mod workspace;
