//! What the engine tells of a strategy.

use nucleus_decode::{BatchStep, SlotsStep, StopReason};
use nucleus_sampler::TokenId;
use serde::{Deserialize, Serialize};

/// One piece of news from a strategy that is under way. They come in the order of the work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Progress {
    /// The prompts were cut into tokens: one list for each, in the order of the request.
    Prompts(Vec<Vec<TokenId>>),
    /// One more column of the batch.
    Batch(BatchStep),
    /// One more turn of the slots.
    Slots(SlotsStep),
    /// Why each row or request ended, in the order of the request: once all are over.
    Ended(Vec<StopReason>),
}
