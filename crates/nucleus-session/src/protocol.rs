//! What page and worker say to each other.
//!
//! Messages travel as bytes in postcard's form. There is no version in them: page and engine are
//! built and served together. The logits of a step are large and need no coding, so they travel
//! beside [`Report::Step`] as a transferred `Float32Array`.

mod bytes;

use core::fmt;

use nucleus_decode::{ConstraintTrace, Script, StopReason, StopStrings};
use nucleus_sampler::{Draw, Settings, StepTrace, TokenId, TokenSet};
use serde::{Deserialize, Serialize};

pub use self::bytes::ProtocolError;
use crate::device::{DevicePreference, DeviceReport};
use crate::failure::Failure;
use crate::plan::{Keeping, KeptModel, LoadPlan, WeightFormat};
use crate::source::ModelSource;
use crate::strategy::{ConstraintSource, Progress, Strategy};
use crate::vocabulary::Vocabulary;

/// One generation. Numbers are never used again within a page's life, so that a late report of an
/// old run cannot be taken for one of the new.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(pub u32);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What the page asks of the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Load a model. Answered by [`Report::Loading`]s, [`Report::Device`], [`Report::Plan`], then [`Report::Ready`] or
    /// [`Report::Failed`].
    Load {
        /// Where it is. Files from the reader's disk travel beside the request, in the order of the source.
        source: ModelSource,
        /// Where it should run.
        device: DevicePreference,
        /// How its weights are to be held; `None`: as the file has them, if the device can.
        weights: Option<WeightFormat>,
    },
    /// Go on with the plan that was reported: the reader agrees to the download.
    Download,
    /// Give the loading up. What has come is kept, so that another [`Load`](Self::Load) goes on from there. Answered by
    /// [`Report::Cancelled`], unless the model is ready already.
    CancelLoading,
    /// List what is kept. Answered by [`Report::Kept`].
    ListKept,
    /// Delete what is kept of a model. Answered by [`Report::Kept`].
    DeleteKept {
        /// The model.
        source: ModelSource,
    },
    /// Generate. Answered by [`Report::Started`], [`Report::Step`]s, then [`Report::Finished`] or [`Report::Failed`].
    Generate(GenerateRequest),
    /// Decode by another strategy. Answered by [`Report::Progress`]es, then [`Report::Done`] or [`Report::Failed`].
    Decode(DecodeRequest),
    /// End a run, or a strategy at work, after the token it is at. A run that is over already is no error.
    Stop {
        /// The run.
        run: RunId,
    },
}

/// One run, whole: the same request gives the same tokens on the same device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GenerateRequest {
    /// The number of the run, chosen by the page.
    pub run: RunId,
    /// The prompt as typed.
    pub prompt: String,
    /// Whether `<|endoftext|>` in the prompt means the token rather than its letters.
    pub special_tokens: bool,
    /// Temperature, top-k, top-p.
    pub settings: Settings,
    /// Token `i` of the run is drawn with the `i`-th uniform number of this seed.
    pub seed: u64,
    /// How many tokens at most.
    pub new_tokens: u32,
    /// The texts at which it ends; they are not shown.
    pub stop: StopStrings,
    /// What of the new tokens is settled beforehand.
    pub script: Script,
    /// What the text must be, if anything.
    pub constraint: Option<ConstraintSource>,
}

/// A strategy at work, whole: the same request gives the same tokens on the same device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecodeRequest {
    /// The number of the run, chosen by the page.
    pub run: RunId,
    /// What is to be done.
    pub strategy: Strategy,
    /// Whether `<|endoftext|>` in a prompt means the token rather than its letters.
    pub special_tokens: bool,
    /// Temperature, top-k, top-p, where the strategy draws.
    pub settings: Settings,
    /// The seed, where the strategy draws.
    pub seed: u64,
    /// How many tokens at most, where the strategy does not say for itself.
    pub new_tokens: u32,
}

