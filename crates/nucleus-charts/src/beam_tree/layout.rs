//! Where columns and rows of the tree stand.

use nucleus_decode::BeamNode;

use super::BeamRun;
use crate::shapes::{Anchor, estimated_width, label};
use crate::words::count;
use crate::{Element, Size};

/// Room for the prompt at the left, for the heads above, and at the right and the bottom.
const START: f64 = 24.0;
const HEAD: f64 = 30.0;
const END: f64 = 12.0;
/// The distance of two rows.
const PITCH: f64 = 36.0;
/// The least and the most distance of two columns, and what of it a slanted edge and a flat one take.
const COLUMN: (f64, f64) = (118.0, 168.0);
const SLANT: f64 = 26.0;
const FLAT: f64 = 38.0;
/// From the middle of a mark to its label.
pub(super) const LABEL: f64 = 11.0;
/// The most columns, and the most nodes: the first ones are drawn.
const MAX_COLUMNS: usize = 64;
const MAX_NODES: usize = 1200;

/// How many steps are shown, the first ones, and how many there are: those that greedy takes alone are counted too.
pub(super) fn steps(run: &BeamRun) -> (usize, usize) {
    let n_steps = run.tree.nodes().last().map_or(0, |node| node.depth).max(run.greedy.tokens.len());
    let most = (MAX_NODES / (2 * run.width.max(1))).clamp(1, MAX_COLUMNS);
    (n_steps.min(most), n_steps)
}

/// Positions, in user units, which are CSS pixels here: the tree is never stretched.
pub(super) struct Layout {
    pub size: Size,
    /// How many steps are drawn.
    pub n_columns: usize,
    /// How many characters a token's label can have.
    pub label_columns: usize,
    column: f64,
    /// The first node of each step.
    firsts: Vec<usize>,
    n_rows: usize,
}

impl Layout {
    pub(super) fn new(run: &BeamRun, size: Size) -> Self {
        let nodes = run.tree.nodes();
        let mut firsts: Vec<usize> = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            if node.depth > firsts.len() {
                firsts.push(index);
            }
        }
        let ends = firsts.iter().skip(1).copied().chain([nodes.len()]);
        let n_rows = firsts.iter().zip(ends).map(|(first, end)| end - first).max().unwrap_or_default();
        let (n_columns, _) = steps(run);
        let column = ((size.width() - START - END) / n_columns as f64).clamp(COLUMN.0, COLUMN.1);
        let lane = if Self::needs_lane(run, n_columns) { PITCH } else { 0.0 };
        let width = START + column * n_columns as f64 + END;
        let size = Size::scrolled(width, HEAD + PITCH * n_rows as f64 + lane + END);
        let label_columns = ((column - SLANT - FLAT - 12.0) / 7.0) as usize;
        Self { size, n_columns, label_columns, column, firsts, n_rows }
    }

    /// Whether greedy leaves the tree.
    fn needs_lane(run: &BeamRun, n_columns: usize) -> bool {
        run.tree.path_of(&run.greedy.tokens).len() < run.greedy.tokens.len().min(n_columns)
    }

    /// "step 1", "step 2", ...
    pub(super) fn heads(&self) -> Vec<Element> {
        let prompt = label(0.0, 13.0, Anchor::Start, "prompt").class("name");
        let head = |depth: usize| {
            label(self.mark(depth) - 4.0, 13.0, Anchor::Start, format!("step {}", count(depth))).class("name")
        };
        std::iter::once(prompt).chain((1..=self.n_columns).map(head)).collect()
    }

    /// The x of the mark of a node; depth 0 is the prompt.
    pub(super) fn mark(&self, depth: usize) -> f64 {
        if depth == 0 { 8.0 } else { self.end(depth - 1) + SLANT + FLAT }
    }

    /// Where the column of a step ends; depth 0 is the prompt.
    fn end(&self, depth: usize) -> f64 {
        START + self.column * depth as f64
    }

    /// Where edges leave a node (behind its label, or at the prompt's mark), where they turn towards the next one, and where
    /// they have reached its height.
    pub(super) fn way(&self, depth: usize, label: &str) -> [f64; 3] {
        let turn = if depth == 0 { self.mark(0) + 5.0 } else { self.end(depth) - 2.0 };
        let start = (self.mark(depth) + LABEL + estimated_width(label) + 3.0).min(turn);
        [start, turn, self.end(depth) + SLANT]
    }

    /// How a node ranks in its step, from 0.
    pub(super) fn rank(&self, index: usize, node: &BeamNode) -> usize {
        index - self.firsts[node.depth - 1]
    }

    /// The middle of a row.
    pub(super) fn row(&self, rank: usize) -> f64 {
        HEAD + PITCH * (rank as f64 + 0.5)
    }

    /// The middle of the row below all others, in which greedy goes on alone.
    pub(super) fn lane(&self) -> f64 {
        self.row(self.n_rows)
    }

    /// The height of the prompt.
    pub(super) fn prompt(&self) -> f64 {
        self.row(0)
    }
}
