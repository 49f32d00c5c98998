//! Prompts of different length as one rectangle: what a batch looks like to a tensor.

use nucleus_sampler::TokenId;
use serde::{Deserialize, Serialize};

use super::{BatchStep, RowStep};
use crate::StopReason;

/// Ids, attention mask and positions of a batch: `[n_rows, n_columns]` each.
///
/// Prompts are padded on the left, so that all of them end in the same column and every new token of every row stands in
/// the same column too. Each step adds one column: the token with mask 1, or, in a row that is done, the pad id with
/// mask 0.
///
/// Padding does not change what a row says, for two reasons. A masked column has the attention weight exp(-inf) = 0, so it
/// adds exactly nothing; and positions come from the mask ([`positions`]), so that the first token of each prompt is at
/// position 0 wherever it stands. A model that is fed only the unmasked ids, as [`Rows`](crate::Rows) is, computes the
/// same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PaddedGrid {
    pad: TokenId,
    n_prompt_columns: usize,
    rows: Vec<GridRow>,
}

/// One row of the grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GridRow {
    n_prompt_columns: usize,
    ids: Vec<TokenId>,
    mask: Vec<bool>,
    sum: f64,
    done: Option<StopReason>,
}

/// One place of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The id that stands there, the pad id included.
    pub id: TokenId,
    /// What it is to its row.
    pub kind: CellKind,
    /// Which position's embedding is added to it: 0 or more, `None` where the mask is 0.
    pub position: Option<usize>,
}

/// What a cell is to its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellKind {
    /// A pad id before the prompt: mask 0.
    Padding,
    /// A token of the prompt: mask 1.
    Prompt,
    /// A token that was drawn: mask 1.
    New,
    /// A pad id after the row's end: mask 0.
    Frozen,
}

impl CellKind {
    /// The attention mask: 1 where the model looks, 0 where it does not.
    #[must_use]
    pub fn mask(self) -> u8 {
        match self {
            Self::Padding | Self::Frozen => 0,
            Self::Prompt | Self::New => 1,
        }
    }
}

/// Positions from an attention mask: its cumulative sum minus 1.
///
/// As in the `prepare_inputs_for_generation` of HF's GPT-2, but where the mask is 0 there is no position here, while it
/// fills in a number that is a legal index. Which number cannot matter: nothing that is computed at a masked place is ever
/// read.
#[must_use]
pub fn positions(mask: &[bool]) -> Vec<Option<usize>> {
    let mut n_seen = 0;
    let position = |&unmasked: &bool| {
        n_seen += usize::from(unmasked);
        if unmasked { Some(n_seen - 1) } else { None }
    };
    mask.iter().map(position).collect()
}

impl PaddedGrid {
    /// The prompts alone, as wide as the longest of them.
    #[must_use]
    pub fn new(prompts: &[Vec<TokenId>], pad: TokenId) -> Self {
        let n_prompt_columns = prompts.iter().map(Vec::len).max().unwrap_or_default();
        let row = |prompt: &Vec<TokenId>| {
            let n_padding = n_prompt_columns - prompt.len();
            GridRow {
                n_prompt_columns,
                ids: [&vec![pad; n_padding], prompt.as_slice()].concat(),
                mask: [vec![false; n_padding], vec![true; prompt.len()]].concat(),
                sum: 0.0,
                done: None,
            }
        };
        Self { pad, n_prompt_columns, rows: prompts.iter().map(row).collect() }
    }

    /// Adds the column of a step, which has as many rows as the grid.
    pub fn push(&mut self, step: &BatchStep) {
        debug_assert_eq!(step.rows.len(), self.rows.len(), "the step is of another batch");
        for (row, step) in self.rows.iter_mut().zip(&step.rows) {
            row.ids.push(step.token());
            row.mask.push(matches!(step, RowStep::Drawn(_)));
            row.sum = step.sum();
            row.done = step.done();
        }
    }

    /// Notes why each row ended: also where no step could say it, as when the user stopped the run.
    pub fn finish(&mut self, reasons: &[StopReason]) {
        for (row, &reason) in self.rows.iter_mut().zip(reasons) {
            row.done = Some(reason);
        }
    }

    /// The rows, in the order of the prompts.
    #[must_use]
    pub fn rows(&self) -> &[GridRow] {
        &self.rows
    }

    /// The id that stands where the mask is 0.
    #[must_use]
    pub fn pad(&self) -> TokenId {
        self.pad
    }

    /// How many columns the prompts take: the length of the longest.
    #[must_use]
    pub fn n_prompt_columns(&self) -> usize {
        self.n_prompt_columns
    }

    /// How many columns there are: those of the prompts and one for each step.
    #[must_use]
    pub fn n_columns(&self) -> usize {
        self.rows.first().map_or(0, |row| row.ids.len())
    }
}

impl GridRow {
    /// Every cell of the row, from the left: `[n_columns]`.
    #[must_use]
    pub fn cells(&self) -> Vec<Cell> {
        let cell = |(column, position): (usize, Option<usize>)| {
            let kind = match (position.is_some(), column < self.n_prompt_columns) {
                (false, true) => CellKind::Padding,
                (true, true) => CellKind::Prompt,
                (true, false) => CellKind::New,
                (false, false) => CellKind::Frozen,
            };
            Cell { id: self.ids[column], kind, position }
        };
        positions(&self.mask).into_iter().enumerate().map(cell).collect()
    }

    /// The ids, the pad id included: `[n_columns]`.
    #[must_use]
    pub fn ids(&self) -> &[TokenId] {
        &self.ids
    }

    /// The attention mask: `[n_columns]`.
    #[must_use]
    pub fn mask(&self) -> &[bool] {
        &self.mask
    }

    /// The sum of the log-probabilities of the row's new tokens, in nats.
    #[must_use]
    pub fn sum(&self) -> f64 {
        self.sum
    }

    /// Why the row is done, if it is.
    #[must_use]
    pub fn done(&self) -> Option<StopReason> {
        self.done
    }
}
