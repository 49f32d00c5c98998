//! `cargo xtask bench`: every bench of the workspace, and the sampler's beside the same step in NumPy.

mod criterion;
mod numpy;

use crate::process::{self, say};
use crate::workspace::Workspace;
use anyhow::Result;
use criterion::Measurement;
use std::collections::BTreeMap;

/// Runs the benches and prints one table.
///
/// # Errors
///
/// When a bench does not compile or fails. Where Python or NumPy cannot be had, the table has no
/// ratios, and says why.
pub fn run(workspace: &Workspace) -> Result<()> {
    let benched = workspace.packages.iter().filter(|package| package.has_benches);
    criterion::forget(&workspace.target)?;
    for package in benched {
        say(format!("benches of {} (about a minute; building them the first time takes 10)", package.name));
        let mut cargo = workspace.cargo();
        cargo.args(["bench", "--package", &package.name, "--bench", "*"]).env("CARGO_TARGET_DIR", &workspace.target);
        process::run(&mut cargo, &format!("the benches of {}", package.name))?;
    }
    let numpy = numpy::measure(workspace).unwrap_or_else(|error| {
        say(format!("no comparison with NumPy: {error:#}"));
        BTreeMap::new()
    });
    for measurement in criterion::read(&workspace.target)? {
        println!("{}", row(&measurement, numpy.get(&measurement.name)));
    }
    Ok(())
}

/// `name   12.3 us   40.6 M/s   NumPy 3.2 ms, 260 times as long`.
fn row(measurement: &Measurement, numpy: Option<&f64>) -> String {
    let nanoseconds = measurement.nanoseconds;
    let mut row = format!("{:<40} {:>10}", measurement.name, duration(nanoseconds));
    if let Some(elements) = measurement.elements {
        row += &format!("  {:.0} elements/s", elements * 1e9 / nanoseconds);
    }
    if let Some(theirs) = numpy {
        row += &format!("  NumPy {}: {:.1} times as long", duration(*theirs), theirs / nanoseconds);
    }
    row
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
    fn a_row_has_the_time_the_rate_and_the_ratio() {
        let measurement = Measurement { name: "step".to_owned(), nanoseconds: 2e6, elements: Some(100.0) };
        let row = row(&measurement, Some(&1.5e7));
        for part in ["2.000 ms", "50000 elements/s", "NumPy 15.000 ms: 7.5 times as long"] {
            assert!(row.contains(part), "{row}");
        }
    }
}
