//! What the decoding loop sees of the model.

use nucleus_decode::sampler::{TokenId, log_softmax_at};
use nucleus_decode::{LanguageModel, Rows};

use crate::error::ModelError;
use crate::model::Gpt2;

/// These read and write row 0 of those that are open.
impl LanguageModel for Gpt2 {
    type Error = ModelError;

    fn n_vocab(&self) -> usize {
        self.config().n_vocab
    }

    fn n_ctx(&self) -> usize {
        self.config().n_ctx
    }

    async fn prefill(&mut self, ids: &[TokenId]) -> Result<Vec<f32>, ModelError> {
        self.prefill_row(0, ids).await
    }

    async fn step(&mut self, id: TokenId) -> Result<Vec<f32>, ModelError> {
        self.extend(0, &[id]).await
    }

    fn rewind(&mut self, len: usize) {
        self.truncate(0, len);
    }

    fn len(&self) -> usize {
        self.row(0).unwrap_or(0)
    }

    /// Log-softmax is taken on the CPU in f64: in f32 the sum over the vocabulary alone would cost four digits.
    async fn score(&mut self, ids: &[TokenId]) -> Result<Vec<f64>, ModelError> {
        let mut scores = Vec::with_capacity(ids.len());
        // The last position predicts what comes after the text.
        let score = |position: usize, logits: &[f32]| {
            scores.extend(ids.get(position + 1).map(|&next| log_softmax_at(logits, next)));
        };
        self.each_position(ids, score).await?;
        Ok(scores)
    }
}
