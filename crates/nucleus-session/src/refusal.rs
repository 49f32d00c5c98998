//! Why Generate was refused.

use core::fmt;

use crate::control::Control;
use crate::controls::Controls;
use crate::field::FieldError;

/// A control that keeps a run from being started. Its text is a sentence for the reader.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Which control.
    pub control: Control,
    /// What is wrong with it; `None` for a prompt that is empty.
    pub error: Option<FieldError>,
}

impl Refusal {
    pub(crate) fn of(control: Control, controls: &Controls) -> Self {
        Self { control, error: controls.error(control).cloned() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.error {
            Some(error) => write!(f, "Not started: {error}."),
            None => f.write_str(
                "Not started: the prompt is empty, and the model can only continue a text. Type at least one character.",
            ),
        }
    }
}
