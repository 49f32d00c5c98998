//! What the page says: each of these is a pure function to a whole sentence.

mod keeping;
mod loading;
mod numbers;

use core::fmt::Display;

use nucleus_decode::StopReason;
use nucleus_decode::bigram::BigramEnd;

use crate::brief::without_its_middle;
use crate::device::DeviceReason;
use crate::engine::{Engine, EngineState};
use crate::failure::Failure;
use crate::link_field::LinkField;
use crate::measure::{Perplexity, PerplexityOf};
use crate::protocol::ModelInfo;
use crate::run::{Run, RunState, Source};
use crate::session::Session;
use crate::strategy::WordRun;

pub use keeping::{device_details, device_line, keeping, kept_size, kept_total, model_name, persistence};
pub use loading::{bytes, given_up, loading, plan, plan_title, progress, time_left, weight_format};
use numbers::{counted, tenths};
pub use numbers::{grouped, together};

/// An error as a sentence: with a capital and a full stop.
#[must_use]
pub fn sentence(error: &impl Display) -> String {
    let text = error.to_string();
    let mut characters = text.chars();
    let Some(first) = characters.next() else {
        return text;
    };
    let stop = if text.ends_with(['.', '!', '?', '\u{2026}']) { "" } else { "." };
    format!("{}{}{stop}", first.to_uppercase(), characters.as_str())
}

/// What went wrong, and what to do.
#[must_use]
pub fn failure(failure: &Failure) -> String {
    without_its_middle(&failure.to_string())
}

/// What the engine is doing.
#[must_use]
pub fn engine(engine: &Engine, queued: bool) -> String {
    let mut text = match &engine.state {
        EngineState::Off => "The engine is not running.".into(),
        EngineState::Loading(stage) => loading(*stage),
        EngineState::Asking => format!("{} can be downloaded: the plan waits for your answer.", engine.name()),
        EngineState::Cancelling(_) => "Giving up the loading.".into(),
        EngineState::Cancelled(_) => "No model is loaded.".into(),
        EngineState::Ready => format!("{} is ready.", engine.name()),
        EngineState::Running { stopping: false, .. } => format!("{} is writing.", engine.name()),
        EngineState::Running { stopping: true, .. } => "Stopping.".into(),
        EngineState::Failed(why) => failure(why),
    };
    if let Some(news) = loading::started_over(engine) {
        text = format!("{news} {text}");
    }
    if let (Some(restarted), EngineState::Loading(_)) = (restarted(engine), &engine.state) {
        text = format!("{restarted} {text}");
    }
    if let Some(waits) = waiting(queued) {
        text = format!("{text} {waits}");
    }
    text
}

/// Why the engine was started anew, where it runs now, and what to do; `None` if it was not.
#[must_use]
pub fn restarted(engine: &Engine) -> Option<String> {
    let failure = failure(engine.restarted_after.as_ref()?);
    let why = engine.device.as_ref().map(|device| &device.reason);
    let why = why.filter(|why| matches!(why, DeviceReason::GpuFailed { .. }));
    let place = if engine.on_cpu_instead || why.is_some() { ", on the CPU" } else { "" };
    let mut text = format!("{failure} It has been started again{place}.");
    if let Some(why) = why {
        text = format!("{text} {why}");
    }
    match engine.state {
        EngineState::Loading(_) => text.push_str(" Once the model is back, press Generate."),
        EngineState::Ready => text.push_str(" The model is back: press Generate."),
        _ => {}
    }
    Some(text)
}

/// That a run waits for the model; `None` if none does.
#[must_use]
pub fn waiting(queued: bool) -> Option<&'static str> {
    queued.then_some("Writing starts as soon as the model is ready.")
}

/// What a model is.
#[must_use]
pub fn model(model: &ModelInfo) -> String {
    format!(
        "{}: {} million parameters in {} blocks of {} heads, {} wide; it knows {} tokens and sees {} at once.",
        model.name,
        tenths(model.parameters, 1_000_000),
        model.n_layer,
        model.n_head,
        model.n_embd,
        grouped(model.n_vocab),
        grouped(model.n_ctx),
    )
}

