use nucleus_sampler::TokenId;
use serde::{Deserialize, Serialize};

/// One step of a search: what was considered for the next token of all beams together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BeamStep {
    /// Which of the new tokens it is about: 0 for the first.
    pub index: usize,
    /// The best continuations of all live beams, at most 2 * width, the likeliest first. Two per beam are enough to
    /// keep the width, since at most one of a beam's continuations ends the text. None once the search is decided and
    /// only greedy goes on.
    pub candidates: Vec<Candidate>,
    /// What greedy decoding takes at this step, unless it has ended.
    pub greedy: Option<Choice>,
    /// The best score that a live beam can reach by the plan's rule, and the worst of the finished ones; the latter is
    /// there once as many are finished as there are beams. The search stops when the first is not above the second.
    pub attainable: Option<f64>,
    /// The score to beat: see `attainable`.
    pub to_beat: Option<f64>,
}

/// One continuation of one beam. Its place in its step's list is its rank.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The node of the [`BeamTree`](crate::BeamTree) that it continues; none for the prompt.
    pub parent: Option<usize>,
    /// The token.
    pub token: TokenId,
    /// Its log-probability after the beam, in nats: log-softmax of the raw logits.
    pub log_probability: f64,
    /// The sum of log-probabilities of all new tokens up to this one, in nats.
    pub sum: f64,
    /// What became of it.
    pub verdict: Verdict,
}

/// What a step does with a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Verdict {
    /// It is a live beam, in this row of the cache.
    Kept {
        /// The row: 0 for the best beam.
        row: usize,
    },
    /// The sequence ends here, among the first `width` candidates.
    Finished {
        /// sum / length^alpha.
        score: f64,
        /// What ended it.
        end: End,
    },
    /// There are better ones. A candidate that ends the text has to be among the first `width` to count.
    Pruned,
}

/// What ended a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum End {
    /// The token that ends a text.
    EndOfText,
    /// All the new tokens that were asked for are there.
    TokenLimit,
    /// The model can see no more tokens.
    Context,
    /// Nothing: it was alive when the caller stopped the search.
    Unfinished,
}

/// A token and what the model thinks of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The token.
    pub token: TokenId,
    /// Its log-probability in nats: log-softmax of the raw logits.
    pub log_probability: f64,
}
