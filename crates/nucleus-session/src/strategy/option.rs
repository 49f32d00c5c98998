//! What can be set for a strategy: fields as data, so that form and address follow by themselves.

use std::collections::BTreeMap;

/// A field of a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OptionKey {
    /// The prompts of a batch.
    Prompts,
    /// How many slots there are.
    Slots,
    /// The requests that share them.
    Requests,
    /// How many beams are kept.
    Width,
    /// The power of the length that a beam's sum is divided by.
    LengthPenalty,
    /// How many results are shown.
    Results,
    /// How many samples vote.
    Samples,
}

/// What a field looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A number or a short text.
    Line,
    /// Several lines.
    Lines,
    /// One of these: the word in the address, and the label.
    Choice(&'static [(&'static str, &'static str)]),
}

impl OptionKey {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Prompts, Self::Slots, Self::Requests, Self::Width, Self::LengthPenalty, Self::Results, Self::Samples];

    /// The key in the address; also the field's name in the document.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Prompts => "prompts",
            Self::Slots => "slots",
            Self::Requests => "requests",
            Self::Width => "width",
            Self::LengthPenalty => "length_penalty",
            Self::Results => "results",
            Self::Samples => "samples",
        }
    }

    /// The option of a key in the address.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.word() == word)
    }

    /// The label.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Prompts => "Prompts, one per line",
            Self::Slots => "Slots",
            Self::Requests => "Requests, one per line: step of arrival, new tokens, prompt",
            Self::Width => "Width",
            Self::LengthPenalty => "Length penalty",
            Self::Results => "Results",
            Self::Samples => "Samples",
        }
    }

    /// What stands in it at first.
    #[must_use]
    pub fn default_text(self) -> &'static str {
        match self {
            Self::Prompts => "Once upon a time\nTom and his dog\nThe little red house\nThe end",
            Self::Slots => "2",
            Self::Requests => {
                "0 12 Once upon a time\n0 5 Tom and his dog\n2 8 The little red house\n3 4 One day\n9 6 The end"
            }
            Self::Width => "4",
            Self::LengthPenalty => "1",
            Self::Results => "3",
            Self::Samples => "5",
        }
    }

    /// What it looks like.
    #[must_use]
    pub fn input(self) -> Input {
        match self {
            Self::Prompts | Self::Requests => Input::Lines,
            Self::Slots | Self::Width | Self::LengthPenalty | Self::Results | Self::Samples => Input::Line,
        }
    }

    /// More about it, where the label is not enough.
    #[must_use]
    pub fn note(self) -> Option<&'static str> {
        match self {
            Self::LengthPenalty => Some("Score = sum of ln p / lengthᵅ, with this α; 0 compares the bare sums."),
            _ => None,
        }
    }
}

/// What stands in the fields of all strategies, as typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    texts: BTreeMap<OptionKey, String>,
}

impl Options {
    /// What stands in a field.
    #[must_use]
    pub fn text(&self, key: OptionKey) -> &str {
        self.texts.get(&key).map_or(key.default_text(), String::as_str)
    }

    /// The fields in which something else stands than at first.
    pub fn iter(&self) -> impl Iterator<Item = (OptionKey, &str)> {
        self.texts.iter().map(|(&key, text)| (key, text.as_str()))
    }

    /// Takes what was typed, or what an address says.
    pub(crate) fn set(&mut self, key: OptionKey, text: String) {
        if text == key.default_text() {
            self.texts.remove(&key);
        } else {
            self.texts.insert(key, text);
        }
    }
}

impl Extend<(OptionKey, String)> for Options {
    fn extend<T: IntoIterator<Item = (OptionKey, String)>>(&mut self, texts: T) {
        texts.into_iter().for_each(|(key, text)| self.set(key, text));
    }
}
