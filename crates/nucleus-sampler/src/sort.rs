//! Sorting a whole vocabulary.

use alloc::{vec, vec::Vec};

use crate::{
    Logit,
    logits::{largest, least},
};

/// The keys of all logits in order: largest logit first, ties by lower id.
///
/// They are dealt into equal steps from the largest logit down to the least, some two dozen to
/// each, and then sorted step by step. For logits spread as a model's are this takes two thirds of
/// the time of one sort, and at the worst, where one step holds all, little more than that sort.
pub(crate) fn sorted_keys<L: Logit>(logits: &[L]) -> Vec<L::Key> {
    const PER_STEP: usize = 24;
    let (least, largest): (f64, f64) = (least(logits).into(), largest(logits).into());
    let count = logits.len() / PER_STEP + 1;
    let per_unit = (count - 1) as f64 / (largest - least);
    // Subtraction, multiplication and a cast that ends at the limits and makes 0 of NaN: each keeps
    // the order, so no key is in an earlier step than a smaller one.
    let step = |logit: L| (((largest - logit.into()) * per_unit) as u32 as usize).min(count - 1);

    let mut ends = vec![0_u32; count];
    for &logit in logits {
        ends[step(logit)] += 1;
    }
    let mut sum = 0;
    for end in &mut ends {
        sum += core::mem::replace(end, sum); // for now, where each step starts
    }
    let mut keys = vec![L::Key::default(); logits.len()];
    for (id, &logit) in (0..).zip(logits) {
        let end = &mut ends[step(logit)];
        keys[*end as usize] = logit.key(id);
        *end += 1;
    }
    let mut start = 0;
    for end in ends {
        keys[start..end as usize].sort_unstable();
        start = end as usize;
    }
    keys
}
