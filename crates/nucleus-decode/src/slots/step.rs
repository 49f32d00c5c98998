use serde::{Deserialize, Serialize};

use crate::RowToken;

/// One turn of the clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotsStep {
    /// The time, from 0. It skips steps in which every slot would be idle.
    pub index: usize,
    /// The requests that have arrived since the step before, in their order.
    pub arrivals: Vec<usize>,
    /// What each slot did: `[slots]`.
    pub slots: Vec<SlotStep>,
    /// The requests that wait for a slot while this step runs, the next one first.
    pub queue: Vec<usize>,
}

/// What one slot did in one step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum SlotStep {
    /// Nothing: no request was there for it.
    Idle,
    /// It took a request, read its prompt, and drew its first token.
    Prefill {
        /// Which request, by its place in the plan.
        request: usize,
        /// How many ids the prompt has: 1 or more.
        n_prompt: usize,
        /// The request's first token.
        token: RowToken,
    },
    /// It read the token before and drew one more.
    Decode {
        /// Which request, by its place in the plan.
        request: usize,
        /// The request's next token.
        token: RowToken,
    },
}

impl SlotStep {
    /// The request that had the slot, if one had.
    #[must_use]
    pub fn request(&self) -> Option<usize> {
        match self {
            Self::Idle => None,
            Self::Prefill { request, .. } | Self::Decode { request, .. } => Some(*request),
        }
    }

    /// The token that was drawn, if one was.
    #[must_use]
    pub fn token(&self) -> Option<&RowToken> {
        match self {
            Self::Idle => None,
            Self::Prefill { token, .. } | Self::Decode { token, .. } => Some(token),
        }
    }
}
