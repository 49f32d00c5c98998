//! `cargo xtask`: see the library's documentation, or run it without arguments.

use anyhow::Result;
use std::env;
use std::process::ExitCode;
use xtask::cli::{Command, USAGE};
use xtask::workspace::Workspace;
use xtask::{bench, check, record, serve, site, suite};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The reasons in one line each; a backtrace would say where this program gave up, not why.
            eprintln!("xtask: {error}");
            error.chain().skip(1).for_each(|reason| eprintln!("  because: {reason}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
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
        Command::Bench(part) => bench::run(&workspace, &part),
        Command::Record => record::run(&workspace),
    }
}
