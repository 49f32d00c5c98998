//! Measures the engine beside others: `cargo xtask bench peers`, which prepares the folder that `NUCLEUS_PEERS` names.
//!
//! Options: `--only NAME,...` (engines whose names begin with one of these), `--runs N` (rounds; 3), `--quiet SECONDS` (how long
//! to wait for an idle machine before each trial; 20).

use std::env;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use nucleus_tests::peers::{
    ENGINES, Engine, Prompts, Trial, download, measure, row, rule, wait_until_idle, warm_reload, warm_row,
};
use xtask::server;

struct Options {
    only: Vec<String>,
    runs: usize,
    quiet: Duration,
}

impl Options {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self> {
        let mut options = Self { only: Vec::new(), runs: 3, quiet: Duration::from_secs(20) };
        while let Some(word) = words.next() {
            let value = words.next().with_context(|| format!("{word} needs a value"))?;
            match word.as_str() {
                "--only" => options.only = value.split(',').map(str::to_owned).collect(),
                "--runs" => {
                    options.runs = value.parse().with_context(|| format!("`{value}` is not a number of runs"))?
                }
                "--quiet" => {
                    options.quiet =
                        Duration::from_secs(value.parse().with_context(|| format!("`{value}` is not seconds"))?)
                }
                _ => bail!("`{word}` is not an option; these are --only, --runs and --quiet"),
            }
        }
        ensure!(!options.engines().is_empty(), "no engine is called that; there are {}", names(ENGINES.iter()));
        Ok(options)
    }

    fn engines(&self) -> Vec<&'static Engine> {
        let is_wanted = |engine: &&Engine| {
            self.only.is_empty() || self.only.iter().any(|name| engine.name.starts_with(name.as_str()))
        };
        ENGINES.iter().filter(is_wanted).collect()
    }
}

fn names<'a>(engines: impl Iterator<Item = &'a Engine>) -> String {
    engines.map(|engine| engine.name).collect::<Vec<_>>().join(", ")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let options = Options::parse(env::args().skip(1))?;
    let folder = env::var_os("NUCLEUS_PEERS").map(PathBuf::from);
    let folder = folder.context("NUCLEUS_PEERS names no folder: run `cargo xtask bench peers`")?;
    let prompts = Prompts::read(&folder)?;
    // Other engines start workers from strings, which the site's policy does not let in.
    let server = server::serve_without_policy(&folder, SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
    let origin = server.url();
    let trials = rounds(&options, &origin, &prompts).await?;
    println!("{}", rule());
    for (engine, trials) in &trials {
        let code = download(engine, &folder)?;
        row(engine.name, code, trials).into_iter().for_each(|row| println!("{row}"));
    }
    println!("\nloading, milliseconds");
    for (engine, trials) in &trials {
        trials.last().into_iter().for_each(|trial| println!("{}: {}", engine.name, trial.load));
    }
    reloads(&options, &origin, &prompts).await
}

/// Round after round, so that what disturbs the machine for a minute disturbs all engines.
async fn rounds(options: &Options, origin: &str, prompts: &Prompts) -> Result<Vec<(&'static Engine, Vec<Trial>)>> {
    let mut all: Vec<(&Engine, Vec<Trial>)> =
        options.engines().into_iter().map(|engine| (engine, Vec::new())).collect();
    for round in 0..options.runs {
        for (engine, trials) in all.iter_mut().filter(|(engine, _)| round == 0 || !engine.slow) {
            wait_until_idle(options.quiet)?;
            match measure(engine, origin, prompts).await {
                Ok(more) => {
                    more.iter().for_each(|trial| eprintln!("round {}, {}: {trial:?}", round + 1, engine.name));
                    trials.extend(more);
                }
                Err(error) => eprintln!("round {}, {}: {error:#}", round + 1, engine.name),
            }
        }
    }
    Ok(all)
}

/// Pages opened again in a browser that has all files.
async fn reloads(options: &Options, origin: &str, prompts: &Prompts) -> Result<()> {
    println!("\nfrom opening the page again to the first token, milliseconds");
    let mut all: Vec<(&Engine, Vec<f64>)> =
        options.engines().into_iter().filter(|engine| engine.reloads).map(|engine| (engine, Vec::new())).collect();
    for _ in 0..options.runs {
        for (engine, times) in &mut all {
            wait_until_idle(options.quiet)?;
            match warm_reload(engine, origin, prompts).await {
                Ok(milliseconds) => times.push(milliseconds),
                Err(error) => eprintln!("reload of {}: {error:#}", engine.name),
            }
        }
    }
    all.into_iter().filter_map(|(engine, times)| warm_row(engine.name, times)).for_each(|row| println!("{row}"));
    Ok(())
}
