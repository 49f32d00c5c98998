//! How large the modules may be: what a reader downloads before anything happens.

use crate::composition;
use crate::site::{Module, Site};
use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;
use std::path::Path;

/// The page must start at once, on a phone too: bytes after gzip, module and JavaScript.
pub const PAGE: usize = 400_000;

/// The engine loads while the page works: bytes after gzip, module and JavaScript.
pub const ENGINE: usize = 4_000_000;

/// How many crates are named in the report.
const NAMED: usize = 10;

/// Measures both modules, prints what they are made of, and compares with the budgets.
///
/// # Errors
///
/// When a module is larger than its budget, or a file cannot be read.
pub fn check(site: &Site) -> Result<()> {
    let sizes = [(&site.page, PAGE), (&site.engine, ENGINE)];
    let measured = sizes.map(|(module, limit)| report(module, limit).map(|size| (module.name, size, limit)));
    for one in measured {
        let (name, size, limit) = one?;
        ensure!(
            size <= limit,
            "the {name} is {size} bytes after gzip, {} more than its budget of {limit}: see above what it is made of",
            size - limit,
        );
    }
    Ok(())
}

/// Prints a module's size and composition; gives its size after gzip, in bytes.
fn report(module: &Module, limit: usize) -> Result<usize> {
    let mut size = 0;
    for file in &module.files {
        size += gzipped(&read(file)?)?;
    }
    println!(
        "{}: {} after gzip, of at most {}; by crate, before gzip:",
        module.name,
        kilobytes(size),
        kilobytes(limit)
    );
    let parts = composition::by_crate(&read(&module.compiled)?)?;
    let total: usize = parts.iter().map(|(_, size)| size).sum();
    let rest: usize = parts.iter().skip(NAMED).map(|(_, size)| size).sum();
    let named = parts.iter().take(NAMED).map(|(name, size)| (name.as_str(), *size));
    for (name, size) in named.chain([("(all others)", rest)]) {
        println!("  {name:<28} {:>9}  {:>3} %", kilobytes(size), (100 * size + total / 2) / total.max(1));
    }
    Ok(size)
}

fn kilobytes(bytes: usize) -> String {
    format!("{} kB", bytes.div_ceil(1000))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The length of what a static host sends, which compresses once and takes its time.
///
/// # Errors
///
/// What the encoder says.
pub fn gzipped(bytes: &[u8]) -> Result<usize> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len())
}