/// How far a run is. Why it broke off is said where failures are.
#[must_use]
pub fn run(run: &Run) -> String {
    let steps = run.steps().len();
    let tokens = counted(steps, "token");
    match (&run.source, &run.state) {
        (Source::Recording { title, .. }, _) => {
            format!("A recorded run, {tokens}: {title}. Every slider works on it.")
        }
        (_, RunState::Reading) => "The model reads the prompt.".into(),
        (_, RunState::Writing) => format!("Token {} of {}.", grouped(steps), grouped(run.values.new_tokens)),
        (_, RunState::Stopping) => format!("Stopping after {tokens}."),
        (_, RunState::Finished(StopReason::StopString { index })) => {
            let stop = run.stop_strings();
            format!(
                "{tokens}. The text ends before \u{201c}{}\u{201d}.",
                stop.get(*index).unwrap_or_default().escape_debug()
            )
        }
        (_, RunState::Finished(StopReason::User)) if run.parts_at == Some(steps) => {
            format!("{tokens}. You went back to here: write on, or force another token.")
        }
        (_, RunState::Finished(reason)) => format!("{tokens}. {}", stop(*reason)),
        (_, RunState::Failed(_)) => format!("Broken off after {tokens}."),
    }
}

/// How far the strategy chosen is.
#[must_use]
pub fn strategy(session: &Session) -> String {
    if let Some(words) = session.words() {
        let n = counted(words.run.steps.len(), "new word");
        return if words.run.end == BigramEnd::WordLimit {
            format!("{n}.")
        } else {
            format!("{n}: {}.", words.run.end)
        };
    }
    let Some(work) = session.work() else {
        return engine(session.engine(), session.is_queued());
    };
    match (&work.state, work.elapsed_ms) {
        (RunState::Reading, _) => "The model reads.".into(),
        (RunState::Writing, _) => "The model writes.".into(),
        (RunState::Stopping, _) => "Stopping.".into(),
        (RunState::Finished(StopReason::User), _) => "You stopped it.".into(),
        (RunState::Finished(_), Some(ms)) => format!("Done in {} ms.", grouped(format_args!("{ms:.0}"))),
        (RunState::Finished(_), None) => "Done.".into(),
        (RunState::Failed(_), _) => "Broken off.".into(),
    }
}

/// What stands beside the counts of a word, or why nothing does yet.
#[must_use]
pub fn beside(session: &Session) -> String {
    if let Some((run, _)) = session.beside() {
        return format!("Beside the counts: {} on the whole text, at temperature 1 with nothing cut.", run.model);
    }
    match (&session.engine().state, session.words().and_then(WordRun::beside_failure)) {
        (EngineState::Running { .. }, _) => "The model reads the whole text.".into(),
        (_, Some(told)) => format!("Counts alone: the model could not read the text. {}", failure(told)),
        (EngineState::Ready, None) => "Counts alone.".into(),
        _ => "Counts alone: no model is ready yet. GPT-2 would read the whole text, not its last word only; its numbers come \
              here as soon as it is there."
            .into(),
    }
}

/// Why a run ended.
#[must_use]
pub fn stop(reason: StopReason) -> &'static str {
    match reason {
        StopReason::EndOfText => "The model ended the text.",
        StopReason::TokenLimit => "All the new tokens that were asked for are there.",
        StopReason::Context => "The model\u{2019}s context is full.",
        StopReason::User => "You stopped it.",
        StopReason::Closed => "The value is complete, and nothing can follow.",
        StopReason::StopString { .. } => "A stop string is complete.",
    }
}

/// That no link leads to a text, since its first tokens were drawn with other settings than its last; `None` if they were not.
#[must_use]
pub fn mixed(run: &Run) -> Option<&'static str> {
    run.is_mixed.then_some("Its first tokens were drawn with other settings than its last, so no link leads to it.")
}

/// Which texts are too long for the link to what is shown; `None` if it holds all.
#[must_use]
pub fn left_out_of_link(session: &Session) -> Option<String> {
    let said = |field: LinkField| {
        let text = session.text_in(field);
        let (length, in_address) = (text.chars().count(), LinkField::length_in_address(text));
        format!("\u{201c}{}\u{201d} ({length} characters, {in_address} in the address)", field.label())
    };
    let texts: Vec<String> = session.left_out_of_link().into_iter().map(said).collect();
    (!texts.is_empty()).then(|| {
        format!(
            "Too long for the link, which does not hold it: {}. A link holds at most {} characters of one field, and at most {} \
             as the address writes them: a letter beyond a to z takes 6 or more there.",
            texts.join(", "),
            LinkField::LONGEST,
            LinkField::LONGEST_IN_ADDRESS,
        )
    })
}

