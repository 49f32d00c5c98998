//! Temperature and exponentials: what every token weighs before anything is removed.

use alloc::{vec, vec::Vec};

use crate::{
    Logit,
    exp::{UNDERFLOW, exp_block},
    sum::{BLOCK, block_sum, sum, sum_by},
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
        let scaled = max / temperature;
        Self { temperature, max, max_scaled: scaled.clamp(f64::MIN, f64::MAX), overflows: scaled.is_infinite() }
    }

    /// logit / temperature, held to the finite numbers.
    #[inline]
    pub(crate) fn scaled(&self, logit: f64) -> f64 {
        (logit / self.temperature).clamp(f64::MIN, f64::MAX)
    }

    /// What a logit that was divided already is below the largest: from [`UNDERFLOW`] to 0. The
    /// reference divides first and subtracts then, and so is rounded here.
    #[inline]
    pub(crate) fn exponent(&self, scaled: f64) -> f64 {
        let exponent = scaled - self.max_scaled;
        // Not `f64::max`, whose care for NaN costs a third of the loop.
        if exponent > UNDERFLOW { exponent } else { UNDERFLOW }
    }

    /// Writes the weights of a block of logits to `weights`, which is as long.
    fn weigh<L: Logit>(&self, logits: &[L], weights: &mut [f64]) {
        let places = weights.iter_mut().zip(logits);
        if self.overflows {
            for (weight, &logit) in places {
                *weight = if logit.into() == self.max { 1.0 } else { 0.0 };
            }
        } else {
            for (weight, &logit) in places {
                *weight = self.exponent(logit.into() / self.temperature);
            }
            exp_block(weights);
        }
    }

    /// The sum of the weights of all logits, none of which is kept: [`Weights::total`], to the bit.
    pub(crate) fn total<L: Logit>(&self, logits: &[L]) -> f64 {
        sum_by(logits, &|block| {
            let mut weights = [0.0; BLOCK];
            let weights = &mut weights[..block.len()];
            self.weigh(block, weights);
            block_sum(weights)
        })
    }
}

/// The exponentials of all logits, in vocabulary order: their ratios are those of the
/// probabilities, and the largest is 1.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    /// One per column; 0 for a masked one.
    pub(crate) each: Vec<f64>,
    /// Their sum: 1 or more.
    pub(crate) total: f64,
}

impl Weights {
    pub(crate) fn of<L: Logit>(logits: &[L], scale: &Scale) -> Self {
        let mut each = vec![0.0; logits.len()];
        for (logits, weights) in logits.chunks(BLOCK).zip(each.chunks_mut(BLOCK)) {
            scale.weigh(logits, weights);
        }
        let total = sum(&each);
        Self { each, total }
    }
}
