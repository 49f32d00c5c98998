//! What the page says of loading: its stages, the plan, the time left, and what was given up.

use super::{tenths, waiting};
use crate::engine::{Came, Engine, EngineState};
use crate::plan::{LoadPlan, WeightFormat};
use crate::protocol::Loading;
use crate::source::ModelSource;

/// A number of bytes with one decimal, in kilobytes, megabytes or gigabytes.
#[must_use]
pub fn bytes(n: u64) -> String {
    match n {
        0..100_000 => format!("{} kB", tenths(n, 1000)),
        100_000..1_000_000_000 => format!("{} MB", megabytes(n)),
        _ => format!("{} GB", tenths(n, 1_000_000_000)),
    }
}

/// A stage of loading.
#[must_use]
pub fn loading(stage: Loading) -> String {
    match stage {
        Loading::Starting => "Starting the engine.".into(),
        Loading::ChoosingDevice => "Looking for a graphics processor.".into(),
        Loading::SelfTest => "Testing the device with a tiny model whose results are known.".into(),
        Loading::Config => "Loading the model\u{2019}s configuration.".into(),
        Loading::Tokenizer => "Loading the tokenizer.".into(),
        Loading::Weights { done, total: 0, .. } => {
            format!("Loading the weights: {} MB so far.", megabytes(done))
        }
        Loading::Weights { done, total, .. } => {
            format!("Loading the weights: {} of {} MB.", megabytes(done), megabytes(total))
        }
        Loading::Reconnecting { done, total, attempt } => format!(
            "The connection broke at {} of {} MB. Trying again, attempt {attempt}.",
            megabytes(done),
            megabytes(total)
        ),
        Loading::StartingOver { dropped, .. } => format!(
            "The file changed on the server since its first {} MB came. Loading the weights from the start.",
            megabytes(dropped)
        ),
        Loading::Building => "Building the model.".into(),
    }
}

/// How far the weights are and how long the rest will take, as far as that can be told, and whether a run waits for them.
#[must_use]
pub fn progress(engine: &Engine, queued: bool) -> Option<String> {
    match engine.state {
        EngineState::Loading(
            stage @ (Loading::Weights { .. } | Loading::Reconnecting { .. } | Loading::StartingOver { .. }),
        ) => {
            let news = started_over(engine).map(|news| format!("{news} "));
            let left = engine.time_left_ms().map(|left| format!(" {}", time_left(left)));
            let waits = waiting(queued).map(|waits| format!(" {waits}"));
            Some(news.unwrap_or_default() + &loading(stage) + &left.unwrap_or_default() + &waits.unwrap_or_default())
        }
        _ => None,
    }
}

/// Why the weights come once more: the stage that says so passes in a moment.
pub(super) fn started_over(engine: &Engine) -> Option<&'static str> {
    match engine.state {
        EngineState::Loading(stage) if engine.started_over && !matches!(stage, Loading::StartingOver { .. }) => {
            Some("The file changed on the server while it came, so it is loaded from the start.")
        }
        _ => None,
    }
}

/// A time that is left, milliseconds, in a round number.
#[must_use]
pub fn time_left(milliseconds: f64) -> String {
    let seconds = milliseconds / 1000.0;
    let about = |n: f64, noun: &str| {
        let plural = if n == 1.0 { "" } else { "s" };
        format!("About {n:.0} {noun}{plural} left.")
    };
    match seconds {
        s if s < 5.0 => "A few seconds left.".into(),
        s if s < 57.5 => about((s / 5.0).round() * 5.0, "second"),
        s if s < 3570.0 => about((s / 60.0).round().max(1.0), "minute"),
        s => about((s / 3600.0).round().max(1.0), "hour"),
    }
}

/// What the reader is asked.
#[must_use]
pub fn plan_title(engine: &Engine, plan: &LoadPlan) -> String {
    format!("Download {} for {}?", bytes(plan.download), engine.name())
}

/// What loading will take, as pairs of a name and what is to be said of it.
#[must_use]
pub fn plan(source: &ModelSource, plan: &LoadPlan) -> Vec<(&'static str, String)> {
    vec![
        ("Model", format!("{}, {} million parameters", plan.name, tenths(plan.parameters, 1_000_000))),
        ("Download", download(source, plan)),
        ("Weights", weights(plan)),
        ("Device memory", format!("{} for weights and cache. {}", bytes(plan.device_memory), pieces(plan))),
        ("Next visit", room(plan)),
    ]
}

fn download(source: &ModelSource, plan: &LoadPlan) -> String {
    let from = source.folder().and_then(|folder| Some(folder.split_once("://")?.1.split('/').next()?.to_owned()));
    let from = from.map_or_else(String::new, |host| format!(" from {host}"));
    let here = plan.files.saturating_sub(plan.download);
    if here == 0 {
        return format!("{}{from}", bytes(plan.download));
    }
    format!("{} of {}{from}; the rest is here already", bytes(plan.download), bytes(plan.files))
}

fn weights(plan: &LoadPlan) -> String {
    if plan.stored == plan.weights.to_string().to_uppercase() {
        return format!("{} in the file and on the device", plan.weights);
    }
    format!("{} in the file, held as {} on the device", plan.stored.to_lowercase(), plan.weights)
}

