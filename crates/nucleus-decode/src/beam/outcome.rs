use core::fmt;

use nucleus_sampler::TokenId;
use serde::{Deserialize, Serialize};

use super::{BeamTree, End};

/// A sequence with its score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hypothesis {
    /// The new tokens, one that ended the text among them.
    pub tokens: Vec<TokenId>,
    /// The log-probability of each of them, in nats: `[tokens.len()]`.
    pub log_probabilities: Vec<f64>,
    /// The sum of those, in nats.
    pub sum: f64,
    /// sum / length^alpha, where the length is that of `tokens`.
    pub score: f64,
    /// What ended it.
    pub end: End,
}

/// Why a search stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BeamStop {
    /// As many sequences are finished as there are beams, and by the plan's rule no live beam can beat them.
    Decided,
    /// Every beam has ended, or the last step has been made.
    Ended,
    /// The caller asked for it.
    User,
}

impl fmt::Display for BeamStop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Decided => "no live beam can beat the finished ones",
            Self::Ended => "all beams have ended",
            Self::User => "stopped on request",
        })
    }
}

/// What a search that ended well leaves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BeamOutcome {
    /// Why it stopped.
    pub stop: BeamStop,
    /// The best sequences, all different, the best score first; of equal scores the one that was finished earlier. Where
    /// the caller stopped the search, the live beams are among them, each with the score it would have if it ended there.
    pub results: Vec<Hypothesis>,
    /// What greedy decoding makes of the same prompt, scored in the same way.
    pub greedy: Hypothesis,
    /// Everything that was considered.
    pub tree: BeamTree,
}
