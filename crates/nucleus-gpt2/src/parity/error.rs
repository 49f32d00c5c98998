//! Where a comparison can end.

use nucleus_decode::DecodeError;
use nucleus_decode::sampler::{SettingError, TokenId};

use crate::error::ModelError;

/// Where model and reference part.
#[derive(Debug, thiserror::Error)]
pub enum ParityError {
    /// The reference cannot be read.
    #[error("reference.json cannot be read: {0}")]
    Reference(#[from] serde_json::Error),
    /// The model gave no logits.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A setting is out of range, which for the constants here a test rules out.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The run did not go through.
    #[error(transparent)]
    Decode(#[from] DecodeError<ModelError>),
    /// A number is too far away.
    #[error("prompt {prompt}: {what} is {found} from the reference, at most {limit} is allowed")]
    Far {
        /// Counted from 0.
        prompt: usize,
        /// What was compared.
        what: &'static str,
        /// The distance.
        found: f64,
        /// The limit.
        limit: f64,
    },
    /// Another token.
    #[error("prompt {prompt}: {what} {index} is token {found}, in the reference it is {expected}")]
    Token {
        /// Counted from 0.
        prompt: usize,
        /// What was compared.
        what: &'static str,
        /// Position, counted from 0.
        index: usize,
        /// The model's.
        found: TokenId,
        /// The reference's.
        expected: TokenId,
    },
}
