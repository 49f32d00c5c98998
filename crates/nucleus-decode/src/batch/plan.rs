use nucleus_sampler::{Settings, TokenId};
use serde::{Deserialize, Serialize};

use super::{BatchError, Rules};
use crate::LanguageModel;
use crate::plan::check_prompt;

/// All that decides a batch: the same plan on the same model gives the same tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BatchPlan {
    /// 1 prompt or more, each of 1 id or more, each id below `n_tokenizer` and below the model's `n_vocab`. One that is
    /// longer than `n_ctx` ends before its first token.
    pub prompts: Vec<Vec<TokenId>>,
    /// Temperature, top-k, top-p: the same for all rows.
    pub settings: Settings,
    /// The seed of the uniform numbers; row `i` draws from its stream `i`. Not used at temperature 0.
    pub seed: u64,
    /// A row stops after so many new tokens. 0 runs nothing.
    pub max_new_tokens: usize,
    /// The token that ends a text, if the vocabulary has one.
    pub end_of_text: Option<TokenId>,
    /// What stands where a row has nothing: before its prompt and after its end. It is never fed, so any id will do,
    /// also one that can be drawn, as GPT-2's end-of-text token.
    pub pad: TokenId,
    /// How many ids the tokenizer has. Logits from this column on are padding and are never drawn.
    pub n_tokenizer: usize,
}

impl BatchPlan {
    /// Looks at the prompts, for a model with `n_vocab` columns of logits.
    pub(crate) fn check<E: std::error::Error + 'static>(&self, n_vocab: usize) -> Result<(), BatchError<E>> {
        if self.prompts.is_empty() {
            return Err(BatchError::NoPrompts);
        }
        let limit = self.n_tokenizer.min(n_vocab);
        let check = |(row, prompt): (usize, &Vec<_>)| check_prompt(prompt, limit).map_err(BatchError::row(row));
        self.prompts.iter().enumerate().try_for_each(check)
    }

    pub(crate) fn rules(&self, model: &impl LanguageModel) -> Rules {
        Rules {
            settings: self.settings,
            seed: self.seed,
            end_of_text: self.end_of_text,
            n_tokenizer: self.n_tokenizer,
            n_vocab: model.n_vocab(),
            n_ctx: model.n_ctx(),
        }
    }
}