/// That the model did not see the oldest tokens; `None` if it saw all.
#[must_use]
pub fn window(window_start: usize) -> Option<String> {
    (window_start > 0).then(|| {
        format!(
            "Prompt and text are longer than the model\u{2019}s context: here it no longer saw the oldest {}.",
            counted(window_start, "token"),
        )
    })
}

/// That the seed does nothing; `None` if it does.
#[must_use]
pub fn seed(temperature_is_zero: bool) -> Option<&'static str> {
    temperature_is_zero.then_some("Not used: at temperature 0 nothing is left to chance.")
}

/// How the end-of-text token's name is read in what the model reads; `None` if it does not occur there.
#[must_use]
pub fn special_tokens(session: &Session) -> Option<&'static str> {
    let text = session.strategy().read_by_model().map(|field| session.text_in(field))?;
    text.contains("<|endoftext|>").then_some(if session.controls().special_tokens {
        "<|endoftext|> in a prompt is the token that separates texts."
    } else {
        "<|endoftext|> in a prompt is plain text, letter by letter."
    })
}

/// Whether the run has the tokens that its link promised; `None` while that is open.
#[must_use]
pub fn as_in_the_link(run: &Run) -> Option<&'static str> {
    run.as_in_the_link.map(|same| {
        if same {
            "The same tokens as in the link."
        } else {
            "Other tokens than in the link: devices round differently, and where two tokens are nearly even the texts part."
        }
    })
}

/// A perplexity, and of what it is.
#[must_use]
pub fn perplexity(perplexity: Perplexity) -> String {
    let tokens = counted(perplexity.tokens, "token");
    let value = grouped(format_args!("{:.1}", perplexity.value));
    match perplexity.of {
        PerplexityOf::PromptAndText => format!(
            "Perplexity {value} over {tokens} of prompt and text; the first is left out, since nothing predicts it."
        ),
        PerplexityOf::TextAlone => {
            let were = if perplexity.tokens == 1 { "was" } else { "were" };
            format!("Perplexity {value} over the {tokens} that {were} written.")
        }
    }
}

/// The speed of a live run; `None` while there is none.
#[must_use]
pub fn speed(run: &Run) -> Option<String> {
    let first = run.first_token_ms()?;
    let first = format!("First token after {} ms", grouped(format_args!("{first:.0}")));
    Some(match run.tokens_per_second() {
        Some(speed) if speed >= 10.0 => format!("{first}, then {speed:.0} tokens/s."),
        Some(speed) => format!("{first}, then {speed:.1} tokens/s."),
        None => format!("{first}."),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Loading;

    #[test]
    fn every_stage_and_every_reason_is_a_sentence_of_its_own() {
        let stages = [
            Loading::Starting,
            Loading::ChoosingDevice,
            Loading::SelfTest,
            Loading::Config,
            Loading::Tokenizer,
            Loading::Building,
        ];
        let reasons = [StopReason::EndOfText, StopReason::TokenLimit, StopReason::Context, StopReason::User];
        let all: Vec<String> = stages.map(loading).into_iter().chain(reasons.map(|r| stop(r).to_owned())).collect();
        for (place, text) in all.iter().enumerate() {
            assert!(text.ends_with('.') && !all[..place].contains(text), "{text}");
        }
    }

    #[test]
    fn an_error_becomes_a_sentence_once() {
        assert_eq!(sentence(&"it has no step"), "It has no step.");
        assert_eq!(sentence(&"Done."), "Done.");
        assert_eq!(sentence(&"\u{e4}h"), "\u{c4}h.");
        assert_eq!(sentence(&""), "");
    }

    #[test]
    fn a_model_is_told_in_numbers() {
        let tales = ModelInfo {
            name: "tales".into(),
            n_vocab: 4096,
            n_ctx: 256,
            n_layer: 6,
            n_head: 6,
            n_embd: 192,
            parameters: 3_505_152,
            end_of_text: None,
            weights: crate::WeightFormat::F32,
            device_memory: 14_000_000,
            keeping: crate::Keeping::NotNeeded,
        };
        let text = model(&tales);
        for number in ["3.5 million", "6 blocks", "6 heads", "192", "4,096 tokens", "256 at once"] {
            assert!(text.contains(number), "{number}: {text}");
        }
    }
}
