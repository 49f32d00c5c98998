//! From a source to a model that can generate.
//!
//! What is small and may be wrong comes before what is large: configuration, tokenizer, the header of the weights, the
//! plan, the reader's consent, and only then the weights, block by block.

mod folder;
mod keeper;
mod plan;
mod progress;
mod stream;
mod tokenizer;
mod weights;

use core::cell::OnceCell;

use nucleus_decode::constraint::TokenTrie;
use nucleus_gpt2::{Config, Gpt2, LoadOptions, Loader};
use nucleus_sampler::TokenId;
use nucleus_session::{
    DeviceKind, Expected, Failure, Keeping, LoadPlan, Loading, ModelInfo, ModelSource, Report, Vocabulary, WeightFormat,
};
use nucleus_tokenizer::{SpecialTokens, Tokenizer};
use web_sys::File;

use crate::clock::Breath;
use crate::device::Chosen;
use crate::halt::Halt;
use crate::housekeeping;
use crate::inbox::Inbox;
use crate::mailbox::Outbox;
use crate::store;
use folder::Folder;
use keeper::Keeper;
use weights::Weights;

pub(crate) use progress::Progress;

/// A download of more bytes than this waits for the reader's consent.
const CONSENT: u64 = 32 << 20;

/// How often a file may change on the server while it is fetched.
const CHANGES: usize = 3;

/// A model that can generate.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) model: Gpt2,
    pub(crate) tokenizer: Tokenizer,
    pub(crate) info: ModelInfo,
    /// Whether the prompt's log-probabilities cost too much time to be worth it.
    pub(crate) slow: bool,
    /// The vocabulary as constraints walk it, once one was asked for.
    pub(crate) trie: OnceCell<TokenTrie>,
}

impl Loaded {
    /// The tokens of a text as typed; `special_tokens`: whether `<|endoftext|>` in it means the token.
    pub(crate) fn encode(&self, text: &str, special_tokens: bool) -> Result<Vec<TokenId>, Failure> {
        let special = if special_tokens { SpecialTokens::Parsed } else { SpecialTokens::AsText };
        let ids = self.tokenizer.encode(text, special);
        let ids = ids.map_err(|error| Failure::Model { message: error.to_string() })?;
        if ids.is_empty() { Err(Failure::EmptyPrompt) } else { Ok(ids.into_iter().map(TokenId).collect()) }
    }
}

/// The loading of one model.
pub(crate) struct Job<'a> {
    pub(crate) inbox: &'a Inbox,
    pub(crate) outbox: &'a Outbox,
    pub(crate) breath: &'a Breath,
    pub(crate) source: &'a ModelSource,
    /// Those of the source, if it is files.
    pub(crate) files: Vec<File>,
    pub(crate) chosen: &'a Chosen,
    /// How the weights are to be held, if the reader chose.
    pub(crate) weights: Option<WeightFormat>,
}

