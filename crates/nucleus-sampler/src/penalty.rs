//! The repetition penalty: what was seen becomes less likely.

use alloc::vec::Vec;

use crate::{RepetitionPenalty, TokenId};

/// What the repetition penalty did.
///
/// The formula is that of CTRL (Keskar et al., arXiv:1909.05858, section 4.1) as Hugging Face's
/// `RepetitionPenaltyLogitsProcessor` has it: the logit l of a token seen before becomes l / penalty
/// where l is above 0, and l * penalty where it is below. The paper divides always, which raises a
/// negative logit; this never does. A token counts once, however often it was seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Lowering {
    /// The penalty, above 1.
    pub penalty: RepetitionPenalty,
    /// The tokens whose logits it lowered, lowest id first: those seen before that could be drawn and whose logit is not 0.
    pub tokens: Vec<Lowered>,
    /// The share of the probability that these tokens lost together, at temperature 1, of what the
    /// constraint left: 0 to 1. The other tokens have it now.
    pub mass: f64,
}

/// One token with a lowered logit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lowered {
    /// Which token.
    pub id: TokenId,
    /// Its raw logit, as the model gave it.
    pub from: f32,
    /// Its logit after the penalty, which temperature divides: less than `from`, and finite.
    pub to: f64,
}

impl Lowering {
    /// The token with this id, if its logit was lowered.
    #[must_use]
    pub fn get(&self, id: TokenId) -> Option<&Lowered> {
        let place = self.tokens.binary_search_by_key(&id, |token| token.id).ok()?;
        self.tokens.get(place)
    }
}

/// The logit of a seen token: never above `logit`.
pub(crate) fn penalised(logit: f64, penalty: RepetitionPenalty) -> f64 {
    if logit > 0.0 {
        logit / penalty.get()
    } else {
        (logit * penalty.get()).max(f64::MIN) // an infinity would remove the token
    }
}
