use nucleus_sampler::TokenId;

use crate::{LanguageModel, PastContext};

/// Prompt and new tokens, and the part of them that the model sees.
pub(crate) struct Context<'m, M> {
    model: &'m mut M,
    ids: Vec<TokenId>,
    past_context: PastContext,
    is_prefilled: bool,
    /// The logits after the prompt, where the cache holds it already.
    known: Option<Vec<f32>>,
}

impl<'m, M: LanguageModel> Context<'m, M> {
    pub(crate) fn new(model: &'m mut M, prompt: &[TokenId], past_context: PastContext) -> Self {
        Self { model, ids: prompt.to_vec(), past_context, is_prefilled: false, known: None }
    }

    /// The same for a model whose cache begins with `prompt`, not longer than `n_ctx`; `logits` are those after it.
    pub(crate) fn rewound(model: &'m mut M, prompt: &[TokenId], past_context: PastContext, logits: Vec<f32>) -> Self {
        model.rewind(prompt.len());
        Self { model, ids: prompt.to_vec(), past_context, is_prefilled: true, known: Some(logits) }
    }

    /// Whether the model may not be asked again.
    pub(crate) fn is_full(&self) -> bool {
        self.past_context == PastContext::Stop && self.window_start() > 0
    }

    pub(crate) fn n_vocab(&self) -> usize {
        self.model.n_vocab()
    }

    pub(crate) fn n_ctx(&self) -> usize {
        self.model.n_ctx()
    }

    /// How many of the oldest ids the model does not see.
    pub(crate) fn window_start(&self) -> usize {
        self.ids.len().saturating_sub(self.model.n_ctx())
    }

    /// Prompt and new tokens, those that the model does not see any more too.
    pub(crate) fn ids(&self) -> &[TokenId] {
        &self.ids
    }

    pub(crate) fn push(&mut self, id: TokenId) {
        self.ids.push(id);
    }

    /// The logits after the last id: `[n_vocab]`.
    ///
    /// A window that has moved is encoded from its start: each id now has another position, so no part of the cache holds.
    pub(crate) async fn logits(&mut self) -> Result<Vec<f32>, M::Error> {
        if let Some(logits) = self.known.take() {
            return Ok(logits);
        }
        let window = &self.ids[self.window_start()..];
        match window {
            [.., last] if self.is_prefilled && self.window_start() == 0 => self.model.step(*last).await,
            _ => {
                self.is_prefilled = true;
                self.model.prefill(window).await
            }
        }
    }
}
