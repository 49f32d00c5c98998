//! Output that must have a form.

use nucleus_decode::ConstraintTrace;
use nucleus_sampler::TokenSet;
use serde::{Deserialize, Serialize};

use super::option::{OptionKey, Options};
use super::plan::OptionError;

/// What a text must be, as the reader typed it. It is compiled where the vocabulary is, in the engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConstraintSource {
    /// A JSON text that a schema describes.
    JsonSchema(String),
    /// A text that a regular expression matches as a whole.
    Regex(String),
}

/// What a constraint said at one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Constrained {
    /// The numbers of it.
    pub told: ConstraintTrace,
    /// The tokens that it allowed.
    pub allowed: TokenSet,
}

impl ConstraintSource {
    /// What the fields of a sampled run ask for.
    pub(crate) fn of(options: &Options) -> Option<Self> {
        match options.text(OptionKey::Output) {
            "json" => Some(Self::JsonSchema(options.text(OptionKey::Schema).to_owned())),
            "regex" => Some(Self::Regex(options.text(OptionKey::Regex).to_owned())),
            _ => None,
        }
    }

    /// The field that it stands in.
    pub(crate) fn key(&self) -> OptionKey {
        match self {
            Self::JsonSchema(_) => OptionKey::Schema,
            Self::Regex(_) => OptionKey::Regex,
        }
    }

    /// Looks at the word that chooses between them, which an address may have wrong.
    pub(crate) fn check(options: &Options) -> Result<(), OptionError> {
        match options.text(OptionKey::Output) {
            "text" | "json" | "regex" => Ok(()),
            other => Err(OptionError {
                key: OptionKey::Output,
                message: format!(
                    "\u{201c}{}\u{201d} does not do: choose text, json or regex",
                    crate::brief::brief(other)
                ),
            }),
        }
    }
}
