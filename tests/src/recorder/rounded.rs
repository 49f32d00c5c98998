//! A model whose logits are exact in 16 bits.

use half::f16;
use nucleus_decode::LanguageModel;
use nucleus_sampler::TokenId;

/// A model with its logits rounded to f16.
///
/// A recording keeps f16. Since the rounding comes before the draw, the tokens are drawn from exactly the numbers that are kept,
/// and drawing again from the file gives the same tokens.
pub struct Rounded<M>(pub M);

impl<M: LanguageModel> LanguageModel for Rounded<M> {
    type Error = M::Error;

    fn n_vocab(&self) -> usize {
        self.0.n_vocab()
    }

    fn n_ctx(&self) -> usize {
        self.0.n_ctx()
    }

    async fn prefill(&mut self, ids: &[TokenId]) -> Result<Vec<f32>, M::Error> {
        self.0.prefill(ids).await.map(rounded)
    }

    async fn step(&mut self, id: TokenId) -> Result<Vec<f32>, M::Error> {
        self.0.step(id).await.map(rounded)
    }

    fn rewind(&mut self, len: usize) {
        self.0.rewind(len);
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    async fn score(&mut self, ids: &[TokenId]) -> Result<Vec<f64>, M::Error> {
        self.0.score(ids).await
    }
}

fn rounded(mut logits: Vec<f32>) -> Vec<f32> {
    for logit in &mut logits {
        *logit = f16::from_f32(*logit).to_f32();
    }
    logits
}
