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
/// Differences from the largest logit cannot go wrong: they are 0 or less.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    temperature: f64,
    max: f64,
    max_scaled: f64,
}

impl Scale {
    /// For logits of which `max` is the largest.
    pub(crate) fn new(temperature: f64, max: f64) -> Self {
        Self {
            temperature,
            max,
            max_scaled: max / temperature,
        }
    }

    /// logit / temperature, held to the finite numbers.
    pub(crate) fn scaled(&self, logit: f64) -> f64 {
        (logit / self.temperature).clamp(f64::MIN, f64::MAX)
    }

    /// (logit - largest logit) / temperature, from [`UNDERFLOW`] to 0. The order of operations is
    /// the reference's: divide, then subtract.
    pub(crate) fn exponent(&self, logit: f64) -> f64 {
        if self.overflows() {
            at_least_underflow((logit - self.max) / self.temperature)
        } else {
            at_least_underflow(logit / self.temperature - self.max_scaled)
        }
    }

    fn overflows(&self) -> bool {
        self.max_scaled.is_infinite()
    }

    /// Writes the weights of a block of logits to `weights`, which is as long.
    fn weigh<L: Logit>(&self, logits: &[L], weights: &mut [f64]) {
        let &Self {
            temperature,
            max,
            max_scaled,
        } = self;
        let places = weights.iter_mut().zip(logits);
        if self.overflows() {
            for (weight, &logit) in places {
                *weight = at_least_underflow((logit.into() - max) / temperature);
            }
        } else {
            for (weight, &logit) in places {
                *weight = at_least_underflow(logit.into() / temperature - max_scaled);
            }
        }
        exp_block(weights);
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

/// `f64::max`, but without its care for NaN, which costs a third of the loop.
#[inline(always)]
fn at_least_underflow(exponent: f64) -> f64 {
    if exponent > UNDERFLOW {
        exponent
    } else {
        UNDERFLOW
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
