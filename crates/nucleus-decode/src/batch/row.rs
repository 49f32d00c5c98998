//! One row while it grows.

use nucleus_sampler::{Settings, StepContext, TokenId, Uniforms};

use super::RowToken;
use crate::generate::choose;
use crate::{DecodeError, Outcome, StopReason};

/// What all rows have in common.
pub(crate) struct Rules {
    pub(crate) settings: Settings,
    pub(crate) seed: u64,
    pub(crate) end_of_text: Option<TokenId>,
    pub(crate) n_tokenizer: usize,
    pub(crate) n_vocab: usize,
    pub(crate) n_ctx: usize,
}

/// A prompt's new tokens, and what decides the next one.
pub(crate) struct Row {
    uniforms: Uniforms,
    /// Prompt and new tokens.
    ids: Vec<TokenId>,
    n_prompt: usize,
    max_new_tokens: usize,
    log_probabilities: Vec<f64>,
    sum: f64,
    reason: Option<StopReason>,
}

impl Row {
    /// Before the first token: done already if there is no room for one.
    pub(crate) fn new(rules: &Rules, stream: usize, prompt: &[TokenId], max_new_tokens: usize) -> Self {
        let mut row = Self {
            uniforms: Uniforms::spawned(rules.seed, stream as u32),
            ids: prompt.to_vec(),
            n_prompt: prompt.len(),
            max_new_tokens,
            log_probabilities: Vec::new(),
            sum: 0.0,
            reason: None,
        };
        row.reason = row.limit(rules);
        row
    }

    /// Why there can be no further token. The model must see all of prompt and tokens to give one.
    fn limit(&self, rules: &Rules) -> Option<StopReason> {
        if self.tokens().len() >= self.max_new_tokens {
            Some(StopReason::TokenLimit)
        } else if self.ids.len() > rules.n_ctx {
            Some(StopReason::Context)
        } else {
            None
        }
    }

    /// Draws the next token; `logits` are those after all there is.
    pub(crate) fn draw<E: std::error::Error + 'static>(
        &mut self,
        rules: &Rules,
        mut logits: Vec<f32>,
    ) -> Result<RowToken, DecodeError<E>> {
        let (index, u) = (self.tokens().len(), self.uniforms.peek());
        let seen = StepContext { seen: &self.ids, allowed: None };
        let trace = choose(index, &mut logits, [rules.n_vocab, rules.n_tokenizer], &seen, &rules.settings, u)?;
        self.uniforms.advance(trace.consumed().into());
        self.ids.push(trace.token);
        self.log_probabilities.push(trace.log_probability);
        self.sum += trace.log_probability;
        let has_ended = rules.end_of_text == Some(trace.token);
        self.reason = if has_ended { Some(StopReason::EndOfText) } else { self.limit(rules) };
        Ok(RowToken { token: trace.token, log_probability: trace.log_probability, sum: self.sum, done: self.reason })
    }

    /// The caller wants no more of it; a row that is done stays as it is.
    pub(crate) fn stop(&mut self) {
        self.reason.get_or_insert(StopReason::User);
    }

    fn tokens(&self) -> &[TokenId] {
        &self.ids[self.n_prompt..]
    }

    pub(crate) fn is_live(&self) -> bool {
        self.reason.is_none()
    }

    pub(crate) fn reason(&self) -> Option<StopReason> {
        self.reason
    }

    pub(crate) fn sum(&self) -> f64 {
        self.sum
    }

    /// The token that the model has not read yet, if the row goes on.
    pub(crate) fn to_feed(&self) -> Option<TokenId> {
        if self.is_live() { self.tokens().last().copied() } else { None }
    }

    pub(crate) fn into_outcome(self) -> Outcome {
        let reason = self.reason.unwrap_or(StopReason::User);
        Outcome { reason, tokens: self.tokens().to_vec(), log_probabilities: self.log_probabilities }
    }
}
