//! The two filters, each a function from what was left before to what is left after.

use crate::{Filter, Logit, Removal, TopK, TopP, prefix::Prefix};

/// What a filter leaves: so many of the likeliest tokens.
#[derive(Clone, Copy)]
pub(crate) struct Left {
    pub(crate) count: usize,
    /// The sum of their weights.
    pub(crate) mass: f64,
}

/// Leaves the k largest; of equals at the edge those with lower ids.
pub(crate) fn top_k<L: Logit>(top_k: TopK, prefix: &mut Prefix<'_, L>, before: Left) -> Left {
    let count = top_k.limit(before.count);
    if count == before.count {
        return before;
    }
    Left { count, mass: prefix.mass(count) }
}

/// How many entries top-p puts in order to begin with: most nuclei are small.
pub(crate) const FIRST_LOOK: usize = 256;

/// Leaves the entries up to and including the one at which the running total of their
/// probabilities, renormalised over what top-k left, reaches p.
pub(crate) fn top_p<L: Logit>(top_p: TopP, prefix: &mut Prefix<'_, L>, before: Left) -> Left {
    if top_p.is_off() {
        return before;
    }
    let (mut running, mut last) = (0.0, 0.0);
    let (mut seen, mut ahead) = (0, FIRST_LOOK.min(before.count));
    while seen < before.count {
        for weight in &prefix.weights(ahead)[seen..] {
            seen += 1;
            last = weight / before.mass;
            running += last;
            if running >= top_p.get() {
                return Left { count: seen, mass: prefix.mass(seen) };
            }
        }
        // No later entry has more than the last one, so this many more are needed at the least.
        let needed = ((top_p.get() - running) / last) as usize;
        ahead = seen.saturating_add(seen.max(needed.saturating_mul(4))).min(before.count);
    }
    before // rounding left the total of everything below p
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
