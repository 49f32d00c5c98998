//! `cargo xtask`: see the library's documentation, or run it without arguments.

use anyhow::Result;
use std::env;
use xtask::cli::{Command, USAGE};
use xtask::workspace::Workspace;
use xtask::{bench, check, record, serve, site, suite};

fn main() -> Result<()> {
    let command = Command::parse(env::args().skip(1))?;
    if let Command::Help = command {
        println!("{USAGE}");
        return Ok(());
    }
    let workspace = Workspace::find()?;
    match command {
        Command::Help => Ok(()),
        Command::Serve { port } => serve::run(&workspace, port),
        Command::Build => site::build(&workspace).map(|site| println!("{}", site.summary())),
        Command::Test(part) => suite::run(&workspace, &part),
        Command::Check => check::run(&workspace),
        Command::Bench => bench::run(&workspace),
        Command::Record => record::run(&workspace),
    }
}
