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
    /// The texts at which a sampled run ends.
    Stop,
    /// Whether a sampled text must have a form.
    Output,
    /// The JSON Schema of that form.
    Schema,
    /// The regular expression of that form.
    Regex,
    /// The text whose words are counted.
    Text,
    /// Where the answer of a sample stands.
    Answer,
    /// The regular expression of that.
    Pattern,
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
    pub const ALL: [Self; 14] = [
        Self::Prompts,
        Self::Slots,
        Self::Requests,
        Self::Width,
        Self::LengthPenalty,
        Self::Results,
        Self::Samples,
        Self::Stop,
        Self::Output,
        Self::Schema,
        Self::Regex,
        Self::Text,
        Self::Answer,
        Self::Pattern,
    ];

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
            Self::Stop => "stop",
            Self::Output => "output",
            Self::Schema => "schema",
            Self::Regex => "regex",
            Self::Text => "text",
            Self::Answer => "answer",
            Self::Pattern => "pattern",
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
            Self::Stop => "Stop strings, one per line",
            Self::Output => "Output",
            Self::Schema => "JSON Schema",
            Self::Regex => "Regular expression",
            Self::Text => "Text to count in",
            Self::Answer => "Answer",
            Self::Pattern => "Pattern of the answer",
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
            Self::Stop => "",
            Self::Output => "text",
            Self::Schema => SCHEMA,
            Self::Regex => "(yes|no), [a-z]{2,12}( [a-z]{2,12}){0,3}\\.",
            Self::Text => nucleus_decode::bigram::STORY,
            Self::Answer => "word",
            Self::Pattern => "named (\\w+)",
        }
    }

    /// What it looks like.
    #[must_use]
    pub fn input(self) -> Input {
        match self {
            Self::Prompts | Self::Requests | Self::Schema | Self::Stop | Self::Text => Input::Lines,
            Self::Output => Input::Choice(&[
                ("text", "Free text"),
                ("json", "JSON of a schema"),
                ("regex", "Text of a regular expression"),
            ]),
            Self::Answer => Input::Choice(&[
                ("number", "The first number"),
                ("word", "The first word"),
                ("pattern", "What a pattern finds"),
            ]),
            Self::Slots
            | Self::Width
            | Self::LengthPenalty
            | Self::Results
            | Self::Samples
            | Self::Regex
            | Self::Pattern => Input::Line,
        }
    }

    /// More about it, where the label is not enough.
    #[must_use]
    pub fn note(self) -> Option<&'static str> {
        match self {
            Self::LengthPenalty => Some("Score = sum of ln p / lengthᵅ, with this α; 0 compares the bare sums."),
            Self::Schema => Some(
                "Object, array, string, number, integer, boolean, null, enum and const, nested; properties in the order written.",
            ),
            Self::Stop => Some("The text ends before the first of them. \\n is a line break."),
            Self::Text => Some(
                "A word is all between white space; each mark is a word of its own. The prompt\u{2019}s last word starts.",
            ),
            Self::Pattern => Some("A regular expression: its first group, or all that it matches."),
            _ => None,
        }
    }
}

const SCHEMA: &str = r#"{"type": "object",
 "properties": {
  "name": {"type": "string", "maxLength": 12},
  "age": {"type": "integer"},
  "happy": {"type": "boolean"}},
 "required": ["name", "age", "happy"]}"#;

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

    /// What stands in a field, if it is something else than at first.
    #[must_use]
    pub fn typed(&self, key: OptionKey) -> Option<&str> {
        self.texts.get(&key).map(String::as_str)
    }

    /// The fields in which something else stands than at first.
    pub fn iter(&self) -> impl Iterator<Item = (OptionKey, &str)> {
        self.texts.iter().map(|(&key, text)| (key, text.as_str()))
    }

    /// Takes what was typed, or what an address says. A browser shows no line break in an input of one line, so it is written
    /// out there: what is shown is what is used.
    pub(crate) fn set(&mut self, key: OptionKey, text: String) {
        let text = match key.input() {
            Input::Line => text.replace('\r', "\\r").replace('\n', "\\n"),
            Input::Lines | Input::Choice(_) => text,
        };
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
