use std::collections::BTreeMap;

use nucleus_sampler::TokenId;
use serde::{Deserialize, Serialize};

/// What of a run's new tokens is settled before it begins: how a reader goes back to a step, and takes another way from there.
///
/// Token `i` keeps uniform number `i` of the seed whatever is settled before it, and the model reads settled tokens one by one,
/// as it reads those that are drawn. So a run that goes on from its own first tokens has the same logits, to the bit, and the
/// same text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Script {
    /// The first new tokens, which are known already: no steps are given for them.
    pub given: Vec<TokenId>,
    /// Tokens that are taken whatever is drawn, by the index of the new token, from 0. Their steps are given; those of
    /// `given` are not looked at again.
    pub forced: BTreeMap<usize, TokenId>,
}

impl Script {
    /// Every id that it names.
    pub(crate) fn ids(&self) -> impl Iterator<Item = TokenId> {
        self.given.iter().chain(self.forced.values()).copied()
    }
}
