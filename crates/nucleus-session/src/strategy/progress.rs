//! What the engine tells of a strategy.

use nucleus_sampler::TokenId;
use serde::{Deserialize, Serialize};

/// One piece of news from a strategy that is under way. They come in the order of the work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Progress {
    /// The prompts were cut into tokens: one list for each, in the order of the request.
    Prompts(Vec<Vec<TokenId>>),
}
