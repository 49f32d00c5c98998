//! The strategies by name.

use super::option::{OptionKey, Options};
use crate::link_field::LinkField;

/// How the next tokens are decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StrategyKind {
    /// One run, one draw for each token.
    #[default]
    Sample,
    /// Several prompts side by side, padded to one length.
    Batch,
    /// Requests that come and go in a fixed number of slots.
    Slots,
    /// The most likely of several texts, searched side by side.
    Beam,
    /// Several samples of one prompt, and a vote on their answers.
    Vote,
    /// No model: counts of which word follows which.
    Bigram,
}

impl StrategyKind {
    /// All of them, in the order of the switch.
    pub const ALL: [Self; 6] = [Self::Sample, Self::Batch, Self::Slots, Self::Beam, Self::Vote, Self::Bigram];

    /// The name on the switch.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Sample => "Sample",
            Self::Batch => "Batch",
            Self::Slots => "Continuous batching",
            Self::Beam => "Beam search",
            Self::Vote => "Self-consistency",
            Self::Bigram => "Bigram",
        }
    }

    /// The name in the address.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Sample => "sample",
            Self::Batch => "batch",
            Self::Slots => "slots",
            Self::Beam => "beam",
            Self::Vote => "vote",
            Self::Bigram => "bigram",
        }
    }

    /// The strategy of a name in the address.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// What it does, in a sentence.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Sample => "One text: each token is drawn from what temperature, top-k and top-p leave.",
            Self::Batch => {
                "Several prompts in one pass: shorter ones are padded on the left, and the mask keeps the padding out of sight."
            }
            Self::Slots => {
                "Requests share a fixed number of slots: whoever finishes frees one, and the next request moves in at once."
            }
            Self::Beam => {
                "The best few texts are kept at every step, scored by the sum of their log-probabilities; no draw, no temperature."
            }
            Self::Vote => "One prompt sampled several times, each from its own stream of the seed; the answers vote.",
            Self::Bigram => {
                "The oldest language model: how often each word followed the last one in a text. No GPT-2, one draw for each word."
            }
        }
    }

    /// What can be set for it, beside prompt, seed, length and the sampling settings.
    #[must_use]
    pub fn options(self, options: &Options) -> Vec<OptionKey> {
        use OptionKey as Key;
        match self {
            Self::Sample => match options.text(Key::Output) {
                "json" => vec![Key::Stop, Key::Output, Key::Schema],
                "regex" => vec![Key::Stop, Key::Output, Key::Regex],
                _ => vec![Key::Stop, Key::Output],
            },
            Self::Batch => vec![Key::Prompts],
            Self::Slots => vec![Key::Slots, Key::Requests],
            Self::Beam => vec![Key::Width, Key::LengthPenalty, Key::Results],
            Self::Vote if options.text(Key::Answer) == "pattern" => vec![Key::Samples, Key::Answer, Key::Pattern],
            Self::Vote => vec![Key::Samples, Key::Answer],
            Self::Bigram => vec![Key::Text],
        }
    }

    /// Whether the prompt field is read.
    #[must_use]
    pub fn reads_prompt(self) -> bool {
        !matches!(self, Self::Batch | Self::Slots)
    }

    /// The field whose text becomes tokens that the model reads; `None` where there is no model.
    #[must_use]
    pub fn read_by_model(self) -> Option<LinkField> {
        match self {
            Self::Sample | Self::Beam | Self::Vote => Some(LinkField::Prompt),
            Self::Batch => Some(LinkField::Option(OptionKey::Prompts)),
            Self::Slots => Some(LinkField::Option(OptionKey::Requests)),
            Self::Bigram => None,
        }
    }

    /// Whether temperature, top-k and top-p are read.
    #[must_use]
    pub fn reads_settings(self) -> bool {
        !matches!(self, Self::Beam | Self::Bigram)
    }
}
