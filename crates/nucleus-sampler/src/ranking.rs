//! The order of the vocabulary: descending logits, ties by lower id.

use alloc::{borrow::Cow, vec, vec::Vec};

use crate::{Logit, TokenId, logprob::raw_total, sort::sorted_keys};

/// All ids by descending logit, ties by lower id: masked columns last.
///
/// No setting changes it, so it is made once for a step and serves every settings change after.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    ids: Vec<TokenId>,
    ranks: Vec<u32>,
    /// The sum of exp(logit - largest logit).
    pub(crate) raw_total: f64,
}

impl Ranking {
    /// Ranks the logits of a step.
    #[must_use]
    pub fn new(logits: &[f32]) -> Self {
        Self::of(logits)
    }

    pub(crate) fn of<L: Logit>(logits: &[L]) -> Self {
        let mut order = Descending::unsorted(logits);
        order.first(logits.len());
        let ids = order.ids.into_owned();
        let mut ranks = vec![0; ids.len()];
        for (rank, id) in (0..).zip(&ids) {
            ranks[id.index()] = rank;
        }
        let max = ids.first().map_or(0.0, |id| logits[id.index()].into());
        let raw_total = raw_total(logits, max);
        Self { ids, ranks, raw_total }
    }

    /// The ids, the likeliest first.
    #[must_use]
    pub fn ids(&self) -> &[TokenId] {
        &self.ids
    }

    /// The rank of an id: 0 is the likeliest. An id beyond the vocabulary has the rank after all.
    #[must_use]
    pub fn rank_of(&self, id: TokenId) -> usize {
        self.ranks.get(id.index()).map_or(self.ids.len(), |&rank| rank as usize)
    }
}

/// The same order, found no further than it is asked for.
pub(crate) struct Descending<'a, L: Logit> {
    logits: &'a [L],
    ids: Cow<'a, [TokenId]>,
}

impl<'a, L: Logit> Descending<'a, L> {
    /// Nothing in order yet.
    pub(crate) fn unsorted(logits: &'a [L]) -> Self {
        Self { logits, ids: Cow::Owned(Vec::new()) }
    }

    /// Everything in order.
    pub(crate) fn ranked(logits: &'a [L], ranking: &'a Ranking) -> Self {
        Self { logits, ids: Cow::Borrowed(ranking.ids()) }
    }

    /// The first `count` ids, put in order if they are not yet; there are as many.
    pub(crate) fn first(&mut self, count: usize) -> &[TokenId] {
        if count > self.ids.len() {
            self.extend_to(count);
        }
        &self.ids[..count]
    }

    /// The first `count` ids, which are in order.
    pub(crate) fn into_first(self, count: usize) -> Cow<'a, [TokenId]> {
        match self.ids {
            Cow::Borrowed(ids) => Cow::Borrowed(&ids[..count]),
            Cow::Owned(mut ids) => {
                ids.truncate(count);
                Cow::Owned(ids)
            }
        }
    }

    /// Up to half of the ids are selected and then sorted; for more, all are sorted.
    fn extend_to(&mut self, count: usize) {
        let id = |key| TokenId(L::id(key));
        if count > self.logits.len() / 2 {
            let keys = sorted_keys(self.logits);
            self.ids = keys.into_iter().map(id).collect();
        } else {
            let last = self.ids.last().map(|id| self.logits[id.index()].key(id.0));
            let keys = smallest_keys(self.logits, last, count - self.ids.len());
            self.ids.to_mut().extend(keys.into_iter().map(id));
        }
    }
}

/// The `count` smallest keys above `last`, in order, by selection in linear time.
fn smallest_keys<L: Logit>(logits: &[L], last: Option<L::Key>, count: usize) -> Vec<L::Key> {
    const FEW: usize = 64;
    let mut found = if count < logits.len() / FEW {
        candidates(logits, last, count)
    } else {
        let mut keys: Vec<_> = (0..).zip(logits).map(|(id, logit)| logit.key(id)).collect();
        keys.retain(|&key| Some(key) > last);
        keys
    };
    keep_smallest(&mut found, count);
    found.sort_unstable();
    found
}

