//! What a step shows of the constraint that it was taken under.

use nucleus_sampler::TokenId;
use serde::{Deserialize, Serialize};

/// A constraint at one step: what it allowed, and what it kept the model from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConstraintTrace {
    /// How many tokens there are to choose from: padding left out.
    pub n_tokens: usize,
    /// How many of them were allowed, the end of text counted where it was: 1 or more.
    pub allowed: usize,
    /// What the forbidden tokens had of the model's own distribution (temperature 1, nothing removed): 0 to 1.
    pub forbidden_mass: f64,
    /// The model's own likeliest tokens, up to 10 of them, the likeliest first, ties by lower id.
    pub top: Vec<Considered>,
    /// The bytes that may come next, as ranges in ascending order.
    pub next: Vec<ByteRange>,
    /// Whether the text before this token satisfied the constraint already, so that it may end.
    pub is_complete: bool,
    /// How many tokens might come, this one counted: 1 or more.
    pub tokens_left: usize,
    /// The least number of tokens that complete the text: 0 if it is complete, never above `tokens_left`.
    pub least: usize,
}

/// One of the model's likeliest tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Considered {
    /// Which token.
    pub id: TokenId,
    /// Its probability in the model's own distribution: 0 to 1.
    pub probability: f64,
    /// What the constraint says of it.
    pub verdict: Verdict,
}

/// What a constraint says of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Verdict {
    /// It may come.
    Allowed,
    /// No text of the constraint goes on like this.
    Breaks,
    /// The text could go on like this, but not be completed with the tokens that are left.
    NoRoom,
    /// It is the end of text, and the text is not complete.
    TooEarly,
}

/// Bytes from `first` to `last`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ByteRange {
    /// The lowest.
    pub first: u8,
    /// The highest.
    pub last: u8,
}

/// How many of the model's likeliest tokens a trace tells of.
pub(super) const N_CONSIDERED: usize = 10;

/// The ids of the `n` largest logits, the largest first, ties by lower id. Those of minus infinity are in no place.
pub(super) fn likeliest(logits: &[f32], n: usize) -> Vec<TokenId> {
    let mut best: Vec<TokenId> = Vec::with_capacity(n + 1);
    for (id, &logit) in (0..).map(TokenId).zip(logits) {
        let is_full = best.len() == n;
        if logit == f32::NEG_INFINITY || (is_full && best.last().is_some_and(|last| logits[last.index()] >= logit)) {
            continue;
        }
        let place = best.partition_point(|other| logits[other.index()] >= logit);
        best.insert(place, id);
        best.truncate(n);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likeliest_are_in_order_and_ties_go_by_id() {
        let logits = [1.0, f32::NEG_INFINITY, 3.0, 3.0, -2.0, 0.5, 3.0];
        let ids = |n| likeliest(&logits, n).into_iter().map(|id| id.0).collect::<Vec<_>>();
        assert_eq!(ids(10), [2, 3, 6, 0, 5, 4]);
        assert_eq!(ids(2), [2, 3]);
        assert_eq!(ids(4), [2, 3, 6, 0]);
    }
}
