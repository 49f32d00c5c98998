//! The embedded model on the CPU, with its tokenizer.

use core::ops::ControlFlow;
use core::pin::pin;
use core::task::{Context, Poll, Waker};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use half::f16;
use nucleus_decode::{LanguageModel, PastContext, Plan, generate};
use nucleus_gpt2::{Config, Device, Gpt2};
use nucleus_sampler::TokenId;
use nucleus_session::{Recording, Vocabulary};
use nucleus_tokenizer::{SpecialTokens, Tokenizer};

use super::{Rounded, Script};

/// Its folder's name.
const NAME: &str = "tales";

/// The model that the recordings are of.
pub struct Tales {
    model: Rounded<Gpt2>,
    tokenizer: Tokenizer,
}

impl Tales {
    /// Loads it from `www/models/tales`.
    ///
    /// # Errors
    /// When a file cannot be read or is not what it should be.
    pub fn load() -> Result<Self> {
        let folder = www().join("models").join(NAME);
        let config = Config::from_json(&fs::read(folder.join("config.json"))?)?;
        let weights = fs::read(folder.join("model.safetensors"))?;
        let model = Rounded(Gpt2::from_safetensors(&config, &weights, &Device::flex())?);
        let tokenizer = Tokenizer::from_json(&fs::read(folder.join("tokenizer.json"))?)?;
        Ok(Self { model, tokenizer })
    }

    /// Runs a script.
    ///
    /// # Errors
    /// When the script is longer than the model's context, or the model fails.
    pub fn record(&mut self, script: &Script) -> Result<Recording> {
        let values = script.values()?;
        let ids = self.tokenizer.encode(&values.prompt, SpecialTokens::AsText)?;
        let plan = Plan {
            prompt: ids.into_iter().map(TokenId).collect(),
            settings: values.settings,
            seed: values.seed,
            stream: None,
            script: nucleus_decode::Script::default(),
            max_new_tokens: values.new_tokens as usize,
            end_of_text: self.tokenizer.end_of_text().map(TokenId),
            n_tokenizer: self.tokenizer.n_vocab(),
            past_context: PastContext::Stop,
        };
        let room = self.model.n_ctx();
        ensure!(plan.prompt.len() + plan.max_new_tokens <= room, "{} is longer than the context", script.name);

        let mut logits = Vec::new();
        let outcome = wait(generate(&mut self.model, &plan, async |step| {
            logits.push(step.logits.into_iter().map(f16::from_f32).collect());
            ControlFlow::Continue(())
        }))?;
        let (flat, ends) = self.tokenizer.all_bytes();
        Ok(Recording {
            model: NAME.to_owned(),
            title: script.title.to_owned(),
            values,
            prompt_log_probabilities: Some(wait(self.model.score(&plan.prompt))?),
            prompt: plan.prompt,
            end_of_text: plan.end_of_text,
            tokens: outcome.tokens,
            logits,
            vocabulary: Vocabulary::new(flat.to_vec(), ends.to_vec())?,
        })
    }
}

/// The folder that is served.
#[must_use]
pub fn www() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../www")
}

/// Runs a future to its end. On the CPU every one is ready as soon as it is asked.
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}
