use nucleus_sampler::{Settings, TokenId};
use serde::{Deserialize, Serialize};

use crate::batch::Rules;
use crate::plan::check_prompt;
use crate::{BatchError, LanguageModel};

/// All that decides a continuous batch: the same plan on the same model gives the same tokens in the same slots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotsPlan {
    /// How many requests can be decoded at once: 1 or more.
    pub slots: usize,
    /// 1 request or more, in any order.
    pub requests: Vec<Request>,
    /// Temperature, top-k, top-p: the same for all requests.
    pub settings: Settings,
    /// The seed of the uniform numbers; request `i` draws from its stream `i`. Not used at temperature 0.
    pub seed: u64,
    /// The token that ends a text, if the vocabulary has one.
    pub end_of_text: Option<TokenId>,
    /// How many ids the tokenizer has. Logits from this column on are padding and are never drawn.
    pub n_tokenizer: usize,
}

/// A prompt that comes at some time and wants a number of tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// 1 id or more, each below `n_tokenizer` and below the model's `n_vocab`.
    pub prompt: Vec<TokenId>,
    /// It ends after so many new tokens, if nothing ends it before.
    pub max_new_tokens: usize,
    /// At which step it joins the queue, from 0 to [`Request::LATEST`]. Of several at one step the first in the plan comes
    /// first.
    pub arrives_at: usize,
}

impl Request {
    /// The last step at which a request can arrive: so many slot-steps can be counted on every machine.
    pub const LATEST: usize = 1_000_000;
}

impl SlotsPlan {
    /// Looks at slots and prompts, for a model with `n_vocab` columns of logits.
    pub(crate) fn check<E: std::error::Error + 'static>(&self, n_vocab: usize) -> Result<(), BatchError<E>> {
        if self.slots == 0 {
            return Err(BatchError::NoSlots);
        }
        if self.requests.is_empty() {
            return Err(BatchError::NoPrompts);
        }
        let limit = self.n_tokenizer.min(n_vocab);
        let check = |(index, request): (usize, &Request)| {
            if request.arrives_at > Request::LATEST {
                return Err(BatchError::Arrival { request: index, arrives_at: request.arrives_at });
            }
            check_prompt(&request.prompt, limit).map_err(BatchError::request(index))
        };
        self.requests.iter().enumerate().try_for_each(check)
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
