//! From the address of a folder to a model that can generate.

use nucleus_gpt2::checkpoint::Header;
use nucleus_gpt2::{Config, Gpt2, Loader};
use nucleus_sampler::TokenId;
use nucleus_session::{Expected, Failure, Keeping, Loading, ModelInfo, Report, Vocabulary, WeightFormat};
use nucleus_tokenizer::Tokenizer;

use crate::clock;
use crate::device::Chosen;
use crate::fetch::Download;
use crate::halt::Halt;
use crate::inbox::Inbox;
use crate::mailbox::Outbox;
use crate::selftest::Fixture;

/// Between two reports of a download's progress, milliseconds: ten a second are enough to see it move.
const PROGRESS_MS: f64 = 100.0;

/// The folder of the self-test's model, beside the worker.
const FIXTURE: &str = "models/gpt2-tiny-random/";

/// A model that can generate.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) model: Gpt2,
    pub(crate) tokenizer: Tokenizer,
    pub(crate) info: ModelInfo,
    /// Whether the prompt's log-probabilities cost too much time to be worth it.
    pub(crate) slow: bool,
}

/// Fetches and builds models, and says how far it has come.
pub(crate) struct Fetcher<'a> {
    pub(crate) inbox: &'a Inbox,
    pub(crate) outbox: &'a Outbox,
}

impl Fetcher<'_> {
    /// Loads the model in `folder` (with a slash at its end), in the order config, tokenizer, weights: what is small and
    /// may be wrong comes before what is large.
    pub(crate) async fn model(&self, folder: &str, chosen: &Chosen) -> Result<(Loaded, Vocabulary), Halt> {
        self.say(Loading::Config);
        let config = self.config(&format!("{folder}config.json")).await?;
        self.say(Loading::Tokenizer);
        let tokenizer = self.tokenizer(&format!("{folder}tokenizer.json"), config.n_vocab).await?;
        let vocabulary = vocabulary(&tokenizer).map_err(|message| tokenizer_failure(folder, message))?;
        let address = format!("{folder}model.safetensors");
        let weights = self.weights(&address).await?;
        self.say(Loading::Building);
        let (mut model, parameters) = build(&config, &weights, chosen)
            .map_err(|error| Failure::Checkpoint { address: address.clone(), message: error.to_string() })?;
        model.warm_up().await.map_err(|error| Failure::DeviceLost { message: error.to_string() })?;
        let info = info(folder, &config, &tokenizer, parameters);
        Ok((Loaded { model, tokenizer, info, slow: chosen.is_slow() }, vocabulary))
    }

    /// The self-test's files.
    pub(crate) async fn fixture(&self) -> Result<Fixture, Halt> {
        Ok(Fixture {
            config: self.small(&format!("{FIXTURE}config.json"), Expected::Json).await?,
            weights: self.small(&format!("{FIXTURE}model.safetensors"), Expected::Safetensors).await?,
            reference: self.small(&format!("{FIXTURE}reference.json"), Expected::Json).await?,
        })
    }

    /// A small file, without a word on its progress.
    async fn small(&self, address: &str, expected: Expected) -> Result<Vec<u8>, Halt> {
        Download::open(address, expected).await?.whole(|_, _| !self.inbox.ends_loading()).await
    }

    async fn config(&self, address: &str) -> Result<Config, Halt> {
        let json = self.small(address, Expected::Json).await?;
        let refused =
            |error: nucleus_gpt2::ConfigError| Failure::Config { address: address.into(), message: error.to_string() };
        Ok(Config::from_json(&json).map_err(refused)?)
    }

    async fn tokenizer(&self, address: &str, n_vocab: usize) -> Result<Tokenizer, Halt> {
        let json = self.small(address, Expected::Json).await?;
        let refused = |message| Failure::Tokenizer { address: address.into(), message };
        let tokenizer = Tokenizer::from_json(&json).map_err(|error| refused(error.to_string()))?;
        let known = tokenizer.n_vocab();
        if known > n_vocab {
            let message = format!("it has {known} tokens, but the model gives logits for {n_vocab} only");
            return Err(refused(message).into());
        }
        Ok(tokenizer)
    }

    /// The weights' file, whole. Reading it tensor by tensor onto the device would replace this and [`build`].
    async fn weights(&self, address: &str) -> Result<Vec<u8>, Halt> {
        self.say(Loading::Weights { done: 0, total: 0, fetched: 0 });
        let download = Download::open(address, Expected::Safetensors).await?;
        let mut told = clock::now();
        let progress = |done, total| {
            if done == total || clock::now() - told >= PROGRESS_MS {
                told = clock::now();
                self.say(Loading::Weights { done, total, fetched: total });
            }
            !self.inbox.ends_loading()
        };
        download.whole(progress).await
    }

    pub(crate) fn say(&self, stage: Loading) {
        self.outbox.send(Report::Loading(stage));
    }
}

/// Puts the weights onto the device, and counts the numbers among them.
fn build(config: &Config, file: &[u8], chosen: &Chosen) -> Result<(Gpt2, u64), nucleus_gpt2::LoadError> {
    let mut loader = Loader::new(config, &Header::of_file(file)?, &chosen.device, &chosen.options())?;
    let mut parameters = 0;
    for tensor in loader.wanted().to_vec() {
        parameters += tensor.shape.iter().map(|&size| size as u64).product::<u64>();
        loader.put(&tensor.name, tensor.bytes(file))?;
    }
    Ok((loader.finish()?, parameters))
}

fn vocabulary(tokenizer: &Tokenizer) -> Result<Vocabulary, String> {
    let (flat, ends) = tokenizer.all_bytes();
    Vocabulary::new(flat.to_vec(), ends.to_vec()).map_err(|error| error.to_string())
}

fn tokenizer_failure(folder: &str, message: String) -> Failure {
    Failure::Tokenizer { address: format!("{folder}tokenizer.json"), message }
}

fn info(folder: &str, config: &Config, tokenizer: &Tokenizer, parameters: u64) -> ModelInfo {
    ModelInfo {
        name: name(folder).into(),
        n_vocab: config.n_vocab,
        n_ctx: config.n_ctx,
        n_layer: config.n_layer,
        n_head: config.n_head,
        n_embd: config.n_embd,
        parameters,
        end_of_text: tokenizer.end_of_text().map(TokenId),
        weights: WeightFormat::F32,
        device_memory: 4 * parameters,
        keeping: Keeping::NotNeeded,
    }
}

/// The last part of a folder's address.
fn name(folder: &str) -> &str {
    let folder = folder.trim_end_matches('/');
    folder.rsplit('/').next().unwrap_or(folder)
}

#[cfg(test)]
mod tests {
    #[cfg(target_family = "wasm")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn a_model_has_the_name_of_its_folder() {
        for folder in ["models/tales/", "tales/", "https://example.org/a/tales/"] {
            assert_eq!(name(folder), "tales");
        }
    }
}
