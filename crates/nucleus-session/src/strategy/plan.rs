//! From the fields of a strategy to what is asked of the engine.

use nucleus_decode::{AnswerRule, Extractor};
use serde::{Deserialize, Serialize};

use super::constraint::ConstraintSource;
use super::kind::StrategyKind;
use super::option::{OptionKey, Options};
use super::stop::stop_strings;
use super::words::countable;
use crate::brief::brief;
use crate::controls::Values;

/// A strategy with its settings, as it is asked of the engine. Prompts are texts as typed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Strategy {
    /// All prompts in one batch.
    Batch {
        /// 1 to 16 prompts, none of them empty.
        prompts: Vec<String>,
    },
    /// Requests in a fixed number of slots.
    Slots {
        /// 1 to 8.
        slots: usize,
        /// 1 to 32 requests.
        requests: Vec<SlotRequest>,
    },
    /// Beam search from the prompt.
    Beam {
        /// The prompt.
        prompt: String,
        /// Beams, 1 to 16.
        width: usize,
        /// The power of the length that the sum of log-probabilities is divided by: 0 to 10.
        length_penalty: f64,
        /// How many texts are wanted, 1 to `width`.
        results: usize,
    },
    /// Samples of one prompt.
    Vote {
        /// The prompt.
        prompt: String,
        /// How many, 1 to 64.
        samples: usize,
    },
}

/// One request of many.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotRequest {
    /// The step at which it comes, from 0.
    pub arrives_at: usize,
    /// How many tokens it wants, 1 or more.
    pub new_tokens: usize,
    /// Its prompt, not empty.
    pub prompt: String,
}

/// A field of a strategy that holds no good value. Its text is a part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct OptionError {
    /// Which field.
    pub key: OptionKey,
    /// The value, the limit and what to do.
    pub message: String,
}

/// Rows of a batch, or beams, at most: what a device reads its weights once for.
const MOST_ROWS: usize = 16;

impl Strategy {
    /// What the fields ask for; `None` for a sampled run and for what needs no model.
    ///
    /// # Errors
    /// The first field that holds no good value.
    pub(crate) fn of(kind: StrategyKind, values: &Values, options: &Options) -> Result<Option<Self>, OptionError> {
        let prompt = || values.prompt.clone();
        Ok(Some(match kind {
            StrategyKind::Sample => {
                check_ends(options)?;
                return Ok(None);
            }
            StrategyKind::Bigram => {
                countable(options)?;
                return Ok(None);
            }
            StrategyKind::Batch => Self::Batch { prompts: prompts(options.text(OptionKey::Prompts))? },
            StrategyKind::Slots => Self::Slots {
                slots: whole(options, OptionKey::Slots, 1, 8)?,
                requests: requests(options.text(OptionKey::Requests))?,
            },
            StrategyKind::Beam => {
                let width = whole(options, OptionKey::Width, 1, MOST_ROWS)?;
                Self::Beam {
                    prompt: prompt(),
                    width,
                    length_penalty: length_penalty(options)?,
                    results: results(options, width)?,
                }
            }
            StrategyKind::Vote => {
                extractor(options)?;
                Self::Vote { prompt: prompt(), samples: whole(options, OptionKey::Samples, 1, 64)? }
            }
        }))
    }
}

/// Looks at what ends a sampled text: stop strings, or the form that it must have, but not both.
fn check_ends(options: &Options) -> Result<(), OptionError> {
    let stop = stop_strings(options)?;
    ConstraintSource::check(options)?;
    if stop.is_empty() || ConstraintSource::of(options).is_none() {
        return Ok(());
    }
    let message = "a stop string could cut the output before it has its form; leave this field empty, or choose free text as output";
    refuse(OptionKey::Stop, message.to_owned())
}

/// What finds the answer of a sample.
pub(crate) fn extractor(options: &Options) -> Result<Extractor, OptionError> {
    let rule = match options.text(OptionKey::Answer) {
        "number" => AnswerRule::FirstNumber,
        "word" => AnswerRule::FirstWord,
        "pattern" => AnswerRule::Pattern(options.text(OptionKey::Pattern).to_owned()),
        other => {
            let message = format!("\u{201c}{}\u{201d} does not do: choose number, word or pattern", brief(other));
            return refuse(OptionKey::Answer, message);
        }
    };
    Extractor::new(rule).map_err(|error| OptionError { key: OptionKey::Pattern, message: brief(&error.to_string()) })
}

/// A whole number within limits.
fn whole(options: &Options, key: OptionKey, least: usize, most: usize) -> Result<usize, OptionError> {
    let text = options.text(key).trim();
    match text.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => refuse(
            key,
            format!("\u{201c}{}\u{201d} does not do: type a whole number from {least} to {most}", brief(text)),
        ),
    }
}

/// At most as many as there are beams.
fn results(options: &Options, width: usize) -> Result<usize, OptionError> {
    let key = OptionKey::Results;
    match whole(options, key, 1, MOST_ROWS)? {
        results if results <= width => Ok(results),
        results => refuse(
            key,
            format!("{results} results are more than the width of {width}: type at most {width}, or a larger width"),
        ),
    }
}

fn length_penalty(options: &Options) -> Result<f64, OptionError> {
    let key = OptionKey::LengthPenalty;
    let text = options.text(key).trim();
    match text.parse::<f64>() {
        Ok(number) if (0.0..=10.0).contains(&number) => Ok(number),
        _ => refuse(key, format!("\u{201c}{}\u{201d} does not do: type a number from 0 to 10", brief(text))),
    }
}

/// Lines that are not empty.
fn prompts(text: &str) -> Result<Vec<String>, OptionError> {
    let prompts: Vec<String> = text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
    match prompts.len() {
        0 => refuse(OptionKey::Prompts, "there is no prompt: type at least one line".into()),
        n if n > MOST_ROWS => {
            refuse(OptionKey::Prompts, format!("{n} prompts are too many: at most {MOST_ROWS} go in one batch"))
        }
        _ => Ok(prompts),
    }
}

/// One request for each line that is not empty.
fn requests(text: &str) -> Result<Vec<SlotRequest>, OptionError> {
    const MOST: usize = 32;
    let key = OptionKey::Requests;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let requests: Vec<SlotRequest> = lines.map(request).collect::<Result<_, _>>()?;
    match requests.len() {
        0 => refuse(key, "there is no request: type at least one line, such as “0 12 Once upon a time”".into()),
        n if n > MOST => refuse(key, format!("{n} requests are too many: at most {MOST} are shown")),
        _ => Ok(requests),
    }
}

fn request(line: &str) -> Result<SlotRequest, OptionError> {
    const MOST: usize = 1000;
    let mut parts = line.trim_start().splitn(3, ' ');
    let mut number = || parts.next().and_then(|part| part.parse::<usize>().ok()).filter(|&number| number <= MOST);
    let (arrives_at, new_tokens) = (number(), number());
    match (arrives_at, new_tokens, parts.next()) {
        (Some(arrives_at), Some(new_tokens @ 1..), Some(prompt)) if !prompt.is_empty() => {
            Ok(SlotRequest { arrives_at, new_tokens, prompt: prompt.to_owned() })
        }
        _ => refuse(
            OptionKey::Requests,
            format!(
                "the line \u{201c}{}\u{201d} does not do: type the step of arrival (0 to {MOST}), how many new tokens (1 to {MOST}) \
                 and the prompt, with one space between them",
                brief(line)
            ),
        ),
    }
}

fn refuse<T>(key: OptionKey, message: String) -> Result<T, OptionError> {
    Err(OptionError { key, message })
}
