//! The order of the vocabulary: descending logits, ties by lower id.

use alloc::{borrow::Cow, vec, vec::Vec};

use crate::{Logit, TokenId, logprob::log_sum_exp};

/// All ids by descending logit, ties by lower id: masked columns last.
///
/// No setting changes it, so it is made once for a step and serves every settings change after.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    ids: Vec<TokenId>,
    ranks: Vec<u32>,
    /// ln of the sum of exp(logit - largest logit), in nats.
    pub(crate) log_sum: f64,
}

impl Ranking {
    /// Ranks the logits of a step.
    #[must_use]
    pub fn new<L: Logit>(logits: &[L]) -> Self {
        let mut order = Descending::unsorted(logits);
        order.extend_to(logits.len());
        let ids = order.ids.into_owned();
        let mut ranks = vec![0; ids.len()];
        for (rank, id) in (0..).zip(&ids) {
            ranks[id.index()] = rank;
        }
        let max = ids.first().map_or(0.0, |id| logits[id.index()].into());
        let log_sum = log_sum_exp(logits, max, &mut Vec::new());
        Self {
            ids,
            ranks,
            log_sum,
        }
    }

    /// The ids, the likeliest first.
    #[must_use]
    pub fn ids(&self) -> &[TokenId] {
        &self.ids
    }

    /// The rank of an id: 0 is the likeliest. An id beyond the vocabulary has the rank after all.
    #[must_use]
    pub fn rank_of(&self, id: TokenId) -> usize {
        self.ranks
            .get(id.index())
            .map_or(self.ids.len(), |&rank| rank as usize)
    }
}

/// The same order, sorted no further than it is asked for.
pub(crate) struct Descending<'a, L: Logit> {
    ids: Cow<'a, [TokenId]>,
    /// The keys of all ids that are not in `ids`, in no order.
    rest: Vec<L::Key>,
}

impl<'a, L: Logit> Descending<'a, L> {
    /// Nothing sorted yet.
    pub(crate) fn unsorted(logits: &[L]) -> Self {
        let rest = (0..).zip(logits).map(|(id, logit)| logit.key(id)).collect();
        Self {
            ids: Cow::Owned(Vec::new()),
            rest,
        }
    }

    /// Everything sorted.
    pub(crate) fn ranked(ranking: &'a Ranking) -> Self {
        Self {
            ids: Cow::Borrowed(ranking.ids()),
            rest: Vec::new(),
        }
    }

    /// The ids that are in order so far.
    pub(crate) fn ids(&self) -> &[TokenId] {
        &self.ids
    }

    /// Puts the first `wanted` ids in order.
    pub(crate) fn extend_to(&mut self, wanted: usize) {
        let more = wanted.saturating_sub(self.ids.len()).min(self.rest.len());
        if more == 0 {
            return;
        }
        let start = self.rest.len() - more;
        if start > 0 {
            self.rest.select_nth_unstable_by(start, |a, b| b.cmp(a));
        }
        let mut found = self.rest.split_off(start);
        found.sort_unstable();
        self.ids
            .to_mut()
            .extend(found.into_iter().map(|key| TokenId(L::id(key))));
    }
}
