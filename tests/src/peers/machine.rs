//! What the machine did meanwhile, from `/proc`: Linux only.

use std::collections::HashMap;
use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// The kernel counts processor time in hundredths of a second, whatever its own clock (`USER_HZ` in proc(5)).
const TICK_MS: f64 = 10.0;

/// The kinds of process whose memory is told, by Chromium's `--type`; the first has none.
const KINDS: [&str; 3] = ["browser", "renderer", "gpu-process"];

/// Processor time of the processes that `process` started, and those that they started, milliseconds. Its own is not in it.
pub fn cpu_ms(process: u32) -> Result<f64> {
    let ticks = descendants(process)?.into_iter().filter_map(|process| ticks(&stat(process)?));
    Ok(ticks.sum::<u64>() as f64 * TICK_MS)
}

/// Processor time of the whole machine, milliseconds, idle and waiting not counted.
pub fn busy_ms() -> Result<f64> {
    let text = fs::read_to_string("/proc/stat").context("/proc/stat cannot be read; this needs Linux")?;
    let fields: Vec<u64> =
        text.lines().next().unwrap_or_default().split_whitespace().filter_map(|field| field.parse().ok()).collect();
    // user nice system idle iowait irq softirq steal: what a guest takes is in the first two already.
    let busy = fields.iter().take(8).enumerate().filter(|(index, _)| ![3, 4].contains(index));
    Ok(busy.map(|(_, ticks)| ticks).sum::<u64>() as f64 * TICK_MS)
}

/// The most memory that the browser held at any time, MB: the peaks of its own process, the largest renderer and the GPU's
/// process, added up.
pub fn peak_mb(process: u32) -> Result<f64> {
    let mut peaks = HashMap::new();
    for process in descendants(process)? {
        if let Some((kind, kilobytes)) = kind(process).zip(peak_kb(process)) {
            let peak = peaks.entry(kind).or_insert(0);
            *peak = kilobytes.max(*peak);
        }
    }
    Ok(peaks.values().sum::<u64>() as f64 * 1.024e-3)
}

/// Waits until the machine has been idle for 1.5 seconds, at most `patience`.
///
/// # Errors
/// When the machine cannot be asked.
pub fn wait_until_idle(patience: Duration) -> Result<()> {
    let (end, mut quiet) = (Instant::now() + patience, 0);
    while quiet < 5 && Instant::now() < end {
        let before = busy_ms()?;
        sleep(Duration::from_millis(300));
        quiet = if busy_ms()? - before < 60.0 { quiet + 1 } else { 0 };
    }
    Ok(())
}

fn descendants(process: u32) -> Result<Vec<u32>> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in fs::read_dir("/proc").context("/proc cannot be read; this needs Linux")? {
        let name = entry?.file_name();
        let Some(process) = name.to_str().and_then(|name| name.parse().ok()) else { continue };
        if let Some(parent) = stat(process).and_then(|stat| parent(&stat)) {
            children.entry(parent).or_default().push(process);
        }
    }
    let mut found = children.get(&process).cloned().unwrap_or_default();
    let mut index = 0;
    while let Some(process) = found.get(index) {
        found.extend(children.get(process).into_iter().flatten().copied().collect::<Vec<_>>());
        index += 1;
    }
    Ok(found)
}

/// None for a process that has ended.
fn stat(process: u32) -> Option<String> {
    fs::read_to_string(format!("/proc/{process}/stat")).ok()
}

/// The fields after the name, which stands in brackets and may hold anything; the first is the state, the third of all.
fn fields(stat: &str) -> impl Iterator<Item = &str> {
    stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace()
}

fn parent(stat: &str) -> Option<u32> {
    fields(stat).nth(1)?.parse().ok()
}

/// In user mode and in the kernel.
fn ticks(stat: &str) -> Option<u64> {
    let mut fields = fields(stat).skip(11).map(|field| field.parse::<u64>().ok());
    Some(fields.next()?? + fields.next()??)
}

fn kind(process: u32) -> Option<&'static str> {
    let command = fs::read_to_string(format!("/proc/{process}/cmdline")).ok()?;
    let kind = command.split_once("--type=").map_or(KINDS[0], |(_, rest)| rest);
    KINDS.into_iter().find(|name| kind.strip_prefix(name).is_some_and(|rest| !rest.starts_with('-')))
}

fn peak_kb(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim_end_matches("kB").trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "4242 (a) b (c)) S 17 4242 1 0 -1 4194560 9 0 0 0 250 50 0 0 20 0 8 0 99 1000 200";

    #[test]
    fn a_process_is_read_after_its_name() {
        assert_eq!(parent(STAT), Some(17));
        assert_eq!(ticks(STAT), Some(300));
        assert_eq!(ticks("1 (short) S 0"), None);
    }

    #[test]
    fn this_process_has_used_time_and_memory() {
        let own = std::process::id();
        assert!(peak_kb(own).unwrap() > 0 && busy_ms().unwrap() > 0.0);
        let parent = parent(&stat(own).unwrap()).unwrap();
        assert!(descendants(parent).unwrap().contains(&own));
    }
}
