//! Searches that are over, with all that their figure needs. A test that uses them has `beams` and `common` beside them.

use nucleus_charts::{BeamRun, Element, Node, Size, beam_tree};
use nucleus_decode::{BeamOutcome, BeamPlan};

use crate::beams::{Noise, plan, search};
use crate::common::Words;

/// A search with everything that its figure needs.
pub struct Found {
    pub plan: BeamPlan,
    pub outcome: BeamOutcome,
}

impl Found {
    pub fn new(width: usize, alpha: f64, max_new_tokens: usize, n_vocab: usize) -> Self {
        let plan = plan(width, alpha, max_new_tokens, n_vocab);
        Self { outcome: search(&mut Noise::new(n_vocab, 6.0), &plan, usize::MAX), plan }
    }

    pub fn run(&self) -> BeamRun<'_> {
        BeamRun {
            tree: &self.outcome.tree,
            width: self.plan.width.get(),
            length_penalty: self.plan.length_penalty.get(),
            results: &self.outcome.results,
            greedy: &self.outcome.greedy,
            stop: Some(self.outcome.stop),
        }
    }

    pub fn draw(&self, size: Size) -> Node {
        beam_tree(&self.run(), &Words, size)
    }
}

/// Searches of every kind: of the lesson's size, one beam, many beams, hardly any tokens.
pub fn all() -> Vec<Found> {
    [(5, 1.0, 12, 300), (1, 0.0, 4, 8), (16, 2.0, 9, 40), (4, 0.5, 6, 3), (3, 0.0, 1, 8), (2, 1.0, 90, 9)]
        .map(|(width, alpha, n, n_vocab)| Found::new(width, alpha, n, n_vocab))
        .into()
}

/// Whether an element has a class.
pub fn is(element: &Element, class: &str) -> bool {
    element.attribute("class").unwrap_or_default().split(' ').any(|one| one == class)
}