/// Some of the keys above `last`, among them the `count` smallest.
///
/// They are gathered until there is no more room; then the better part stays, and its worst is the
/// bar for all to come. In a random order few clear it, and a chunk in which none does is passed
/// over with one comparison per lane; in the worst order, that of ascending logits, there is a
/// selection of `count` from twice as many for each `count` logits: linear time too.
fn candidates<L: Logit>(logits: &[L], last: Option<L::Key>, count: usize) -> Vec<L::Key> {
    const CHUNK: usize = 16;
    const SLACK: usize = 64;
    let room = 2 * count + SLACK;
    let mut found = Vec::with_capacity(room);
    let mut bar = L::NEG_INFINITY;
    for (start, chunk) in (0..).step_by(CHUNK).zip(logits.chunks(CHUNK)) {
        if chunk.iter().fold(true, |below, &logit| below & (logit < bar)) {
            continue;
        }
        for (id, &logit) in (start..).zip(chunk) {
            let key = logit.key(id);
            if logit < bar || Some(key) <= last {
                continue;
            }
            if found.len() == room {
                keep_smallest(&mut found, count);
                bar = L::logit(found[count - 1]);
            }
            found.push(key);
        }
    }
    found
}

/// Keeps the `count` smallest keys, the largest of them last.
fn keep_smallest<K: Ord>(keys: &mut Vec<K>, count: usize) {
    if count < keys.len() {
        keys.select_nth_unstable(count - 1);
        keys.truncate(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Uniforms;

    /// Orders that a selection meets at its best and at its worst, ties among them.
    fn orders() -> [Vec<f32>; 6] {
        const N: u16 = 3000;
        let mut uniforms = Uniforms::new(3);
        [
            (0..N).map(f32::from).collect(),
            (0..N).rev().map(f32::from).collect(),
            (0..N).map(|i| f32::from(i % 7)).collect(),
            vec![-1.0; usize::from(N)],
            (0..N).map(|i| [f32::from(i), -1e30, f32::NEG_INFINITY][usize::from(i % 3)]).collect(),
            (0..N).map(|_| (uniforms.draw().get() * 900.0) as f32 - 450.0).collect(),
        ]
    }

    /// By the definition: a stable sort.
    fn sorted(logits: &[f32]) -> Vec<TokenId> {
        let mut ids: Vec<TokenId> = (0..).map(TokenId).take(logits.len()).collect();
        ids.sort_by(|a, b| logits[b.index()].total_cmp(&logits[a.index()]));
        ids
    }

    #[test]
    fn a_ranking_is_a_stable_sort_and_its_inverse() {
        for logits in orders() {
            let ranking = Ranking::new(&logits);
            assert_eq!(ranking.ids(), sorted(&logits));
            for (rank, &id) in ranking.ids().iter().enumerate() {
                assert_eq!(ranking.rank_of(id), rank);
            }
            assert_eq!(ranking.rank_of(TokenId(3000)), 3000);
        }
    }

    #[test]
    fn a_prefix_is_the_same_however_it_is_reached() {
        for logits in orders() {
            let whole = sorted(&logits);
            for steps in [&[1, 2, 40, 46, 47, 3000][..], &[46], &[900, 901, 2999], &[3000]] {
                let mut order = Descending::unsorted(&logits);
                for &count in steps {
                    assert_eq!(order.first(count), &whole[..count]);
                }
            }
        }
    }

    #[test]
    fn both_zeros_are_equal_and_masked_columns_come_last() {
        let logits = [f32::NEG_INFINITY, -0.0, 0.0, -1e-45, f32::MIN, 1e-45, -0.0];
        let order = [5, 1, 2, 6, 3, 4, 0].map(TokenId);
        assert_eq!(Ranking::new(&logits).ids(), order);
        assert_eq!(Ranking::of(&logits.map(f64::from)).ids(), order);
    }

    #[test]
    fn anything_can_be_ranked() {
        assert!(Ranking::new(&[]).ids().is_empty());
        assert_eq!(Ranking::new(&[f32::NAN, -f32::NAN, f32::INFINITY]).ids().len(), 3);
    }
}
