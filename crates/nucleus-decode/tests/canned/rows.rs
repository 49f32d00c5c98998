//! The same model with several rows.

use std::collections::HashSet;

use nucleus_decode::Rows;
use nucleus_sampler::TokenId;

use super::{Call, Canned, DeviceLost, pause};

impl Rows for Canned {
    fn open_rows(&mut self, rows: usize) -> Result<(), DeviceLost> {
        assert!(rows > 0, "no rows");
        self.note(Call::OpenRows(rows))?;
        self.rows = vec![Vec::new(); rows];
        Ok(())
    }

    async fn prefill_row(&mut self, row: usize, ids: &[TokenId]) -> Result<Vec<f32>, DeviceLost> {
        assert!((1..=self.n_ctx).contains(&ids.len()), "a prefill of {} ids", ids.len());
        pause().await;
        self.note(Call::PrefillRow(row, ids.to_vec()))?;
        self.rows[row] = ids.to_vec();
        Ok((self.logits)(&self.rows[row]))
    }

    async fn step_rows(&mut self, fed: &[(usize, TokenId)]) -> Result<Vec<Vec<f32>>, DeviceLost> {
        let rows: HashSet<usize> = fed.iter().map(|&(row, _)| row).collect();
        assert_eq!(rows.len(), fed.len(), "a row is fed twice: {fed:?}");
        assert!(!fed.is_empty(), "a step of no rows");
        pause().await;
        self.note(Call::StepRows(fed.to_vec()))?;
        let mut logits = Vec::with_capacity(fed.len());
        for &(row, id) in fed {
            let read = self.rows[row].len();
            assert!((1..self.n_ctx).contains(&read), "a step of row {row} after {read} ids");
            self.rows[row].push(id);
            logits.push((self.logits)(&self.rows[row]));
        }
        Ok(logits)
    }

    fn reorder_rows(&mut self, from: &[usize]) {
        assert_eq!(from.len(), self.rows.len(), "as many entries as rows");
        self.calls.push(Call::ReorderRows(from.to_vec()));
        self.rows = from.iter().map(|&row| self.rows[row].clone()).collect();
    }

    fn row_len(&self, row: usize) -> usize {
        self.rows[row].len()
    }
}
