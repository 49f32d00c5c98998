use core::fmt;

use nucleus_sampler::{StepTrace, TokenId, TokenSet};
use serde::{Deserialize, Serialize};

use crate::ConstraintTrace;

/// One new token, with all of its working.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Which of the new tokens it is: 0 for the first.
    pub index: usize,
    /// The model's logits, `[n_vocab]`, the padding masked to minus infinity: what the trace was made from.
    pub logits: Vec<f32>,
    /// How the token was chosen.
    pub trace: StepTrace,
    /// How many of the oldest ids of prompt and text the model did not see for this token: 0 until `n_ctx` is passed.
    pub window_start: usize,
    /// What the constraint allowed and forbade, if the run has one.
    pub constraint: Option<ConstraintTrace>,
    /// The tokens that the constraint allowed, where there was one.
    pub allowed: Option<TokenSet>,
    /// Whether the token was forced by the plan's script: the trace then tells the draw that was not followed.
    pub forced: bool,
}

/// Why a run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum StopReason {
    /// The model drew the end-of-text token.
    EndOfText,
    /// The text satisfies the constraint, and nothing can follow.
    Closed,
    /// All the new tokens that were asked for are there.
    TokenLimit,
    /// The model can see no more tokens, and the plan says to stop there.
    Context,
    /// The caller asked for it.
    User,
    /// A stop string is complete.
    StopString {
        /// Which of the [`StopStrings`](crate::StopStrings).
        index: u8,
    },
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EndOfText => f.write_str("the model ended the text"),
            Self::Closed => f.write_str("the value is complete"),
            Self::TokenLimit => f.write_str("the number of new tokens is reached"),
            Self::Context => f.write_str("the model's context is full"),
            Self::User => f.write_str("stopped on request"),
            Self::StopString { index } => write!(f, "stop string {} is complete", u32::from(*index) + 1),
        }
    }
}

/// What a run that ended well leaves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Why it stopped.
    pub reason: StopReason,
    /// The new tokens. An end-of-text token that stopped the run is the last of them, though it was not fed back.
    pub tokens: Vec<TokenId>,
    /// The log-probability of each of them, in nats, under the raw logits, whatever the settings: `[tokens.len()]`.
    pub log_probabilities: Vec<f64>,
}

impl Outcome {
    /// The log-probability of the whole text given the prompt, in nats: the sum over its tokens.
    #[must_use]
    pub fn sum(&self) -> f64 {
        self.log_probabilities.iter().fold(0.0, |sum, log_probability| sum + log_probability)
    }
}
