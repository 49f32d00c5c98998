//! The working of one step: everything that a chart of it needs.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{Draw, Interval, Lowered, Lowering, Settings, TokenId};

/// One step of sampling, with all of its working.
#[derive(Clone, Debug, PartialEq)]
pub struct StepTrace {
    /// The settings it was made with.
    pub settings: Settings,
    /// How many logits there were: masked columns too.
    pub n_vocab: usize,
    /// The tokens that were kept, the likeliest first, ties by lower id: a token's place here is
    /// its rank in the whole vocabulary, after the penalty if there is one. Never empty.
    pub kept: Vec<Kept>,
    /// What was removed before: by the mask, by the constraint, by top-k (at temperature 0 by the argmax, which
    /// stands in its place) and by top-p. The counts and `kept.len()` add up to `n_vocab`.
    pub removals: [Removal; 4],
    /// What the repetition penalty lowered, between the constraint and temperature; `None` where it is off, and in a
    /// step without a context. It removes nothing.
    pub lowering: Option<Lowering>,
    /// Of the final distribution, in nats: 0 or more.
    pub entropy: f64,
    /// How the token was chosen.
    pub draw: Draw,
    /// The token that was chosen: one of `kept`.
    pub token: TokenId,
    /// Of `token`, in nats, under log-softmax of the raw logits, whatever the settings: 0 or less.
    pub log_probability: f64,
}

/// A token that may be drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kept {
    /// Which token.
    pub id: TokenId,
    /// Its raw logit, as the model gave it (a logit of [`double`](crate::double) is rounded, here and only here).
    pub logit: f32,
    /// Its logit, after the penalty if it was [`lowered`](StepTrace::lowered), divided by the temperature: finite. At
    /// temperature 0 it is not divided.
    pub scaled: f64,
    /// Its probability in the final distribution: 0 to 1. It can be 0, by underflow.
    pub probability: f64,
    /// Its share of [0, 1), counted in vocabulary order.
    pub interval: Interval,
}

/// What removes tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Filter {
    /// The logit was minus infinity when the step began.
    Mask,
    /// Not among the tokens that a constraint allows.
    Constraint,
    /// Temperature 0: all but the argmax go. It stands in the place of top-k.
    Argmax,
    /// Not among the k likeliest.
    TopK,
    /// Beyond the entry at which the running total reaches p.
    TopP,
}

/// What one filter removed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Removal {
    /// Which filter.
    pub filter: Filter,
    /// How many tokens.
    pub count: usize,
    /// Their share of the probability, after temperature, of what reached this filter: 0 to 1. The constraint comes
    /// before temperature and penalty: its share is of the model's own distribution.
    pub mass: f64,
}

impl StepTrace {
    /// How many tokens could be drawn: 1 or more.
    #[must_use]
    pub fn nucleus_size(&self) -> usize {
        self.kept.len()
    }

    /// How many uniform numbers the step used: 0 at temperature 0, else 1.
    #[must_use]
    pub fn consumed(&self) -> u32 {
        match self.draw {
            Draw::Argmax => 0,
            Draw::Uniform { .. } => 1,
        }
    }

    /// What removed the token of a rank (0 is the likeliest of the whole vocabulary after constraint and penalty; tokens that
    /// the constraint forbids come behind all others, and masked columns last). `None` if it was kept, or if there is no
    /// such rank.
    ///
    /// [`Ranking::in_context`](crate::Ranking::in_context) has forbidden tokens and masked columns by id, so that this is exact
    /// where the masked columns are the last ones, as those of [`mask_padding`](crate::mask_padding) are.
    #[must_use]
    pub fn removed_by(&self, rank: usize) -> Option<Filter> {
        if rank >= self.n_vocab || rank < self.kept.len() {
            return None;
        }
        let mut edge = self.n_vocab;
        for removal in &self.removals {
            edge -= removal.count;
            if rank >= edge {
                return Some(removal.filter);
            }
        }
        None
    }

    /// The token with this id, if the repetition penalty lowered its logit.
    #[must_use]
    pub fn lowered(&self, id: TokenId) -> Option<&Lowered> {
        self.lowering.as_ref()?.get(id)
    }

    /// A kept token and its rank, by id: a search through `kept`, so for one token. For every
    /// token use [`Ranking::rank_of`](crate::Ranking::rank_of), which indexes `kept`.
    #[must_use]
    pub fn kept_by_id(&self, id: TokenId) -> Option<(usize, &Kept)> {
        self.kept.iter().enumerate().find(|(_, kept)| kept.id == id)
    }
}
