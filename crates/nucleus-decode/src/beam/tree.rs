use nucleus_sampler::TokenId;
use serde::{Deserialize, Serialize};

use super::{BeamStep, End, Verdict};

/// Everything that a search has considered, as a tree below the prompt.
///
/// Nodes are numbered in the order of the steps, and within one in the order of its candidates: a parent comes before its
/// children, and the likelier of two siblings first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BeamTree {
    nodes: Vec<BeamNode>,
}

/// One token after one beam.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BeamNode {
    /// The node before it; none for the prompt.
    pub parent: Option<usize>,
    /// The token.
    pub token: TokenId,
    /// Its log-probability in nats: what its edge says.
    pub log_probability: f64,
    /// The sum of the log-probabilities from the prompt to here, in nats.
    pub sum: f64,
    /// How many new tokens there are up to here: 1 or more.
    pub depth: usize,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a node.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Fate {
    /// A live beam ends here, or one that is live or finished runs through it.
    Kept,
    /// Better ones took its place, or that of the last beam that ran through it.
    Pruned {
        /// In which step, from 0.
        step: usize,
    },
    /// A sequence ends here.
    Finished {
        /// sum / length^alpha.
        score: f64,
        /// What ended it.
        end: End,
    },
}

impl BeamTree {
    /// The prompt alone.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the candidates of a step, which comes after those that are there, and marks the branches that end with it.
    pub fn push(&mut self, step: &BeamStep) {
        if step.candidates.is_empty() {
            return;
        }
        let fate = |verdict| match verdict {
            Verdict::Kept { .. } => Fate::Kept,
            Verdict::Finished { score, end } => Fate::Finished { score, end },
            Verdict::Pruned => Fate::Pruned { step: step.index },
        };
        self.nodes.extend(step.candidates.iter().map(|candidate| BeamNode {
            parent: candidate.parent,
            token: candidate.token,
            log_probability: candidate.log_probability,
            sum: candidate.sum,
            depth: step.index + 1,
            fate: fate(candidate.verdict),
        }));
        self.prune(step.index);
    }

    /// A kept node lives by its own depth, being among the newest, or by a child that is not pruned.
    fn prune(&mut self, step: usize) {
        let mut has_living_child = vec![false; self.nodes.len()];
        for index in (0..self.nodes.len()).rev() {
            let node = &mut self.nodes[index];
            if node.fate == Fate::Kept && node.depth <= step && !has_living_child[index] {
                node.fate = Fate::Pruned { step };
            }
            if let (Some(parent), false) = (node.parent, matches!(node.fate, Fate::Pruned { .. })) {
                has_living_child[parent] = true;
            }
        }
    }

    /// All nodes.
    #[must_use]
    pub fn nodes(&self) -> &[BeamNode] {
        &self.nodes
    }

    /// The nodes from the prompt to `node`, `node` included. Empty for one that is not there.
    #[must_use]
    pub fn path_to(&self, node: usize) -> Vec<usize> {
        let exists = (node < self.nodes.len()).then_some(node);
        let mut path: Vec<usize> = core::iter::successors(exists, |&index| self.nodes[index].parent).collect();
        path.reverse();
        path
    }

    /// The nodes of `tokens` from the prompt on, as far as the tree has them.
    #[must_use]
    pub fn path_of(&self, tokens: &[TokenId]) -> Vec<usize> {
        let mut path = Vec::new();
        for &token in tokens {
            let parent = path.last().copied();
            let next = self.nodes.iter().position(|node| node.parent == parent && node.token == token);
            match next {
                Some(index) => path.push(index),
                None => break,
            }
        }
        path
    }

    /// The node `node`, if it is there.
    #[must_use]
    pub fn get(&self, node: usize) -> Option<&BeamNode> {
        self.nodes.get(node)
    }
}
