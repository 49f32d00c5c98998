//! The state machine of the page, the protocol between page and worker, permalinks and recordings.
//!
//! Nothing here knows a browser, a tensor or a clock. A [`Session`] takes in what happened as a
//! [`Msg`] and answers with [`Effect`]s for the page to carry out; what the page shows it reads from
//! the session's getters and from [`sentence`].

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking"))]

mod brief;
mod check;
mod chooser;
mod control;
mod controls;
mod device;
mod engine;
mod failure;
mod field;
mod files;
mod focus;
mod link_field;
mod measure;
mod message;
mod models;
mod percent;
mod permalink;
mod plan;
mod preset;
mod progress;
mod protocol;
mod recording;
mod recording_index;
mod refusal;
mod run;
mod search;
pub mod sentence;
mod series;
mod session;
pub mod slider;
mod source;
mod strategy;
mod tensors;
mod text;
mod vocabulary;

/// Why a run ended, as [`Report::Finished`] says it.
pub use nucleus_decode::StopReason;

pub use check::Check;
pub use chooser::{Chooser, Persistence, Place};
pub use control::Control;
pub use controls::{Controls, Values};
pub use device::{DeviceKind, DevicePreference, DeviceReason, DeviceReport};
pub use engine::{Came, Engine, EngineState};
pub use failure::{Expected, Failure, Found};
pub use field::{Field, FieldError, NewTokens, Seed, Typed};
pub use files::{DiskFile, FileSet, GivenFile};
pub use focus::Focus;
pub use link_field::LinkField;
pub use measure::{Perplexity, PerplexityOf};
pub use message::{Asset, BranchMsg, Effect, ModelMsg, Msg, Zoom};
pub use models::{KNOWN_MODELS, KnownModel, ModelName};
pub use permalink::{Link, LinkError};
pub use plan::{Keeping, KeptModel, LoadPlan, WeightFormat};
pub use preset::{PRESETS, Preset};
pub use progress::Rate;
pub use protocol::{
    DecodeRequest, GenerateRequest, Loading, ModelInfo, ProtocolError, Report, Request, RunId, StepReport,
};
pub use recording::{Recording, RecordingError};
pub use recording_index::{RecordingEntry, RecordingIndexError};
pub use refusal::Refusal;
pub use run::{Run, RunState, Source, Step};
pub use series::Point;
pub use session::{Choice, Session};
pub use source::{FolderAddress, HubId, ModelSource, SourceError};
pub use strategy::{
    Constrained, ConstraintSource, Input, OptionError, OptionKey, Options, Progress, SlotRequest, Strategy,
    StrategyKind, StrategyRun, WordRun,
};
pub use tensors::TensorsError;
pub use text::{PieceEnd, TextPiece};
pub use vocabulary::{Vocabulary, VocabularyError};
