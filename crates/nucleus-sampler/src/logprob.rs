//! Log-probabilities of the raw logits, which no setting changes.

use crate::{Logit, TokenId, logits::largest, scale::Scale, sum::sum};

/// The log-probability of a token, in nats: its log-softmax over the raw logits (temperature 1,
/// nothing removed), so the same whatever the settings are. 0 or less; minus infinity for a
/// masked token and for an id that the logits have no column for. The logits are such as a step
/// accepts.
#[must_use]
pub fn log_softmax_at(logits: &[f32], id: TokenId) -> f64 {
    log_softmax(logits, id)
}

pub(crate) fn log_softmax<L: Logit>(logits: &[L], id: TokenId) -> f64 {
    let logit: f64 = logits.get(id.index()).map_or(f64::NEG_INFINITY, |&logit| logit.into());
    if logit == f64::NEG_INFINITY {
        return logit;
    }
    let max: f64 = largest(logits).into();
    logit - max - libm::log(raw_total(logits, max))
}

/// The sum of exp(logit - `max`): 1 or more if `max` is the largest.
pub(crate) fn raw_total<L: Logit>(logits: &[L], max: f64) -> f64 {
    Scale::new(1.0, max).total(logits)
}

/// The perplexity of a text: exp of the mean negative log-probability (in nats) of its tokens,
/// the first one left out by the caller, since nothing predicts it. 1 or more; `None` for none.
#[must_use]
pub fn perplexity(log_probabilities: &[f64]) -> Option<f64> {
    if log_probabilities.is_empty() {
        return None;
    }
    let mean = sum(log_probabilities) / log_probabilities.len() as f64;
    Some(libm::exp(-mean))
}
