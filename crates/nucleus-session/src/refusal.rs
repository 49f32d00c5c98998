//! Why Generate was refused.

use core::fmt;

use nucleus_sampler::TokenId;

use crate::control::Control;
use crate::controls::Controls;
use crate::field::FieldError;
use crate::strategy::OptionError;

/// What keeps a run from being started. Its text is a sentence for the reader.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// There is nothing to continue.
    EmptyPrompt,
    /// A control holds no good value.
    Control {
        /// Which one.
        control: Control,
        /// What is wrong with it.
        error: FieldError,
    },
    /// A field of the strategy holds no good value.
    Option(OptionError),
    /// The address forces a token that the model does not have.
    ForcedToken {
        /// Where, from 0.
        step: usize,
        /// Which.
        token: TokenId,
        /// How many tokens the model has: every id is below.
        n_tokens: usize,
    },
}

impl Refusal {
    /// The first control that holds no good value.
    pub(crate) fn of(controls: &Controls) -> Option<Self> {
        let control = controls.first_bad()?;
        controls.error(control).map(|error| Self::Control { control, error: error.clone() })
    }

    /// The control that must be changed; `None` where it is a field of the strategy, or the address.
    #[must_use]
    pub fn control(&self) -> Option<Control> {
        match self {
            Self::EmptyPrompt => Some(Control::Prompt),
            Self::Control { control, .. } => Some(*control),
            Self::Option(_) | Self::ForcedToken { .. } => None,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyPrompt => f.write_str(
                "Not started: the prompt is empty, and the model can only continue a text. Type at least one character.",
            ),
            Self::Control { error, .. } => write!(f, "Not started: {error}."),
            Self::Option(error) => write!(f, "Not started: {}: {error}.", error.key.label()),
            Self::ForcedToken { step, token, n_tokens } => write!(
                f,
                "Not started: the address forces token {token} at step {step} (force={step}:{token}), but the model\u{2019}s vocabulary has {n_tokens} \
                 tokens, and ids must be below that. Press Generate to draw every token, or open a corrected address."
            ),
        }
    }
}
