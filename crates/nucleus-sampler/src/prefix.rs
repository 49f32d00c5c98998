//! The top of the ranking, with what each of its tokens weighs.

use alloc::{borrow::Cow, vec::Vec};

use crate::{
    Logit, TokenId,
    ranking::Descending,
    scale::Scale,
    sum::{BLOCK, sum},
};

/// The likeliest tokens, in order, as many as were asked for: what the filters leave is always so.
pub(crate) struct Prefix<'a, L: Logit> {
    logits: &'a [L],
    order: Descending<'a, L>,
    scale: Scale,
    scaled: Vec<f64>,
    weights: Vec<f64>,
}

impl<'a, L: Logit> Prefix<'a, L> {
    pub(crate) fn new(logits: &'a [L], order: Descending<'a, L>, scale: Scale) -> Self {
        Self { logits, order, scale, scaled: Vec::new(), weights: Vec::new() }
    }

    /// The weights of the first `count` tokens; there are as many.
    pub(crate) fn weights(&mut self, count: usize) -> &[f64] {
        if count > self.weights.len() {
            self.extend_to(count);
        }
        &self.weights[..count]
    }

    fn extend_to(&mut self, count: usize) {
        let ids = &self.order.first(count)[self.weights.len()..];
        self.scaled.reserve_exact(ids.len());
        self.weights.reserve_exact(ids.len());
        for ids in ids.chunks(BLOCK) {
            let logits = ids.iter().map(|id| self.logits[id.index()]);
            let mut block = [0.0; BLOCK];
            let block = &mut block[..ids.len()];
            for (place, logit) in block.iter_mut().zip(logits.clone()) {
                *place = logit.into();
            }
            for place in &mut *block {
                *place = self.scale.scaled(*place);
            }
            self.scaled.extend_from_slice(block);
            self.scale.weigh(logits, block);
            self.weights.extend_from_slice(block);
        }
    }

    /// The sum of the weights of the first `count` tokens, the likeliest first.
    pub(crate) fn mass(&mut self, count: usize) -> f64 {
        sum(self.weights(count))
    }

    /// The first `count` tokens, their logits divided by the temperature, and their weights.
    pub(crate) fn into_parts(mut self, count: usize) -> (Cow<'a, [TokenId]>, Vec<f64>, Vec<f64>) {
        self.weights(count);
        self.scaled.truncate(count);
        self.weights.truncate(count);
        (self.order.into_first(count), self.scaled, self.weights)
    }
}
