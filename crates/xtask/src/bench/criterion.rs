//! What criterion left behind: one folder per bench, with `new/benchmark.json` and `new/estimates.json`.

use anyhow::{Context, Result};
use serde_json::Value;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// One bench.
#[derive(Debug, PartialEq)]
pub(super) struct Measurement {
    /// Group and function, such as `tales/prompt of 128 tokens`.
    pub(super) name: String,
    /// The mean time of one iteration.
    pub(super) nanoseconds: f64,
    /// How many things an iteration handles, if the bench says so.
    pub(super) elements: Option<f64>,
}

/// Removes the results of earlier runs: benches that are gone would come back from them.
pub(super) fn forget(target: &Path) -> Result<()> {
    let folder = target.join("criterion");
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// All results, sorted by name.
pub(super) fn read(target: &Path) -> Result<Vec<Measurement>> {
    let mut found = Vec::new();
    collect(&target.join("criterion"), &mut found).context("cannot read the results of the benches")?;
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

fn collect(folder: &Path, found: &mut Vec<Measurement>) -> Result<()> {
    let new = folder.join("new");
    if new.join("benchmark.json").is_file() {
        let (bench, estimates) = (json(&new.join("benchmark.json"))?, json(&new.join("estimates.json"))?);
        found.push(measurement(&bench, &estimates).with_context(|| format!("nothing in {}", new.display()))?);
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && path != new {
            collect(&path, found)?;
        }
    }
    Ok(())
}

fn measurement(bench: &Value, estimates: &Value) -> Option<Measurement> {
    Some(Measurement {
        name: bench["full_id"].as_str()?.to_owned(),
        nanoseconds: estimates["mean"]["point_estimate"].as_f64()?,
        elements: bench["throughput"]["Elements"].as_f64(),
    })
}

fn json(path: &Path) -> Result<Value> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not JSON", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{Measurement, forget, read};
    use std::fs;

    #[test]
    fn results_are_found_at_any_depth_and_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let new = folder.path().join("criterion/tales/prompt/new");
        fs::create_dir_all(&new).unwrap();
        fs::write(new.join("benchmark.json"), r#"{"full_id":"tales/prompt","throughput":{"Elements":128}}"#).unwrap();
        fs::write(new.join("estimates.json"), r#"{"mean":{"point_estimate":2500.5}}"#).unwrap();
        let expected = Measurement { name: "tales/prompt".to_owned(), nanoseconds: 2500.5, elements: Some(128.0) };
        assert_eq!(read(folder.path()).unwrap(), [expected]);
        forget(folder.path()).unwrap();
        forget(folder.path()).unwrap();
        assert!(read(folder.path()).is_err());
    }
}
