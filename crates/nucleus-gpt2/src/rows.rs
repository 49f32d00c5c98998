//! Several texts side by side.

use nucleus_decode::Rows;
use nucleus_decode::sampler::TokenId;

use crate::error::ModelError;
use crate::model::Gpt2;
use crate::row::{Row, Source};
use crate::wgsl::LOGIT_ROWS;

/// A step of up to 16 rows is one pass, which reads the weights once; of more rows, one pass for each 16.
impl Rows for Gpt2 {
    /// # Errors
    /// [`ModelError::RowCount`] where there are none or too many: nothing has changed then. [`ModelError::Memory`] where
    /// memory runs out: then one row is open, and empty.
    fn open_rows(&mut self, rows: usize) -> Result<(), ModelError> {
        self.open(rows)
    }

    /// # Errors
    /// [`ModelError`] as for a prefill, and [`ModelError::UnknownRow`].
    async fn prefill_row(&mut self, row: usize, ids: &[TokenId]) -> Result<Vec<f32>, ModelError> {
        self.row(row)?;
        self.check(ids, 0)?;
        self.truncate(row, 0);
        self.extend(row, ids).await
    }

    /// # Errors
    /// [`ModelError`] that names the first row or token that cannot be.
    async fn step_rows(&mut self, fed: &[(usize, TokenId)]) -> Result<Vec<Vec<f32>>, ModelError> {
        let rows = self.next_rows(fed)?;
        let mut all = Vec::with_capacity(rows.len());
        for rows in rows.chunks(LOGIT_ROWS) {
            let logits = self.pass(rows, 0).await?;
            all.extend(logits.chunks_exact(self.config().n_vocab).map(<[f32]>::to_vec));
        }
        Ok(all)
    }

    /// A row whose source is not open, or not named, becomes empty.
    fn reorder_rows(&mut self, from: &[usize]) {
        let rows = self.rows();
        let source = |row: usize| {
            let slot = from.get(row).copied().filter(|&slot| slot < rows);
            slot.map_or(Source { slot: row, len: 0 }, |slot| Source { slot, len: self.row_len(slot) })
        };
        let sources: Vec<Source> = (0..rows).map(source).collect();
        self.reorder(&sources);
    }

    /// 0 also for a row that is not open.
    fn row_len(&self, row: usize) -> usize {
        self.row(row).unwrap_or(0)
    }
}

impl Gpt2 {
    /// The rows of a pass that adds a token to each row named.
    fn next_rows(&self, fed: &[(usize, TokenId)]) -> Result<Vec<Row>, ModelError> {
        let mut named = vec![false; self.rows()];
        let mut next = |&(slot, id): &(usize, TokenId)| {
            let position = self.row(slot)?;
            if position == 0 {
                return Err(ModelError::EmptyRow { row: slot });
            }
            if std::mem::replace(&mut named[slot], true) {
                return Err(ModelError::RowTwice { row: slot });
            }
            self.check(&[id], position)?;
            Ok(Row { id, position, slot })
        };
        fed.iter().map(&mut next).collect()
    }
}