/// What the engine tells the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Report {
    /// How far loading has come.
    Loading(Loading),
    /// The device was chosen; comes before any large download.
    Device(DeviceReport),
    /// What loading will take; comes before any large download.
    Plan(LoadPlan),
    /// Loading was given up, as asked.
    Cancelled,
    /// What is kept of models, in the order of their names.
    Kept(Vec<KeptModel>),
    /// The model can generate.
    Ready {
        /// What was loaded.
        model: ModelInfo,
        /// The bytes of every token.
        vocabulary: Vocabulary,
    },
    /// The prompt was cut into tokens, and is being read by the model.
    Started {
        /// The run.
        run: RunId,
        /// The prompt's tokens, all of them.
        prompt: Vec<TokenId>,
        /// How many of the oldest tokens the model does not see, because its context is shorter.
        window_start: usize,
    },
    /// A constraint holds for the token that is reported next.
    Constrained {
        /// The run.
        run: RunId,
        /// What the constraint says at this step.
        told: ConstraintTrace,
        /// The tokens that it allows.
        allowed: TokenSet,
    },
    /// A token was drawn. The logits `[n_vocab]` it was drawn from travel beside this report.
    Step {
        /// The run.
        run: RunId,
        /// The token and how it came about.
        step: StepReport,
    },
    /// The run is over.
    Finished {
        /// The run.
        run: RunId,
        /// Why it ended.
        reason: StopReason,
        /// ln p of each prompt token but the first, nats; `None` if they were not computed.
        log_probabilities_of_prompt: Option<Vec<f64>>,
        /// From the start of the run to the prompt's logits, milliseconds.
        prefill_ms: f64,
        /// From the prompt's logits to the end, milliseconds.
        decode_ms: f64,
    },
    /// News of a strategy at work.
    Progress {
        /// The run.
        run: RunId,
        /// What.
        progress: Progress,
    },
    /// A strategy has done its work.
    Done {
        /// The run.
        run: RunId,
        /// Whether it ended because it was told to.
        stopped: bool,
        /// From its start to its end, milliseconds.
        elapsed_ms: f64,
    },
    /// Something went wrong: with a run, or (`None`) with the engine as a whole.
    Failed {
        /// The run that ends with this, if it is about one.
        run: Option<RunId>,
        /// What it was.
        failure: Failure,
    },
}

/// The stages of loading, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Loading {
    /// The engine's module is being compiled and started.
    Starting,
    /// Looking for a device.
    ChoosingDevice,
    /// A tiny built-in model runs against its known logits.
    SelfTest,
    /// `config.json` is on its way.
    Config,
    /// The tokenizer is on its way.
    Tokenizer,
    /// The weights are on their way to the device, tensor by tensor.
    Weights {
        /// Bytes that came.
        done: u64,
        /// Bytes in all; 0 if the server does not say.
        total: u64,
        /// Bytes that come over the network in this visit, of those in all; the others are kept here or on the
        /// reader's disk.
        fetched: u64,
    },
    /// The connection broke, and is tried again from the last byte.
    Reconnecting {
        /// Bytes that came.
        done: u64,
        /// Bytes in all.
        total: u64,
        /// Which attempt, from 1.
        attempt: u32,
    },
    /// The file on the server is no longer the one whose first part came: it is fetched from its start.
    StartingOver {
        /// Bytes of the old file that are given up.
        dropped: u64,
        /// Bytes in all.
        total: u64,
    },
    /// The last of it: kernels are compiled, the cache is made.
    Building,
}

/// A generated token.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepReport {
    /// Which generated token, from 0.
    pub index: usize,
    /// The token.
    pub token: TokenId,
    /// Its probability after temperature and filters: what it was drawn with.
    pub probability: f64,
    /// ln p of the token under the raw logits, nats, whatever the settings.
    pub log_probability: f64,
    /// How many tokens the filters kept.
    pub nucleus_size: usize,
    /// Entropy of the kept tokens' distribution, nats.
    pub entropy: f64,
    /// The uniform number and where it fell, or that none was used.
    pub draw: Draw,
    /// How many of the oldest tokens the model did not see.
    pub window_start: usize,
    /// From the start of the run to this token, milliseconds.
    pub elapsed_ms: f64,
}

impl StepReport {
    /// What is told of a step. Steps count from 0; `elapsed_ms` from the start of the run.
    #[must_use]
    pub fn of(trace: &StepTrace, index: usize, window_start: usize, elapsed_ms: f64) -> Self {
        Self {
            index,
            token: trace.token,
            probability: trace.kept_by_id(trace.token).map_or(0.0, |(_, kept)| kept.probability),
            log_probability: trace.log_probability,
            nucleus_size: trace.nucleus_size(),
            entropy: trace.entropy,
            draw: trace.draw,
            window_start,
            elapsed_ms,
        }
    }
}

/// What the page needs to know of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelInfo {
    /// The model's name: that of its folder.
    pub name: String,
    /// Columns of the logits.
    pub n_vocab: usize,
    /// The longest context, tokens.
    pub n_ctx: usize,
    /// Blocks.
    pub n_layer: usize,
    /// Heads in a block.
    pub n_head: usize,
    /// Width of the residual stream.
    pub n_embd: usize,
    /// Numbers in the checkpoint (the tied head counted once).
    pub parameters: u64,
    /// The token that ends a text, if the tokenizer has one.
    pub end_of_text: Option<TokenId>,
    /// How the weights are held on the device.
    pub weights: WeightFormat,
    /// Bytes of the device's memory that weights and cache take.
    pub device_memory: u64,
    /// Whether it is kept for the next visit.
    pub keeping: Keeping,
}
