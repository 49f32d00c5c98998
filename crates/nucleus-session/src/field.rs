//! A number that the reader types: the text as typed, and the last good value.

use core::fmt;
use core::num::NonZeroU32;

use nucleus_sampler::{RepetitionPenalty, SettingError, Temperature, TopK, TopP};
use thiserror::Error;

use crate::brief::brief;
use crate::control::Control;

/// A text field over a value. Nothing typed is lost: a text that is no good value stays as it is,
/// has a sentence that says why, and leaves the last good value in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Field<T> {
    text: String,
    value: T,
    error: Option<FieldError>,
}

impl<T: Typed> Field<T> {
    /// A field that shows a value.
    #[must_use]
    pub fn new(value: T) -> Self {
        Self { text: value.to_text(), value, error: None }
    }

    /// Takes what was typed.
    pub fn type_text(&mut self, text: &str) {
        text.clone_into(&mut self.text);
        match T::from_text(text.trim()) {
            Ok(value) => {
                self.value = value;
                self.error = None;
            }
            Err(error) => self.error = Some(error),
        }
    }

    /// Replaces text and value.
    pub fn set(&mut self, value: T) {
        *self = Self::new(value);
    }

    /// Replaces the value that is in force while the text is no good; a good text stays.
    pub fn fall_back_to(&mut self, value: T) {
        if self.error.is_some() {
            self.value = value;
        }
    }

    /// The text as typed.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The last good value.
    #[must_use]
    pub fn value(&self) -> T {
        self.value
    }

    /// Why the text is no value, if it is none.
    #[must_use]
    pub fn error(&self) -> Option<&FieldError> {
        self.error.as_ref()
    }
}

/// A value that can be typed.
pub trait Typed: Copy + PartialEq {
    /// Reads a trimmed text.
    ///
    /// # Errors
    /// When it is no such value.
    fn from_text(text: &str) -> Result<Self, FieldError>;

    /// The text that gives exactly this value back.
    fn to_text(&self) -> String;
}

/// Why a text is no value: with the text or value, the limit, and what to do.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum FieldError {
    /// Nothing was typed.
    #[error("{} is empty; type {}", Name(*.0), example(*.0))]
    Empty(Control),
    /// Not a number.
    #[error("{} is \u{201c}{text}\u{201d}, which is not a number; type {}", Name(*.control), example(*.control))]
    NotANumber {
        /// Where.
        control: Control,
        /// What was typed, cut where it is long.
        text: String,
    },
    /// Not a whole number within the limits.
    #[error(
        "{} is {text}, but must be a whole number from {least} to {most}{}",
        Name(*.control),
        hint(*.control)
    )]
    NotWhole {
        /// Where.
        control: Control,
        /// What was typed, cut where it is long.
        text: String,
        /// The least value.
        least: u64,
        /// The largest value.
        most: u64,
    },
    /// A number that the sampler refuses.
    #[error("{} is {text}{}, but must be {}", Name(*.control), counts_as(text, *.value), .error.must())]
    Setting {
        /// Where.
        control: Control,
        /// What was typed, cut where it is long.
        text: String,
        /// The number that the text is read as.
        value: f64,
        /// Why the sampler refuses it.
        error: SettingError,
    },
}

/// Which stream of uniform numbers: every `u64`, exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seed(pub u64);

/// How many tokens to generate at most: 1 to [`NewTokens::MOST`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewTokens(NonZeroU32);

impl NewTokens {
    /// The largest number. The logits of every step are kept, 200 kB each for GPT-2.
    pub const MOST: u32 = 1024;

    /// What a new page has: 40.
    pub const DEFAULT: Self = Self(NonZeroU32::MIN.saturating_add(39));

    /// Checks a number; `None` outside 1 to [`MOST`](Self::MOST).
    #[must_use]
    pub const fn new(value: u32) -> Option<Self> {
        match NonZeroU32::new(value) {
            Some(value) if value.get() <= Self::MOST => Some(Self(value)),
            _ => None,
        }
    }

    /// The number itself.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0.get()
    }
}

impl Typed for Temperature {
    fn from_text(text: &str) -> Result<Self, FieldError> {
        setting(Control::Temperature, text, Self::new)
    }