/// Whether the largest tensor must be split.
fn pieces(plan: &LoadPlan) -> String {
    let (largest, limit) = (bytes(plan.largest_tensor), bytes(plan.largest_binding));
    if plan.largest_tensor > plan.largest_binding {
        return format!(
            "The largest tensor has {largest}, more than the {limit} that the device takes in one piece: it is split."
        );
    }
    format!("The largest tensor has {largest}; the device takes {limit} in one piece.")
}

fn room(plan: &LoadPlan) -> String {
    match plan.room_to_keep {
        Some(room) if room >= plan.download => {
            format!("It is kept in this browser, which has room for {} more.", bytes(room))
        }
        Some(room) => format!("This browser has room for only {} more, so it will not be kept.", bytes(room)),
        None => "This browser does not tell whether it has room to keep it.".into(),
    }
}

/// That loading was given up, and what is there now; `None` in all other states.
#[must_use]
pub fn given_up(engine: &Engine) -> Option<String> {
    let EngineState::Cancelled(came) = engine.state else {
        return None;
    };
    let name = engine.name();
    let what = match came {
        Came { done: 0, .. } => format!("{name} was not loaded."),
        Came { done, total: 0 } => format!("Loading {name} was stopped after {}.", bytes(done)),
        Came { done, total } => {
            format!("Loading {name} was stopped at {} of {} MB.", megabytes(done), megabytes(total))
        }
    };
    Some(format!(
        "{what} No model is loaded now, so nothing can be written; the prompt, the settings and the text are as they were."
    ))
}

/// A way to hold weights: its label, and what it means.
#[must_use]
pub fn weight_format(format: Option<WeightFormat>) -> (&'static str, &'static str) {
    match format {
        None => ("As in the file", "No number is changed, if the device can hold them so."),
        Some(WeightFormat::F32) => ("f32", "32 bits a number: what the reference results were computed with."),
        Some(WeightFormat::F16) => ("f16", "16 bits: half the memory, with differences that rarely change a token."),
        Some(WeightFormat::Int8) => {
            ("int8", "8 bits with a scale for each block: a quarter of the memory, and now and then another token.")
        }
    }
}

pub(super) fn megabytes(bytes: u64) -> String {
    tenths(bytes, 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpt2() -> LoadPlan {
        LoadPlan {
            name: "gpt2".into(),
            parameters: 124_439_808,
            stored: "F32".into(),
            weights: WeightFormat::F32,
            download: 548_105_171,
            files: 548_105_171,
            device_memory: 572_000_000,
            largest_tensor: 154_389_504,
            largest_binding: 134_217_728,
            room_to_keep: Some(12_000_000_000),
            waits: true,
        }
    }

    fn said(source: &str, plan: &LoadPlan) -> String {
        let source = ModelSource::parse(source).unwrap();
        super::plan(&source, plan).into_iter().map(|(name, text)| format!("{name}: {text}\n")).collect()
    }

    #[test]
    fn progress_is_in_megabytes_and_does_without_a_total() {
        let weights = |done, total| loading(Loading::Weights { done, total, fetched: total });
        assert_eq!(weights(3_240_000, 7_017_680), "Loading the weights: 3.2 of 7.0 MB.");
        assert_eq!(weights(3_240_000, 0), "Loading the weights: 3.2 MB so far.");
    }

    #[test]
    fn bytes_have_the_unit_that_fits() {
        for (n, text) in
            [(665, "0.7 kB"), (1_355_256, "1.4 MB"), (548_105_171, "548.1 MB"), (12_000_000_000, "12.0 GB")]
        {
            assert_eq!(bytes(n), text);
        }
    }

    #[test]
    fn a_time_is_round() {
        for (seconds, words) in [
            (0.0, "A few seconds left."),
            (4.9, "A few seconds left."),
            (5.1, "About 5 seconds left."),
            (38.0, "About 40 seconds left."),
            (58.0, "About 1 minute left."),
            (149.0, "About 2 minutes left."),
            (3580.0, "About 1 hour left."),
            (9000.0, "About 3 hours left."),
        ] {
            assert_eq!(time_left(seconds * 1000.0), words, "{seconds}");
        }
    }

    /// CASE 29: GPT-2's embedding against the default limit of a binding.
    #[test]
    fn a_plan_names_every_number_and_what_is_split() {
        let text = said("openai-community/gpt2", &gpt2());
        for part in [
            "gpt2, 124.4 million parameters",
            "548.1 MB from huggingface.co\n",
            "f32 in the file and on the device",
            "572.0 MB",
            "154.4 MB, more than the 134.2 MB",
            "it is split",
            "12.0 GB",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn a_plan_tells_of_what_is_here_and_of_what_has_no_room() {
        let plan = LoadPlan {
            download: 100_000_000,
            stored: "F16, F32".into(),
            weights: WeightFormat::F16,
            largest_binding: 2_000_000_000,
            room_to_keep: Some(50_000_000),
            ..gpt2()
        };
        let text = said("https://example.org/m/", &plan);
        for part in [
            "100.0 MB of 548.1 MB from example.org; the rest is here already",
            "f16, f32 in the file, held as f16",
            "2.0 GB in one piece",
            "only 50.0 MB more, so it will not be kept",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let silent = said("gpt2", &LoadPlan { room_to_keep: None, ..gpt2() });
        assert!(silent.contains("does not tell") && silent.contains("Download: 548.1 MB\n"), "{silent}");
    }
}
