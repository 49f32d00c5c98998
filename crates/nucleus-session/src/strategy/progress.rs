//! What the engine tells of a strategy.

use nucleus_decode::{BatchStep, BeamStep, BeamStop, Hypothesis, SlotsStep, StopReason};
use nucleus_sampler::TokenId;
use serde::{Deserialize, Serialize};

/// One piece of news from a strategy that is under way. They come in the order of the work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Progress {
    /// The prompts were cut into tokens: one list for each, in the order of the request.
    Prompts(Vec<Vec<TokenId>>),
    /// One more column of the batch.
    Batch(BatchStep),
    /// The text of a batch's row when its prompt is run alone: what padding and neighbours did not change.
    Alone {
        /// Which row, from 0.
        row: usize,
        /// The new tokens.
        tokens: Vec<TokenId>,
    },
    /// How long a batch took, milliseconds, from its prompts to its last token.
    Took {
        /// All rows together.
        together_ms: f64,
        /// Each prompt by itself, one after the other; `None` where that was left out.
        alone_ms: Option<f64>,
    },
    /// One more turn of the slots.
    Slots(SlotsStep),
    /// One more step of the search.
    Beam(BeamStep),
    /// What the search found.
    Found {
        /// Why it stopped.
        stop: BeamStop,
        /// The best texts, the best score first.
        results: Vec<Hypothesis>,
        /// What greedy makes of the prompt.
        greedy: Hypothesis,
    },
    /// One more token of a sample.
    Sampled {
        /// Which sample, from 0. They come one after the other.
        sample: u32,
        /// The token.
        token: TokenId,
        /// Its log-probability under the raw logits, nats.
        log_probability: f64,
    },
    /// Why each row, request or sample ended, in the order of the request: once all are over.
    Ended(Vec<StopReason>),
}