    fn to_text(&self) -> String {
        shortest(self.get())
    }
}

impl Typed for TopP {
    fn from_text(text: &str) -> Result<Self, FieldError> {
        setting(Control::TopP, text, Self::new)
    }

    fn to_text(&self) -> String {
        shortest(self.get())
    }
}

impl Typed for RepetitionPenalty {
    fn from_text(text: &str) -> Result<Self, FieldError> {
        setting(Control::RepetitionPenalty, text, Self::new)
    }

    fn to_text(&self) -> String {
        shortest(self.get())
    }
}

impl Typed for TopK {
    fn from_text(text: &str) -> Result<Self, FieldError> {
        let k = whole(Control::TopK, text, 0, u64::from(u32::MAX))?;
        Ok(u32::try_from(k).map_or(Self::OFF, Self::from))
    }

    fn to_text(&self) -> String {
        self.get().to_string()
    }
}

impl Typed for Seed {
    fn from_text(text: &str) -> Result<Self, FieldError> {
        whole(Control::Seed, text, 0, u64::MAX).map(Self)
    }

    fn to_text(&self) -> String {
        self.0.to_string()
    }
}

impl Typed for NewTokens {
    fn from_text(text: &str) -> Result<Self, FieldError> {
        let (least, most) = (1, u64::from(Self::MOST));
        let control = Control::NewTokens;
        let value = whole(control, text, least, most)?;
        u32::try_from(value).ok().and_then(Self::new).ok_or_else(|| FieldError::NotWhole {
            control,
            text: brief(text),
            least,
            most,
        })
    }

    fn to_text(&self) -> String {
        self.get().to_string()
    }
}

fn setting<T>(control: Control, text: &str, new: fn(f64) -> Result<T, SettingError>) -> Result<T, FieldError> {
    let value = number(control, text)?;
    new(value).map_err(|error| FieldError::Setting { control, text: brief(text), value, error })
}

fn number(control: Control, text: &str) -> Result<f64, FieldError> {
    if text.is_empty() {
        return Err(FieldError::Empty(control));
    }
    text.parse().map_err(|_| FieldError::NotANumber { control, text: brief(text) })
}

/// A whole number, read as one: by way of a float a seed near 2^64 would change.
fn whole(control: Control, text: &str, least: u64, most: u64) -> Result<u64, FieldError> {
    if let Ok(value) = text.parse::<u64>()
        && (least..=most).contains(&value)
    {
        return Ok(value);
    }
    number(control, text)?;
    Err(FieldError::NotWhole { control, text: brief(text), least, most })
}

/// The shortest text that is exactly this number: 1e-40 rather than its 41 digits.
fn shortest(value: f64) -> String {
    if value == 0.0 || (1e-5..1e15).contains(&value) { value.to_string() } else { format!("{value:e}") }
}

/// What a number beyond the range of `f64` is read as: without it the limit would seem to be kept.
fn counts_as(text: &str, value: f64) -> &'static str {
    let significand = text.split(['e', 'E']).next().unwrap_or_default();
    match value {
        _ if !significand.contains(|character: char| matches!(character, '1'..='9')) => "",
        f64::INFINITY | f64::NEG_INFINITY => " (so large that it counts as infinite)",
        0.0 => " (so small that it counts as 0)",
        _ => "",
    }
}

/// A control's name within a sentence.
struct Name(Control);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Control::Prompt => "the prompt",
            Control::Temperature => "temperature",
            Control::TopK => "top-k",
            Control::TopP => "top-p",
            Control::RepetitionPenalty => "repetition penalty",
            Control::Seed => "the seed",
            Control::NewTokens => "new tokens",
        })
    }
}

fn example(control: Control) -> &'static str {
    match control {
        Control::Prompt => "the beginning of a text",
        Control::Temperature => "a number such as 0.8",
        Control::TopK => "a whole number such as 40, or 0 for off",
        Control::TopP => "a number such as 0.9, or 1 for off",
        Control::RepetitionPenalty => "a number such as 1.2, or 1 for off",
        Control::Seed => "a whole number such as 42",
        Control::NewTokens => "a whole number such as 40",
    }
}

fn hint(control: Control) -> &'static str {
    match control {
        Control::TopK => "; 0 turns top-k off",
        _ => "",
    }
}
