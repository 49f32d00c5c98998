//! The fields that may hold more text than a link can.

use crate::percent;
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
    /// longer.
    pub const LONGEST: usize = 2_000;

    /// How many characters one field takes in the address at most: a character of the field takes 1, or 3 to 12 if it is no
    /// letter from a to z and no digit.
    pub const LONGEST_IN_ADDRESS: usize = 6_000;

    /// Whether a text is short enough for a link.
    #[must_use]
    pub fn fits(text: &str) -> bool {
        text.chars().nth(Self::LONGEST).is_none() && Self::length_in_address(text) <= Self::LONGEST_IN_ADDRESS
    }

    /// How many characters a text takes in the address.
    #[must_use]
    pub fn length_in_address(text: &str) -> usize {
        percent::encoded_length(text)
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
