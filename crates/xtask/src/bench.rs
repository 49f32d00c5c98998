//! `cargo xtask bench`: every bench of the workspace, the sampler's step beside the same in NumPy, the page in a browser, and
//! the engine beside others.

mod criterion;
mod numpy;
mod peers;
mod python;

use crate::browser::Browser;
use crate::cli::Bench;
use crate::process::{self, say};
use crate::site;
use crate::workspace::Workspace;
use anyhow::Result;
use criterion::Measurement;

/// Runs the benches of a part and prints their results.
///
/// # Errors
///
/// When a bench does not compile or fails, or what it is compared with cannot be had.
pub fn run(workspace: &Workspace, part: &Bench) -> Result<()> {
    match part {
        Bench::All => own(workspace).and_then(|()| peers::run(workspace, &[])),
        Bench::Own => own(workspace),
        Bench::Peers(options) => peers::run(workspace, options),
    }
}

fn own(workspace: &Workspace) -> Result<()> {
    let benched = workspace.packages.iter().filter(|package| package.has_benches && !package.is_module);
    criterion::forget(&workspace.target)?;
    for package in benched {
        let name = &package.name;
        say(format!("benches of {name} (a few minutes; building them the first time takes 10 more)"));
        let mut cargo = workspace.cargo();
        cargo.args(["bench", "--package", name, "--bench", "*", "--", "--quiet"]);
        process::run(&mut cargo, &format!("the benches of {name}"))?;
    }
    criterion::read(&workspace.target)?.iter().for_each(|measurement| println!("{}", row(measurement)));
    numpy::compare(workspace)?;
    page(workspace)
}

/// How fast the page answers a slider and how fast it writes, measured by the page itself.
fn page(workspace: &Workspace) -> Result<()> {
    let browser = Browser::find_or_install()?;
    let site = site::build(workspace)?;
    say("the page in the browser");
    let mut bench = workspace.test_program("bench_page")?;
    browser.tell(&mut bench);
    process::run(bench.env("NUCLEUS_SITE", &site.root), "the bench of the page")
}

/// `name   2.000 ms   50000 elements/s`.
fn row(measurement: &Measurement) -> String {
    let nanoseconds = measurement.nanoseconds;
    let row = format!("{:<48} {:>12}", measurement.name, duration(nanoseconds));
    match measurement.elements {
        Some(elements) => format!("{row}  {:.0} elements/s", elements * 1e9 / nanoseconds),
        None => row,
    }
}

/// Three decimals and a unit.
fn duration(nanoseconds: f64) -> String {
    let units = [("s", 1e9), ("ms", 1e6), ("us", 1e3)];
    let fits = units.iter().find(|(_, size)| nanoseconds >= *size);
    let (unit, size) = fits.copied().unwrap_or(("ns", 1.0));
    format!("{:.3} {unit}", nanoseconds / size)
}

#[cfg(test)]
mod tests {
    use super::{Measurement, row};

    #[test]
    fn a_row_has_the_time_and_the_rate() {
        let measurement = Measurement { name: "step".to_owned(), nanoseconds: 2e6, elements: Some(100.0) };
        let row = row(&measurement);
        assert!(row.contains("2.000 ms") && row.contains("50000 elements/s"), "{row}");
    }
}
