//! Where the columns and rows of the ladder stand.

use crate::Size;

/// Room for four lines of text above the rows.
const HEAD: f64 = 78.0;
/// The least and the most distance of two rows.
const PITCH: (f64, f64) = (17.0, 26.0);
/// Below this width, in CSS pixels, columns are close.
const NARROW: f64 = 520.0;
/// How thick a ribbon with all of the probability is, as a share of the distance of two rows.
const FULL: f64 = 0.72;
/// The most tokens with ribbons of their own, the one drawn not counted.
const TOKENS: usize = 12;

/// Positions, in user units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Layout {
    size: Size,
    pitch: f64,
    /// The middles of the stages' columns; the last is where ribbons end.
    pub columns: [f64; 5],
    /// Half of the gap that a number takes in a ribbon.
    pub gap: f64,
    /// How many characters a token's label can have.
    pub label_columns: usize,
}

impl Layout {
    pub(super) fn new(size: Size) -> Self {
        let width = size.width();
        let labels = (0.17 * width).clamp(62.0, 130.0);
        let gap = (0.045 * width).clamp(23.0, 32.0);
        let (first, last) = (labels + gap, width - (0.1 * width).clamp(66.0, 74.0));
        let columns = [0.0, 0.31, 0.56, 0.79, 1.0].map(|share| first + share * (last - first));
        let label_columns = (labels / 8.0) as usize;
        Self { size, pitch: PITCH.0, columns, gap, label_columns }
    }

    /// Whether the columns are so close that text in them must be short and small.
    pub(super) fn narrow(&self) -> bool {
        self.size.width() < NARROW
    }

    /// How many tokens there is room for, beside the one drawn and the row of all others.
    pub(super) fn max_rows(&self) -> usize {
        let room = (self.size.height() - HEAD) / PITCH.0;
        (room as usize).saturating_sub(2).clamp(1, TOKENS)
    }

    /// Spreads `n_tokens` rows and the row of all others over the height.
    #[must_use]
    pub(super) fn for_rows(self, n_tokens: usize) -> Self {
        let pitch = (self.size.height() - HEAD) / (n_tokens as f64 + 1.0);
        Self { pitch: pitch.clamp(PITCH.0, PITCH.1), ..self }
    }

    /// The middle of a row.
    pub(super) fn row(&self, i: usize) -> f64 {
        HEAD + self.pitch * (i as f64 + 0.5)
    }

    /// Where rows begin, and where they end if there are `n` of them.
    pub(super) fn rows(&self, n: usize) -> (f64, f64) {
        (HEAD, HEAD + self.pitch * n as f64)
    }

    /// The right edge.
    pub(super) fn right(&self) -> f64 {
        self.size.width()
    }

    /// Half of a ribbon's thickness for a share of the probability: hair-thin at least.
    pub(super) fn half(&self, share: f64) -> f64 {
        0.5 * (share.clamp(0.0, 1.0) * FULL * self.pitch).max(0.8)
    }
}
