//! Beam searches over a model whose logits are noise.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use nucleus_decode::{
    BeamOutcome, BeamPlan, BeamStep, BeamWidth, EarlyStopping, LanguageModel, LengthPenalty, Rows, beam_search,
};
use nucleus_sampler::{TokenId, Uniforms};

/// Logits that depend on all that was read, and on nothing else.
pub struct Noise {
    n_vocab: usize,
    sharpness: f64,
    rows: Vec<Vec<TokenId>>,
}

impl Noise {
    pub fn new(n_vocab: usize, sharpness: f64) -> Self {
        Self { n_vocab, sharpness, rows: vec![Vec::new()] }
    }

    fn logits(&self, row: usize) -> Vec<f32> {
        let seed = self.rows[row].iter().fold(17, |seed: u64, id| seed.wrapping_mul(31).wrapping_add(id.0.into()));
        let mut noise = Uniforms::new(seed);
        (0..self.n_vocab).map(|_| (self.sharpness * noise.draw().get().powi(9)) as f32).collect()
    }
}

impl LanguageModel for Noise {
    type Error = Infallible;

    fn n_vocab(&self) -> usize {
        self.n_vocab
    }

    fn n_ctx(&self) -> usize {
        256
    }

    async fn prefill(&mut self, ids: &[TokenId]) -> Result<Vec<f32>, Infallible> {
        self.prefill_row(0, ids).await
    }

    async fn step(&mut self, id: TokenId) -> Result<Vec<f32>, Infallible> {
        self.rows[0].push(id);
        Ok(self.logits(0))
    }

    fn rewind(&mut self, len: usize) {
        self.rows[0].truncate(len);
    }

    fn len(&self) -> usize {
        self.rows[0].len()
    }

    async fn score(&mut self, _: &[TokenId]) -> Result<Vec<f64>, Infallible> {
        Ok(Vec::new())
    }
}

impl Rows for Noise {
    fn open_rows(&mut self, rows: usize) -> Result<(), Infallible> {
        self.rows = vec![Vec::new(); rows];
        Ok(())
    }

    async fn prefill_row(&mut self, row: usize, ids: &[TokenId]) -> Result<Vec<f32>, Infallible> {
        self.rows[row] = ids.to_vec();
        Ok(self.logits(row))
    }

    async fn step_rows(&mut self, fed: &[(usize, TokenId)]) -> Result<Vec<Vec<f32>>, Infallible> {
        for &(row, id) in fed {
            self.rows[row].push(id);
        }
        Ok(fed.iter().map(|&(row, _)| self.logits(row)).collect())
    }

    fn reorder_rows(&mut self, from: &[usize]) {
        self.rows = from.iter().map(|&row| self.rows[row].clone()).collect();
    }

    fn row_len(&self, row: usize) -> usize {
        self.rows[row].len()
    }
}

/// A search by `width` beams for three sequences, with token 3 as the end of a text.
pub fn plan(width: usize, alpha: f64, max_new_tokens: usize, n_vocab: usize) -> BeamPlan {
    BeamPlan {
        prompt: vec![TokenId(1)],
        width: BeamWidth::new(width).unwrap(),
        length_penalty: LengthPenalty::new(alpha).unwrap(),
        early_stopping: EarlyStopping::Exact,
        n_results: 3,
        max_new_tokens,
        end_of_text: Some(TokenId(3)),
        n_tokenizer: n_vocab,
    }
}

/// Searches until the step with the index `last`.
pub fn search(model: &mut Noise, plan: &BeamPlan, last: usize) -> BeamOutcome {
    let outcome =
        beam_search(
            model,
            plan,
            async |step: BeamStep| {
                if step.index < last { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            },
        );
    match pin!(outcome).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => outcome.unwrap(),
        Poll::Pending => unreachable!("noise is ready at once"),
    }
}
