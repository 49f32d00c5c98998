//! Sorting a whole vocabulary.

use alloc::{vec, vec::Vec};

use crate::{
    Logit,
    logits::{largest, least},
};

/// The keys of all logits in order: largest logit first, ties by lower id.
///
/// They are dealt into equal steps from the largest logit down to the least, some twenty to
/// each, and then sorted step by step. For logits spread as a model's are this takes two thirds of
/// the time of one sort, and at the worst, where one step holds all, little more than that sort.
pub(crate) fn sorted_keys<L: Logit>(logits: &[L]) -> Vec<L::Key> {
    const PER_STEP: usize = 18;
    let (least, largest): (f64, f64) = (least(logits).into(), largest(logits).into());
    let count = logits.len() / PER_STEP + 1;
    let last = (count - 1) as f64;
    let per_unit = last / (largest - least);
    let step = |logit: L| {
        let steps = (largest - logit.into()) * per_unit; // NaN if all are equal
        nearest(if steps < last { steps } else { last })
    };

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

/// The nearest whole number, from 0 to 2^32: after adding 1.5 times 2^52 it is in the lowest bits,
/// which is quicker than a cast, and keeps the order as well.
fn nearest(number: f64) -> usize {
    (number + 6_755_399_441_055_744.0).to_bits() as u32 as usize
}
