//! What happens to a session, and what it wants done.

use nucleus_sampler::TokenId;

use crate::chooser::{Persistence, Place};
use crate::control::Control;
use crate::files::DiskFile;
use crate::plan::WeightFormat;
use crate::protocol::{Report, Request};
use crate::strategy::{OptionKey, StrategyKind};

/// Something that happened: on the page, in the engine, on the network.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// The page was opened; the first message. The query is that of its address, with or without `?`.
    Opened {
        /// For example `?model=tales&prompt=Once`.
        query: String,
    },
    /// [`Effect::Fetch`] has its answer.
    Fetched {
        /// What was asked for.
        asset: Asset,
        /// The bytes, or a sentence that names the address and says what came instead.
        result: Result<Vec<u8>, String>,
    },
    /// The engine reported.
    Reported {
        /// What.
        report: Report,
        /// The logits `[n_vocab]` that travel beside a [`Report::Step`].
        logits: Option<Vec<f32>>,
        /// When, milliseconds of the page's clock from any start.
        at_ms: f64,
    },
    /// The worker threw, trapped, or could not be started.
    EngineTrapped {
        /// What the browser said.
        message: String,
    },
    /// The page is about to go away (`pagehide`): what the engine says from here on is ignored.
    Closing,
    /// The browser brought the page back as it was when it went away (`pageshow`, persisted).
    CameBack,
    /// The reader typed into a field.
    Typed {
        /// Which one.
        control: Control,
        /// All that stands in it now.
        text: String,
    },
    /// The reader moved a slider.
    MovedSlider {
        /// Which one; those without a slider do nothing.
        control: Control,
        /// The position on its [`Scale`](crate::slider::Scale).
        position: f64,
    },
    /// The reader chose a preset: its place in [`PRESETS`](crate::PRESETS).
    ChosePreset(usize),
    /// The reader asked for a new seed; the page has drawn one.
    NewSeed(u64),
    /// Whether `<|endoftext|>` in the prompt means the token.
    SetSpecialTokens(bool),
    /// The reader chose how the next tokens are decided.
    ChoseStrategy(StrategyKind),
    /// The reader typed into a field of a strategy, or chose there.
    TypedOption {
        /// Which one.
        key: OptionKey,
        /// All that stands in it now.
        text: String,
    },
    /// Write.
    Generate,
    /// Stop writing.
    Stop,
    /// Start the engine anew, after a failure.
    RestartEngine,
    /// Start the engine anew, and on the CPU, after a failure of the graphics processor.
    RestartOnCpu,
    /// Show this step; while the run is still short of it, the latest.
    FocusStep(usize),
    /// Go this many steps on (or back).
    FocusBy(i32),
    /// Show the latest step, and go along with the run.
    FollowLatest,
    /// Show the logits table from this rank on.
    ScrollTable(usize),
    /// Enlarge the draw.
    ZoomDraw(Zoom),
    /// Show a recording.
    ChoseRecording(String),
    /// The reader takes another way than the run.
    Branch(BranchMsg),
    /// The reader did something about the model.
    Model(ModelMsg),
    /// The browser said whether it keeps what is stored: see [`Effect::AskToPersist`].
    Persistence(Persistence),
    /// The page has time: see [`Effect::WhenIdle`].
    Idle,
}

/// How the reader takes another way than the run.
#[derive(Clone, Debug, PartialEq)]
pub enum BranchMsg {
    /// Search for a token to have at the step in focus.
    OpenForce,
    /// What stands in the search now.
    TypedForce(String),
    /// Do not force a token after all.
    CloseForce,
    /// Have the first token that the search found.
    ForceFirst,
    /// Have this token at the step in focus, and write on from there.
    Force(TokenId),
    /// Go back to before the step in focus.
    Rewind,
    /// Write on where the run shown ends, with the settings as they are now.
    WriteOn,
    /// Show one of the branches, by its place in the list.
    Show(usize),
}

/// What the reader does about the model.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelMsg {
    /// Show the choice.
    OpenChooser,
    /// Leave it without loading anything.
    CloseChooser,
    /// Look here.
    ChosePlace(Place),
    /// An id or an address was typed: all that stands in the field now.
    TypedAddress(String),
    /// Files were picked; they come to those that are there.
    GaveFiles(Vec<DiskFile>),
    /// Take one of the files out of those that were given, by its place in the list.
    RemoveFile(usize),
    /// Take all of them out.
    RemoveFiles,
    /// Files were dropped: they are loaded at once if nothing is missing.
    DroppedFiles(Vec<DiskFile>),
    /// Hold the weights so; `None`: as in the file.
    ChoseWeights(Option<WeightFormat>),
    /// Load what is chosen.
    Load,
    /// Agree to the plan.
    Download,
    /// Do not agree, or give the loading up.
    Cancel,
    /// Load the same model again, after it was given up.
    GoOn,
    /// Load the model that was there before.
    GoBack,
    /// Load one of the kept models, by its place in the list.
    LoadKept(usize),
    /// Delete one of the kept models: the reader is asked once more.
    Delete(usize),
    /// Delete it.
    ReallyDelete,
    /// Do not.
    KeepAll,
    /// Ask the browser to keep what is stored.
    AskToPersist,
}

/// Something that the page must do, in the order given.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Start a worker.
    StartEngine,
    /// End the worker; nothing of it may arrive any more.
    TerminateEngine,
    /// Post a request to the worker, which may still be starting.
    Send(Request),
    /// Fetch a small file beside the page and answer with [`Msg::Fetched`].
    Fetch {
        /// What it is.
        asset: Asset,
        /// Its address, relative to the page.
        address: String,
    },
    /// Put this query, `?` included, into the page's address (`history.replaceState`). Browsers
    /// limit how often: of several within a tenth of a second only the last matters.
    ReplaceAddress(String),
    /// Move the keyboard's focus to what is said about loading, unless the reader is at something else.
    FocusLoading,
    /// Ask the browser to keep what is stored (`navigator.storage.persist`), or with `false` only whether it does
    /// (`persisted`); answered by [`Msg::Persistence`].
    AskToPersist(bool),
    /// Move the keyboard's focus to a control: what was asked for cannot be done because of it.
    FocusControl(Control),
    /// The same for a field of a strategy.
    FocusOption(OptionKey),
    /// Send [`Msg::Idle`] once the page has nothing better to do (`requestIdleCallback`, a timer).
    WhenIdle,
}

/// A file that the session asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asset {
    /// The list of recordings.
    RecordingIndex,
    /// A recording, by name.
    Recording(String),
}

/// How the figure of the draw is enlarged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zoom {
    /// The whole unit interval.
    Whole,
    /// Closer around u.
    In,
    /// Less close.
    Out,
    /// So close that the interval hit is clearly visible.
    Hit,
}
