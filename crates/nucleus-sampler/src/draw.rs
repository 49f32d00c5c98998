//! The draw: where one uniform number falls on the cumulative sum.

use alloc::{vec, vec::Vec};

use serde::{Deserialize, Serialize};

use crate::{Kept, TokenId, Unit};

/// A token's share of [0, 1): from `start`, which belongs to it, up to `end`, which does not.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The sum of the probabilities of all lower ids.
    pub start: f64,
    /// `start` plus the token's own probability.
    pub end: f64,
}

impl Interval {
    /// All of [0, 1): of a token that is certain.
    pub(crate) const WHOLE: Self = Self { start: 0.0, end: 1.0 };
    /// Of no token.
    pub(crate) const EMPTY: Self = Self { start: 0.0, end: 0.0 };

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

/// Lays the kept tokens, whose ids are `ids`, end to end in vocabulary order, which fills in their
/// intervals, and returns the rank of the one that `u` hits.
pub(crate) fn draw(kept: &mut [Kept], ids: &[TokenId], n_vocab: usize, u: Unit) -> usize {
    let ranks = ranks_by_id(ids, n_vocab);
    lay_out(kept, &ranks);
    hit(kept, &ranks, u)
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
    columns.retain(|&rank| rank != REMOVED);
    columns
}

/// The cumulative sum, token by token.
fn lay_out(kept: &mut [Kept], ranks: &[u32]) {
    let mut start = 0.0;
    for &rank in ranks {
        let kept = &mut kept[rank as usize];
        let end = start + kept.probability;
        kept.interval = Interval { start, end };
        start = end;
    }
}

/// The rank of the first token in vocabulary order whose interval ends above `u`; if rounding
/// left none, of the last one with a positive probability.
fn hit(kept: &[Kept], ranks: &[u32], u: Unit) -> usize {
    let token = |rank: u32| &kept[rank as usize];
    let first = ranks.partition_point(|&rank| token(rank).interval.end <= u.get());
    let last_positive = || ranks.iter().rfind(|&&rank| token(rank).probability > 0.0);
    ranks.get(first).or_else(last_positive).map_or(0, |&rank| rank as usize)
}
