//! The fields that may hold more text than a link can.

use crate::strategy::OptionKey;

/// A field of free text that the address holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkField {
    /// The prompt.
    Prompt,
    /// A field of a strategy.
    Option(OptionKey),
}

impl LinkField {
    /// How many characters of one field a link holds at most. Hosts and chat programs cut or refuse addresses that are much
    /// longer, and each character may take up to twelve there.
    pub const LONGEST: usize = 2_000;

    /// Whether a text is short enough for a link.
    #[must_use]
    pub fn fits(text: &str) -> bool {
        text.chars().nth(Self::LONGEST).is_none()
    }

    /// The label on the page.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Prompt => "Prompt",
            Self::Option(key) => key.label(),
        }
    }

    /// The key in the address.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Option(key) => key.word(),
        }
    }

    /// The field of a key in the address.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        if word == Self::Prompt.word() { Some(Self::Prompt) } else { OptionKey::parse(word).map(Self::Option) }
    }
}
