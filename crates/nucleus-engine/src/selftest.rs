//! The start-up self-test: a tiny GPT-2 with known logits.
//!
//! Browsers may skip an invalid shader without an error, and the result is then whatever the memory held before. No
//! later check would notice, so the device has to prove itself on a model whose logits Hugging Face's `transformers`
//! computed (`reference.json`, made by `make_hf_reference.py`).

use nucleus_decode::LanguageModel;
use nucleus_gpt2::{Config, ConfigError, Device, Gpt2, LoadError, LoadOptions, ModelError};
use nucleus_sampler::TokenId;
use serde::Deserialize;
use thiserror::Error;

/// The largest difference of a logit that is allowed.
///
/// The logits are up to about 20 in size and float32, so rounding in another order of summation moves them by some 1e-5,
/// and `reference.json` keeps six decimals. A wrong product, mask or position moves them by 1e-1 and more.
pub const TOLERANCE: f64 = 2e-3;

/// The tiny model's files, as bytes.
#[derive(Clone, Debug, Default)]
pub struct Fixture {
    /// `config.json`.
    pub config: Vec<u8>,
    /// `model.safetensors`.
    pub weights: Vec<u8>,
    /// `reference.json`.
    pub reference: Vec<u8>,
}

/// Why a device did not pass.
#[derive(Debug, Error)]
pub enum SelfTestError {
    /// Other logits than the known ones.
    #[error("a logit is {difference:.2e} away from the known one, but at most {TOLERANCE:.0e} is allowed")]
    Mismatch {
        /// The largest difference; NaN when a logit was not finite.
        difference: f64,
    },
    /// `reference.json` is not what it should be.
    #[error("the self-test's reference.json cannot be read: {0}")]
    Reference(#[from] serde_json::Error),
    /// `reference.json` has no prompt of two tokens and more, or another number of logits than the model.
    #[error("the self-test's reference.json does not fit its model")]
    Unfit,
    /// `config.json` is not what it should be.
    #[error("the self-test's {0}")]
    Config(#[from] ConfigError),
    /// The weights cannot be loaded.
    #[error("the self-test's model does not load: {0}")]
    Load(#[from] LoadError),
    /// The device cannot compute.
    #[error("the self-test's model does not run: {0}")]
    Model(#[from] ModelError),
}

#[derive(Deserialize)]
struct Reference {
    prompts: Vec<Prompt>,
}

#[derive(Deserialize)]
struct Prompt {
    ids: Vec<u32>,
    last_logits: Vec<f64>,
}

/// Runs the tiny model on `device`, held and computed as `options` say: a prompt without its last token, then the last token with the cache. Both parts of
/// the model have worked if the logits of that step are the known ones.
///
/// Gives the largest difference of a logit, at most [`TOLERANCE`].
///
/// # Errors
/// [`SelfTestError`]: a mismatch, files that do not fit together, or a device that fails.
pub async fn check(fixture: &Fixture, device: &Device, options: &LoadOptions) -> Result<f64, SelfTestError> {
    let reference: Reference = serde_json::from_slice(&fixture.reference)?;
    let prompt = reference.prompts.first().ok_or(SelfTestError::Unfit)?;
    let ids: Vec<TokenId> = prompt.ids.iter().copied().map(TokenId).collect();
    let Some((last, first @ [_, ..])) = ids.split_last() else {
        return Err(SelfTestError::Unfit);
    };
    let config = Config::from_json(&fixture.config)?;
    let mut model = Gpt2::from_safetensors_with(&config, &fixture.weights, device, options)?;
    if prompt.last_logits.len() != model.n_vocab() {
        return Err(SelfTestError::Unfit);
    }
    model.prefill(first).await?;
    let logits = model.step(*last).await?;
    let difference = largest_difference(&logits, &prompt.last_logits);
    // Written so that NaN is a mismatch too.
    if difference <= TOLERANCE { Ok(difference) } else { Err(SelfTestError::Mismatch { difference }) }
}

/// NaN as soon as one difference is: `f64::max` would pass over it.
fn largest_difference(logits: &[f32], known: &[f64]) -> f64 {
    let differences = logits.iter().zip(known).map(|(&logit, known)| (f64::from(logit) - known).abs());
    differences.fold(
        0.0,
        |largest, difference| {
            if largest.is_nan() || largest >= difference { largest } else { difference }
        },
    )
}

#[cfg(test)]
mod tests;
