//! The same steps on logits of `f64`, for tables of worked examples.
//!
//! A model gives `f32`. But logarithms rounded to `f32` give probabilities that are off in the eighth
//! place, so that .5 and .25 need no longer reach a p of .75. Only the raw logits in a trace are
//! rounded to `f32`.

use crate::{
    LogitsError, Ranking, Settings, StepTrace, TokenId, Unit, logprob,
    step::{traced, traced_ranked},
};

/// [`crate::step`] on `f64`.
///
/// # Errors
///
/// Those of [`crate::step`].
pub fn step(logits: &[f64], settings: &Settings, u: Unit) -> Result<StepTrace, LogitsError> {
    traced(logits, settings, u)
}

/// [`crate::step_ranked`] on `f64`.
///
/// # Errors
///
/// Those of [`crate::step_ranked`].
pub fn step_ranked(logits: &[f64], ranking: &Ranking, settings: &Settings, u: Unit) -> Result<StepTrace, LogitsError> {
    traced_ranked(logits, ranking, settings, u)
}

/// [`Ranking::new`] on `f64`.
#[must_use]
pub fn ranking(logits: &[f64]) -> Ranking {
    Ranking::of(logits)
}

/// [`crate::log_softmax_at`] on `f64`.
#[must_use]
pub fn log_softmax_at(logits: &[f64], id: TokenId) -> f64 {
    logprob::log_softmax(logits, id)
}
