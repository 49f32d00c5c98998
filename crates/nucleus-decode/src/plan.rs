use nucleus_sampler::{Settings, TokenId, Uniforms, Unit};
use serde::{Deserialize, Serialize};

use crate::{DecodeError, Script};

/// All that decides a run: the same plan on the same model gives the same tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// What the model reads first: 1 id or more, each below `n_tokenizer` and below the model's `n_vocab`.
    pub prompt: Vec<TokenId>,
    /// Temperature, top-k, top-p, and the repetition penalty, for which all ids of prompt and text have been seen.
    pub settings: Settings,
    /// The seed of the uniform numbers. Not used at temperature 0.
    pub seed: u64,
    /// Which stream of the seed the numbers come from: the seed's own generator, NumPy's `default_rng(seed)`, or stream
    /// `i` of those it spawns, `default_rng(SeedSequence(seed).spawn(n)[i])`, which is the same for every n above i.
    pub stream: Option<u32>,
    /// What of the new tokens is settled beforehand.
    pub script: Script,
    /// The run stops after so many new tokens. 0 runs nothing.
    pub max_new_tokens: usize,
    /// The token that ends a text, if the vocabulary has one.
    pub end_of_text: Option<TokenId>,
    /// How many ids the tokenizer has. Logits from this column on are padding and are never drawn.
    pub n_tokenizer: usize,
    /// What happens when prompt and new tokens are more than the model can see.
    pub past_context: PastContext,
}

/// What happens past the model's context length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PastContext {
    /// The oldest tokens drop out: the last `n_ctx` ids are encoded anew for each token. Exact, since positions are
    /// absolute, but each token then costs as much as a prompt of `n_ctx` tokens.
    #[default]
    Slide,
    /// The run stops. A prompt that is too long stops it before the first token.
    Stop,
}

impl Plan {
    /// How many new tokens there may be at most, for a model that sees `n_ctx` tokens.
    pub(crate) fn limit(&self, n_ctx: usize) -> usize {
        match self.past_context {
            PastContext::Slide => self.max_new_tokens,
            // The last token is not fed, so it needs no room.
            PastContext::Stop => self.max_new_tokens.min((n_ctx + 1).saturating_sub(self.prompt.len())),
        }
    }

    /// Looks at the prompt, for a model with `n_vocab` columns of logits.
    pub(crate) fn check<E: std::error::Error + 'static>(&self, n_vocab: usize) -> Result<(), DecodeError<E>> {
        let limit = self.n_tokenizer.min(n_vocab);
        check_prompt(&self.prompt, limit)?;
        match self.script.ids().find(|id| id.index() >= limit) {
            Some(id) => Err(DecodeError::PromptId { id, limit }),
            None => Ok(()),
        }
    }

    /// The number that new token `index` is drawn with.
    pub(crate) fn uniform(&self, index: usize) -> Unit {
        let mut uniforms = match self.stream {
            None => Uniforms::new(self.seed),
            Some(stream) => Uniforms::spawned(self.seed, stream),
        };
        uniforms.advance(index as u64);
        uniforms.draw()
    }
}

/// There is something to continue, and every id of it is below `limit`.
pub(crate) fn check_prompt<E: std::error::Error + 'static>(
    prompt: &[TokenId],
    limit: usize,
) -> Result<(), DecodeError<E>> {
    if prompt.is_empty() {
        return Err(DecodeError::EmptyPrompt);
    }
    match prompt.iter().find(|id| id.index() >= limit) {
        Some(&id) => Err(DecodeError::PromptId { id, limit }),
        None => Ok(()),
    }
}
