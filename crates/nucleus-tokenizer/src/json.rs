//! The part of a `tokenizer.json` that decides the ids.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokenizers::AddedToken;
use tokenizers::models::bpe::Vocab;

use crate::build::{Added, Parts};
use crate::merges::{self, Rule};
use crate::{Name, TokenizerError};

/// Read first: what kind of tokenizer it is. Its tables may have any shape as yet.
#[derive(Deserialize)]
struct Outline {
    model: Kind,
    #[serde(default)]
    normalizer: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    pre_tokenizer: Option<PreTokenizer>,
}

#[derive(Deserialize)]
struct Kind {
    #[serde(default, rename = "type")]
    name: Option<String>,
}

#[derive(Deserialize)]
struct PreTokenizer {
    #[serde(rename = "type")]
    name: String,
    #[serde(default)]
    add_prefix_space: bool,
    #[serde(default = "yes")]
    use_regex: bool,
}

fn yes() -> bool {
    true
}

/// Read second: the tables.
#[derive(Deserialize)]
struct Tables {
    model: Model,
    #[serde(default)]
    added_tokens: Vec<AddedEntry>,
}

#[derive(Deserialize)]
struct Model {
    vocab: Vocab,
    #[serde(default)]
    merges: Option<Vec<Rule>>,
    #[serde(default)]
    dropout: Option<f64>,
    #[serde(default)]
    continuing_subword_prefix: Option<String>,
    #[serde(default)]
    end_of_word_suffix: Option<String>,
    #[serde(default)]
    ignore_merges: bool,
}

#[derive(Deserialize)]
struct AddedEntry {
    id: u32,
    content: String,
    #[serde(default)]
    single_word: bool,
    #[serde(default)]
    lstrip: bool,
    #[serde(default)]
    rstrip: bool,
    #[serde(default)]
    normalized: bool,
    #[serde(default)]
    special: bool,
}

impl Parts {
    pub(crate) fn from_json(json: &[u8]) -> Result<Self, TokenizerError> {
        let byte_level = parse::<Outline>(json)?.byte_level()?;
        let tables: Tables = parse(json)?;
        tables.model.check()?;
        Ok(Self {
            vocab: tables.model.vocab,
            merges: merges::from_rules(tables.model.merges.ok_or(TokenizerError::NoMerges)?)?,
            added: tables.added_tokens.into_iter().map(AddedEntry::into_added).collect(),
            add_prefix_space: byte_level.add_prefix_space,
            use_regex: byte_level.use_regex,
        })
    }

    pub(crate) fn from_vocab_and_merges(vocab_json: &[u8], merges_txt: &[u8]) -> Result<Self, TokenizerError> {
        Ok(Self {
            vocab: parse(vocab_json)?,
            merges: merges::from_text(merges_txt)?,
            added: Vec::new(),
            add_prefix_space: false,
            use_regex: true,
        }
        .with_end_of_text())
    }
}

fn parse<T: DeserializeOwned>(json: &[u8]) -> Result<T, TokenizerError> {
    serde_json::from_slice(json).map_err(|error| {
        if error.is_data() { TokenizerError::NotATokenizer(error) } else { TokenizerError::NotJson(error) }
    })
}

impl Outline {
    /// The ByteLevel pre-tokenizer of a byte-level BPE tokenizer.
    fn byte_level(self) -> Result<PreTokenizer, TokenizerError> {
        // Files from before version 0.6 of the library do not name the type of the model.
        if let Some(found) = self.model.name.filter(|name| name != "BPE") {
            return Err(TokenizerError::NotBpe { found: Name::new(&found) });
        }
        if self.normalizer.is_some() {
            return Err(TokenizerError::Unsupported { part: "normalizer" });
        }
        match self.pre_tokenizer {
            Some(found) if found.name == "ByteLevel" => Ok(found),
            Some(found) => Err(TokenizerError::NotByteLevel { found: Name::new(&found.name) }),
            None => Err(TokenizerError::NotByteLevel { found: Name::new("missing") }),
        }
    }
}

impl Model {
    /// Refuses what would change the ids. `unk_token`, `fuse_unk` and `byte_fallback` would not: bytes are never unknown.
    fn check(&self) -> Result<(), TokenizerError> {
        let is_set = |affix: &Option<String>| affix.as_ref().is_some_and(|text| !text.is_empty());
        let settings = [
            ("dropout", self.dropout.is_some_and(|share| share != 0.0)),
            ("continuing_subword_prefix", is_set(&self.continuing_subword_prefix)),
            ("end_of_word_suffix", is_set(&self.end_of_word_suffix)),
            ("ignore_merges", self.ignore_merges),
        ];
        match settings.iter().find(|(_, is_set)| *is_set) {
            Some(&(part, _)) => Err(TokenizerError::Unsupported { part }),
            None => Ok(()),
        }
    }
}

impl AddedEntry {
    fn into_added(self) -> Added {
        let token = AddedToken::from(self.content, self.special)
            .single_word(self.single_word)
            .lstrip(self.lstrip)
            .rstrip(self.rstrip)
            .normalized(self.normalized);
        Added { id: self.id, token }
    }
}
