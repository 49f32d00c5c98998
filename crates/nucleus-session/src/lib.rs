//! The state machine of the page, the protocol between page and worker, permalinks and recordings.
//!
//! Nothing here knows a browser, a tensor or a clock.

#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::panic,
        reason = "a test fails by panicking"
    )
)]

mod device;
mod failure;
mod protocol;
mod vocabulary;

pub use device::{DeviceKind, DevicePreference, DeviceReason, DeviceReport};
pub use failure::{Expected, Failure, Found};
pub use protocol::{
    GenerateRequest, Loading, ModelInfo, ProtocolError, Report, Request, RunId, StepReport,
};
pub use vocabulary::{Vocabulary, VocabularyError};
