//! The two filters, each a pure function from what was left before to what is left after.

use alloc::vec::Vec;

use crate::{Filter, Logit, Removal, TokenId, TopK, TopP, ranking::Descending, sum::sum, weights::Weights};

/// What a filter leaves: a prefix of the ranking.
#[derive(Clone, Copy)]
pub(crate) struct Left {
    pub(crate) count: usize,
    /// The sum of the weights.
    pub(crate) mass: f64,
}

/// Leaves the k largest; of equals at the edge those with lower ids.
pub(crate) fn top_k<L: Logit>(top_k: TopK, order: &mut Descending<'_, L>, weights: &Weights, before: Left) -> Left {
    let count = top_k.limit(before.count);
    if count == before.count {
        return before;
    }
    Left { count, mass: mass(order.first(count), weights) }
}

/// Leaves the entries up to and including the one at which the running total of their
/// probabilities, renormalised over what top-k left, reaches p.
pub(crate) fn top_p<L: Logit>(top_p: TopP, order: &mut Descending<'_, L>, weights: &Weights, before: Left) -> Left {
    /// How many entries are put in order to begin with: most nuclei are small.
    const FIRST: usize = 256;
    if top_p.is_off() {
        return before;
    }
    let mut total = before.mass;
    if before.count <= FIRST {
        // Added in the order of the ranking, as the reference does, where that costs nothing: then
        // worked examples whose running total is p, but for the last place, come out as there.
        total = mass(order.first(before.count), weights);
    }
    let (mut running, mut last) = (0.0, 0.0);
    let (mut seen, mut ahead) = (0, FIRST.min(before.count));
    while seen < before.count {
        for id in &order.first(ahead)[seen..] {
            seen += 1;
            last = weights.each[id.index()] / total;
            running += last;
            if running >= top_p.get() {
                return Left { count: seen, mass: mass(order.first(seen), weights) };
            }
        }
        // No later entry has more than the last one, so this many more are needed at the least.
        let needed = ((top_p.get() - running) / last) as usize;
        ahead = seen.saturating_add(seen.max(needed.saturating_mul(4))).min(before.count);
    }
    before // rounding left the total of everything below p
}

/// The sum of the weights of `ids`, in their order.
fn mass(ids: &[TokenId], weights: &Weights) -> f64 {
    let each: Vec<f64> = ids.iter().map(|id| weights.each[id.index()]).collect();
    sum(&each)
}

/// What a filter removed, from what there was before and after it.
pub(crate) fn removal(filter: Filter, before: Left, after: Left) -> Removal {
    let count = before.count - after.count;
    let mass = match count {
        0 => 0.0, // rounding, or the order of a sum, may leave a trace of some
        _ => (1.0 - after.mass / before.mass).max(0.0),
    };
    Removal { filter, count, mass }
}
