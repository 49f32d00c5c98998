//! Temperature: from logits to weights, whose ratios are those of the probabilities.

use crate::{
    Logit,
    exp::{UNDERFLOW, exp_block},
    sum::{BLOCK, block_sum, sum_by},
};

/// Division by a temperature above 0, in f64, with its rare overflow seen to.
///
/// At a temperature of 1e-320 a logit of 1 divided by it is infinite, and softmax would be NaN.
/// But where the largest logit overflows, only its equals have a weight: the next smaller `f64`
/// would, after division, be some 10^292 below it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    temperature: f64,
    max: f64,
    /// `max` / `temperature`, held to the finite numbers.
    max_scaled: f64,
    overflows: bool,
}

impl Scale {
    /// For logits of which `max` is the largest.
    pub(crate) fn new(temperature: f64, max: f64) -> Self {
        let overflows = (max / temperature).is_infinite();
        Self { temperature, max, max_scaled: held(max / temperature), overflows }
    }

    /// logit / temperature, held to the finite numbers.
    #[inline]
    pub(crate) fn scaled(&self, logit: f64) -> f64 {
        held(logit / self.temperature)
    }

    /// ln of the weight of a logit that was divided already: from [`UNDERFLOW`] to 0. The
    /// reference divides first and subtracts then, and so is rounded here.
    #[inline]
    pub(crate) fn exponent(&self, scaled: f64) -> f64 {
        let exponent = scaled - self.max_scaled;
        // Not `f64::max`, whose care for NaN costs a third of the loop.
        if exponent > UNDERFLOW { exponent } else { UNDERFLOW }
    }

    /// Replaces each of a block of divided logits by its weight: 1 for the largest of all logits, 0
    /// for minus infinity. `logits` are the same before division.
    pub(crate) fn weigh<L: Logit>(&self, logits: impl Iterator<Item = L>, block: &mut [f64]) {
        if self.overflows {
            for (weight, logit) in block.iter_mut().zip(logits) {
                *weight = if logit.into() == self.max { 1.0 } else { 0.0 };
            }
            return;
        }
        for weight in &mut *block {
            *weight = self.exponent(*weight);
        }
        exp_block(block);
    }

    /// The sum of the weights of all logits, none of which is kept: 1 or more.
    pub(crate) fn total<L: Logit>(&self, logits: &[L]) -> f64 {
        sum_by(logits, &|logits| {
            let mut block = [0.0; BLOCK];
            let block = &mut block[..logits.len()];
            let places = block.iter_mut().zip(logits);
            if self.temperature == 1.0 {
                places.for_each(|(place, &logit)| *place = logit.into());
            } else {
                places.for_each(|(place, &logit)| *place = logit.into() / self.temperature);
            }
            self.weigh(logits.iter().copied(), block);
            block_sum(block)
        })
    }
}

/// Infinities become the largest finite numbers.
#[inline]
fn held(number: f64) -> f64 {
    let number = if number < f64::MAX { number } else { f64::MAX };
    if number > f64::MIN { number } else { f64::MIN }
}
