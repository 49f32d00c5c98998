//! What the page says of the device it has, of what is held there, and of what is kept in the browser.

use super::loading::bytes;
use super::model;
use crate::chooser::Persistence;
use crate::device::{DeviceKind, DeviceReport};
use crate::engine::Engine;
use crate::models::KNOWN_MODELS;
use crate::plan::{Keeping, KeptModel};
use crate::source::ModelSource;

/// The model's name as the page's top has it.
#[must_use]
pub fn model_name(engine: &Engine) -> String {
    let known = KNOWN_MODELS.iter().find(|model| engine.source.text() == Some(model.name));
    known.map_or_else(|| engine.name(), |model| model.title.to_owned())
}

/// Device, number format and memory, as short as it goes; `None` before there is a device.
#[must_use]
pub fn device_line(engine: &Engine) -> Option<String> {
    let device = engine.device.as_ref()?;
    let mut line = device.kind.to_string();
    if let Some(model) = engine.loaded() {
        line = format!("{line} \u{b7} {} \u{b7} {}", model.weights, bytes(model.device_memory));
        if matches!(model.keeping, Keeping::NotKept { .. }) {
            line.push_str(" \u{b7} not kept");
        }
    }
    Some(line)
}

/// All that is known of the device and of the model on it, as pairs of a name and what is to be said of it.
#[must_use]
pub fn device_details(engine: &Engine) -> Vec<(&'static str, String)> {
    let Some(device) = &engine.device else {
        return Vec::new();
    };
    let backend = match device.kind {
        DeviceKind::Cpu => "WebAssembly with SIMD",
        DeviceKind::WebGpu => "WebGPU",
    };
    let mut details =
        vec![("Device", adapter(device)), ("Backend", backend.to_owned()), ("Why", device.reason.to_string())];
    if let Some(info) = engine.loaded() {
        details.push(("Weights", format!("held as {}", info.weights)));
        details.push(("Memory", format!("{} for weights and cache", bytes(info.device_memory))));
        details.push(("Model", model(info)));
        details.extend(keeping(&info.keeping).map(|sentence| ("Next visit", sentence)));
    }
    if let ModelSource::Files(_) = engine.source {
        let no_link = "A link cannot lead to files on this computer: the address holds everything but the model.";
        details.push(("Link", no_link.to_owned()));
    }
    details
}

fn adapter(device: &DeviceReport) -> String {
    let software = if device.software { ", which is only software" } else { "" };
    match (device.kind, device.adapter.as_str()) {
        (DeviceKind::Cpu, _) => "CPU".into(),
        (DeviceKind::WebGpu, "") => format!("graphics adapter, which the browser does not name{software}"),
        (DeviceKind::WebGpu, adapter) => format!("{adapter}{software}"),
    }
}

/// Whether a model is here at the next visit; `None` where the question does not arise.
#[must_use]
pub fn keeping(keeping: &Keeping) -> Option<String> {
    match keeping {
        Keeping::Kept => Some("The model is kept in this browser, and is not downloaded again.".into()),
        Keeping::NotNeeded => None,
        Keeping::NotKept { message } => {
            Some(format!("The model could not be kept ({message}): at the next visit it is downloaded again."))
        }
    }
}

/// How much is kept of a model.
#[must_use]
pub fn kept_size(kept: &KeptModel) -> String {
    match (kept.complete, kept.total) {
        (true, _) => bytes(kept.bytes),
        (false, Some(total)) => format!("{} of {}, not complete", bytes(kept.bytes), bytes(total)),
        (false, None) => format!("{}, not complete", bytes(kept.bytes)),
    }
}

/// How much is kept in all.
#[must_use]
pub fn kept_total(kept: &[KeptModel]) -> String {
    match kept {
        [] => "Nothing is kept. What you download is kept here, as far as the browser has room.".into(),
        [one] => format!("1 model, {}.", bytes(one.bytes)),
        many => format!("{} models, {}.", many.len(), bytes(many.iter().map(|model| model.bytes).sum())),
    }
}

/// What the browser said about keeping; `None` before it was asked.
#[must_use]
pub fn persistence(answer: Persistence) -> Option<&'static str> {
    match answer {
        Persistence::Unknown => None,
        Persistence::Granted => Some("The browser has promised to keep this until you delete it."),
        Persistence::Refused => Some("The browser may clear this when it runs short of room; it has made no promise."),
        Persistence::Unavailable => Some("This browser may clear this when it runs short of room."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(bytes: u64, total: Option<u64>, complete: bool) -> KeptModel {
        KeptModel { source: ModelSource::default(), bytes, total, complete }
    }

    #[test]
    fn what_is_kept_in_part_is_marked() {
        assert_eq!(kept_size(&kept(548_100_000, Some(548_100_000), true)), "548.1 MB");
        assert_eq!(kept_size(&kept(1_000_000, Some(548_100_000), false)), "1.0 MB of 548.1 MB, not complete");
        assert_eq!(kept_size(&kept(1_000_000, None, false)), "1.0 MB, not complete");
    }

    #[test]
    fn the_total_is_over_all() {
        let two = [kept(600_000_000, None, true), kept(500_000_000, None, false)];
        assert_eq!(kept_total(&two), "2 models, 1.1 GB.");
        assert_eq!(kept_total(&two[..1]), "1 model, 600.0 MB.");
        assert!(kept_total(&[]).starts_with("Nothing is kept"));
    }

    /// CASE 39: storage full, private window, refused: it runs, and says that it is not kept.
    #[test]
    fn a_model_that_is_not_kept_is_said_with_the_reason() {
        let sentence = keeping(&Keeping::NotKept { message: "the storage is full".into() }).unwrap();
        assert!(sentence.contains("(the storage is full)") && sentence.contains("downloaded again"), "{sentence}");
        assert_eq!(keeping(&Keeping::NotNeeded), None);
    }
}