impl Job<'_> {
    /// Loads the model. Where the files change on the server meanwhile, once more from the start.
    pub(crate) async fn run(&self) -> Result<(Loaded, Vocabulary), Halt> {
        let folder = Folder::of(self.source, self.files.clone())?;
        for _ in 0..CHANGES {
            let mut keeper = Keeper::open(self.source).await;
            let mut progress = Progress::new(self.inbox, self.outbox);
            match self.attempt(&folder, &mut keeper, &mut progress).await {
                Err(Halt::Changed) => {
                    keeper.discard().await;
                    progress.starting_over();
                }
                Err(halt) => return Err(halt),
                Ok((mut loaded, vocabulary)) => {
                    loaded.info.keeping = keeper.finish();
                    return Ok((loaded, vocabulary));
                }
            }
        }
        let message = format!("it changed on the server {CHANGES} times while it came");
        Err(Failure::Checkpoint { address: folder.address("model.safetensors"), message }.into())
    }

    async fn attempt(
        &self,
        folder: &Folder,
        keeper: &mut Keeper,
        progress: &mut Progress<'_>,
    ) -> Result<(Loaded, Vocabulary), Halt> {
        self.say(Loading::Config);
        let config = self.config(folder, keeper).await?;
        self.say(Loading::Tokenizer);
        let (tokenizer, vocabulary) = tokenizer::load(folder, keeper, self.inbox, config.n_vocab).await?;
        let mut weights = Weights::open(folder, keeper, progress).await?;
        let (plan, mut loader) = self.plan(&config, &weights, folder, keeper).await?;
        self.outbox.send(Report::Plan(plan.clone()));
        if plan.waits {
            self.consent().await?;
        }
        keeper.begin(weights.for_keeping()).await;
        progress.keeps = keeper.keeps();
        progress.start(plan.files, plan.download);
        stream::stream(self, &mut weights, &mut loader, keeper, progress).await?;
        self.say(Loading::Building);
        let refused = |error: nucleus_gpt2::LoadError| Failure::Checkpoint {
            address: folder.address("model.safetensors"),
            message: error.to_string(),
        };
        let mut model = loader.finish().map_err(refused)?;
        model.warm_up().await.map_err(|error| Failure::DeviceLost { message: error.to_string() })?;
        let info = info(&plan, &config, &tokenizer);
        Ok((Loaded { model, tokenizer, info, slow: self.chosen.is_slow(), trie: OnceCell::new() }, vocabulary))
    }

    async fn config(&self, folder: &Folder, keeper: &mut Keeper) -> Result<Config, Halt> {
        const NAME: &str = "config.json";
        let json = folder.small(NAME, Expected::Json, keeper, self.inbox).await?;
        let refused = |error: nucleus_gpt2::ConfigError| Failure::Config {
            address: folder.address(NAME),
            message: error.to_string(),
        };
        Ok(Config::from_json(&json).map_err(refused)?)
    }

    /// Compares the header with the configuration and with the device, and says what loading will take.
    async fn plan(
        &self,
        config: &Config,
        weights: &Weights,
        folder: &Folder,
        keeper: &Keeper,
    ) -> Result<(LoadPlan, Loader), Halt> {
        let format = plan::format(self.weights, weights.header.tensors());
        let max_tensor_bytes = self.chosen.max_tensor_bytes;
        let options = LoadOptions { weights: held(format), ..self.chosen.options() };
        let refused = |error: nucleus_gpt2::LoadError| Failure::Checkpoint {
            address: folder.address(&weights.parts[0].name),
            message: error.to_string(),
        };
        let loader = Loader::new(config, &weights.header, &self.chosen.device, &options).map_err(refused)?;
        let (wanted, files) = (loader.wanted(), weights.total());
        let download = if matches!(folder, Folder::Web(_)) { files.saturating_sub(keeper.kept()) } else { 0 };
        let plan = LoadPlan {
            name: name(self.source),
            parameters: plan::parameters(wanted, config),
            stored: plan::stored(wanted),
            weights: format,
            download,
            files,
            device_memory: plan::device_memory(wanted, config, format),
            largest_tensor: plan::largest_tensor(wanted, format),
            largest_binding: max_tensor_bytes as u64,
            room_to_keep: if keeper.is_refused() { None } else { store::room().await },
            waits: download > CONSENT,
        };
        let on_cpu = self.chosen.report.kind == DeviceKind::Cpu;
        plan::check(&plan.name, wanted, format, plan.device_memory, plan.largest_binding, on_cpu)?;
        Ok((plan, loader))
    }

    /// Waits until the reader agrees to the download.
    async fn consent(&self) -> Result<(), Halt> {
        loop {
            self.give_way().await?;
            if self.inbox.take(|request| *request == nucleus_session::Request::Download).is_some() {
                return Ok(());
            }
            self.inbox.news().await;
        }
    }

    /// Lets messages in, and answers those that need not wait.
    async fn give_way(&self) -> Result<(), Halt> {
        self.breath.take().await;
        housekeeping::answer_waiting(self.inbox, self.outbox).await;
        if self.inbox.ends_loading() { Err(Halt::Superseded) } else { Ok(()) }
    }

    fn say(&self, stage: Loading) {
        self.outbox.send(Report::Loading(stage));
    }
}

fn held(format: WeightFormat) -> nucleus_gpt2::WeightFormat {
    match format {
        WeightFormat::F32 => nucleus_gpt2::WeightFormat::F32,
        WeightFormat::F16 => nucleus_gpt2::WeightFormat::F16,
        WeightFormat::Int8 => nucleus_gpt2::WeightFormat::Int8,
    }
}

fn info(plan: &LoadPlan, config: &Config, tokenizer: &Tokenizer) -> ModelInfo {
    ModelInfo {
        name: plan.name.clone(),
        n_vocab: config.n_vocab,
        n_ctx: config.n_ctx,
        n_layer: config.n_layer,
        n_head: config.n_head,
        n_embd: config.n_embd,
        parameters: plan.parameters,
        end_of_text: config.end_of_text.or(tokenizer.end_of_text()).map(TokenId),
        weights: plan.weights,
        device_memory: plan.device_memory,
        keeping: Keeping::NotNeeded,
    }
}

/// The last part of a folder's address; of files, that they are files.
fn name(source: &ModelSource) -> String {
    let Some(text) = source.text() else { return source.to_string() };
    let text = text.trim_end_matches('/');
    text.rsplit('/').next().unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    #[cfg(target_family = "wasm")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn a_model_has_the_name_of_its_folder() {
        for source in ["tales", "owner/tales", "https://example.org/a/tales/"] {
            assert_eq!(name(&ModelSource::parse(source).unwrap()), "tales");
        }
    }
}
