use nucleus_sampler::TokenId;
use serde::{Deserialize, Serialize};

use crate::StopReason;

/// One step of a batch: one more column of the grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BatchStep {
    /// Which of the new columns it is: 0 for the first.
    pub index: usize,
    /// One for each row, in the order of the prompts.
    pub rows: Vec<RowStep>,
}

/// What one row has in a new column.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum RowStep {
    /// A token that was drawn.
    Drawn(RowToken),
    /// The pad id, since the row was done before.
    Frozen {
        /// The plan's pad id.
        pad: TokenId,
        /// The sum of log-probabilities when the row ended, in nats.
        sum: f64,
        /// Why it ended.
        reason: StopReason,
    },
}

/// A token of one row among several.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowToken {
    /// The token.
    pub token: TokenId,
    /// Its log-probability, in nats, under the raw logits, whatever the settings.
    pub log_probability: f64,
    /// The sum over the row's new tokens up to this one, in nats.
    pub sum: f64,
    /// Why this is the row's last token, if it is.
    pub done: Option<StopReason>,
}

impl RowStep {
    /// What the row emits: the token drawn, or the pad id.
    #[must_use]
    pub fn token(&self) -> TokenId {
        match self {
            Self::Drawn(drawn) => drawn.token,
            Self::Frozen { pad, .. } => *pad,
        }
    }

    /// The row's sum of log-probabilities, in nats: that of its drawn tokens only.
    #[must_use]
    pub fn sum(&self) -> f64 {
        match self {
            Self::Drawn(RowToken { sum, .. }) | Self::Frozen { sum, .. } => *sum,
        }
    }

    /// Why the row is done after this step, if it is.
    #[must_use]
    pub fn done(&self) -> Option<StopReason> {
        match self {
            Self::Drawn(drawn) => drawn.done,
            Self::Frozen { reason, .. } => Some(*reason),
        }
    }
}
