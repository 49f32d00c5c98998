//! A recorded run: one safetensors file, which NumPy reads as well.
//!
//! | array | type, shape | |
//! | --- | --- | --- |
//! | `logits` | F16 `[steps, n_vocab]` | raw logits; rounded to f16 BEFORE the draw, so that a replay is exact |
//! | `tokens` | U32 `[steps]` | what was drawn |
//! | `prompt` | U32 `[n]` | the prompt's tokens |
//! | `prompt_log_probabilities` | F64 `[n - 1]` | may be missing; nats, of all but the first token |
//! | `token_bytes`, `token_ends` | U8 `[bytes]`, U32 `[tokens]` | what each token stands for, laid end to end |
//!
//! Beside them, as texts in `__metadata__`: `model`, `title`, `prompt`, `special_tokens`,
//! `temperature`, `top_k`, `top_p`, `seed`, `new_tokens`; and `end_of_text` if there is such a token, and
//! `repetition_penalty` if that is not off.

mod read;
mod write;

use half::f16;
use nucleus_decode::StopReason;
use nucleus_sampler::{LogitsError, StepContext, TokenId, Uniforms, step_in};
use thiserror::Error;

use crate::controls::Values;
use crate::protocol::StepReport;
use crate::run::{Run, RunModel, RunState, Source, Step};
use crate::strategy::Options;
use crate::tensors::TensorsError;
use crate::vocabulary::{Vocabulary, VocabularyError};

/// What a file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The model's name.
    pub model: String,
    /// A few words for the list.
    pub title: String,
    /// What the run was asked for.
    pub values: Values,
    /// The prompt's tokens.
    pub prompt: Vec<TokenId>,
    /// ln p of each prompt token but the first, nats.
    pub prompt_log_probabilities: Option<Vec<f64>>,
    /// The token that ends a text.
    pub end_of_text: Option<TokenId>,
    /// What was drawn, `[steps]`.
    pub tokens: Vec<TokenId>,
    /// The logits of each step, `[steps][n_vocab]`.
    pub logits: Vec<Vec<f16>>,
    /// What the tokens stand for.
    pub vocabulary: Vocabulary,
}

/// Why a file is no recording.
#[derive(Debug, Error)]
pub enum RecordingError {
    /// Not the container, or an array is not as it must be.
    #[error(transparent)]
    Tensors(#[from] TensorsError),
    /// A text is missing.
    #[error("the text {key} is missing from __metadata__")]
    NoText {
        /// Which.
        key: &'static str,
    },
    /// A text does not say what it must.
    #[error("the text {key} is \u{201c}{text}\u{201d}, which cannot be")]
    Text {
        /// Which.
        key: &'static str,
        /// What it is.
        text: String,
    },
    /// There is no step at all.
    #[error("it has no step")]
    NoSteps,
    /// Two arrays that belong together are of different length.
    #[error("there are {found} {what}, but {must} are due")]
    Count {
        /// What was counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there must be.
        must: usize,
    },
    /// The tokens' bytes do not fit together.
    #[error(transparent)]
    Vocabulary(#[from] VocabularyError),
    /// Logits from which nothing can be drawn.
    #[error("step {index} cannot be drawn: {source}")]
    Logits {
        /// Which step, from 0.
        index: usize,
        /// Why.
        source: LogitsError,
    },
    /// The logits, settings and seed give another token than the file has.
    #[error(
        "step {index} gives token {drawn}, but the file says {recorded}: it was not made with these settings and this seed"
    )]
    OtherToken {
        /// Which step, from 0.
        index: usize,
        /// What the file says.
        recorded: TokenId,
        /// What is drawn.
        drawn: TokenId,
    },
}

impl Recording {
    /// Draws every step anew and puts the run together.
    ///
    /// # Errors
    /// When a step does not give the token that the file has.
    pub fn into_run(self, name: &str) -> Result<Run, RecordingError> {
        let reports = self.replay()?;
        let source = Source::Recording { name: name.to_owned(), title: self.title };
        let model = RunModel { name: self.model, vocabulary: self.vocabulary.into(), end_of_text: self.end_of_text };
        let ended = self.end_of_text.is_some() && self.tokens.last().copied() == self.end_of_text;
        let mut run = Run::new(source, model, self.values, Options::default());
        run.prompt = self.prompt;
        run.prompt_log_probabilities = self.prompt_log_probabilities;
        for (report, logits) in reports.into_iter().zip(&self.logits) {
            run.push(Step { report, logits: logits.iter().map(|logit| logit.to_f32()).collect() });
        }
        let reason = if ended { StopReason::EndOfText } else { StopReason::TokenLimit };
        run.end(RunState::Finished(reason));
        Ok(run)
    }

    fn replay(&self) -> Result<Vec<StepReport>, RecordingError> {
        let mut uniforms = Uniforms::new(self.values.seed);
        let text = [self.prompt.as_slice(), &self.tokens].concat();
        let steps = self.logits.iter().zip(&self.tokens).enumerate();
        steps
            .map(|(index, (logits, &recorded))| {
                let logits: Vec<f32> = logits.iter().map(|logit| logit.to_f32()).collect();
                let context = StepContext { seen: &text[..self.prompt.len() + index], allowed: None };
                let trace = step_in(&logits, &context, &self.values.settings, uniforms.draw())
                    .map_err(|source| RecordingError::Logits { index, source })?;
                if trace.token == recorded {
                    Ok(StepReport::of(&trace, index, 0, 0.0))
                } else {
                    Err(RecordingError::OtherToken { index, recorded, drawn: trace.token })
                }
            })
            .collect()
    }
}
