//! The draw: where one uniform number falls on the cumulative sum.

use alloc::{vec, vec::Vec};

use serde::{Deserialize, Serialize};

use crate::{TokenId, Unit};

/// A token's share of [0, 1): from `start`, which belongs to it, up to `end`, which does not.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The sum of the probabilities of all lower ids.
    pub start: f64,
    /// `start` plus the token's own probability.
    pub end: f64,
}

impl Interval {
    /// How long it is: the token's probability, but for rounding in the sum.
    #[must_use]
    pub fn width(self) -> f64 {
        self.end - self.start
    }

    /// Whether `u` falls in it.
    #[must_use]
    pub fn contains(self, u: Unit) -> bool {
        self.start <= u.get() && u.get() < self.end
    }
}

/// How the token was chosen among those that were kept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Draw {
    /// Temperature 0: the likeliest token, and no uniform number was used.
    Argmax,
    /// One uniform number was used.
    Uniform {
        /// The number.
        u: Unit,
        /// The interval of the token that was drawn. It contains `u`, unless rounding left the
        /// last interval's end at or below `u`: then the last token of positive probability is
        /// drawn.
        interval: Interval,
    },
}

/// Lays the kept tokens end to end in vocabulary order: where each begins, by rank, and the rank of
/// the one that `u` hits. `ids` and `probabilities` are by rank, too.
pub(crate) fn draw(ids: &[TokenId], probabilities: &[f64], n_vocab: usize, u: Unit) -> (Vec<f64>, usize) {
    let ranks = ranks_by_id(ids, n_vocab);
    let starts = lay_out(&ranks, probabilities);
    let hit = hit(&ranks, probabilities, &starts, u);
    (starts, hit)
}

/// The ranks of the kept tokens in the order of their ids.
///
/// A few are sorted; for many it is quicker to write each into its column and sweep the columns.
fn ranks_by_id(ids: &[TokenId], n_vocab: usize) -> Vec<u32> {
    const SWEPT_PER_SORTED: usize = 16;
    const REMOVED: u32 = u32::MAX;
    if ids.len() < n_vocab / SWEPT_PER_SORTED {
        let mut pairs: Vec<(TokenId, u32)> = ids.iter().copied().zip(0..).collect();
        pairs.sort_unstable();
        return pairs.into_iter().map(|(_, rank)| rank).collect();
    }
    let mut columns = vec![REMOVED; n_vocab];
    for (id, rank) in ids.iter().zip(0..) {
        columns[id.index()] = rank;
    }
    if ids.len() < n_vocab {
        columns.retain(|&rank| rank != REMOVED);
    }
    columns
}

/// The cumulative sum in vocabulary order, before each token; by rank.
fn lay_out(ranks: &[u32], probabilities: &[f64]) -> Vec<f64> {
    let mut starts = vec![0.0; ranks.len()];
    let mut start = 0.0;
    for &rank in ranks {
        starts[rank as usize] = start;
        start += probabilities[rank as usize];
    }
    starts
}

/// The rank of the first token in vocabulary order whose interval ends above `u`; if rounding
/// left none, of the last one with a positive probability.
fn hit(ranks: &[u32], probabilities: &[f64], starts: &[f64], u: Unit) -> usize {
    let probability = |rank: u32| probabilities[rank as usize];
    let end = |rank: u32| starts[rank as usize] + probability(rank);
    let first = ranks.partition_point(|&rank| end(rank) <= u.get());
    let last_positive = || ranks.iter().rfind(|&&rank| probability(rank) > 0.0);
    ranks.get(first).or_else(last_positive).map_or(0, |&rank| rank as usize)
}
