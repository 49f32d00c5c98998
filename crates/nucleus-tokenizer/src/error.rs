use core::fmt;

/// Why a tokenizer could not be read, or a text not be encoded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenizerError {
    /// The file does not parse: an HTML page, a Git LFS pointer, a download that was cut.
    #[error("the tokenizer file is not JSON: {0}; download it again")]
    NotJson(#[source] serde_json::Error),
    /// The file is JSON of another shape.
    #[error("the file is JSON, but not a tokenizer: {0}")]
    NotATokenizer(#[source] serde_json::Error),
    /// The merges file is not UTF-8.
    #[error("the merges are not UTF-8 after byte {valid_up_to}; download the file again")]
    MergesNotText {
        /// How many bytes of the file are valid UTF-8.
        valid_up_to: usize,
    },
    /// The model of the file is not BPE.
    #[error("the tokenizer's model is {found}, but must be BPE, as GPT-2's")]
    NotBpe {
        /// The model's type in the file.
        found: Name,
    },
    /// Words are not written byte by byte.
    #[error("the pre-tokenizer is {found}, but must be ByteLevel, as GPT-2's")]
    NotByteLevel {
        /// The pre-tokenizer's type in the file.
        found: Name,
    },
    /// A token has a character that stands for no byte.
    #[error("token {id} has a character outside the 256 of byte-level BPE, so its bytes are unknown")]
    TokenNotByteLevel {
        /// The first such token.
        id: u32,
    },
    /// The file asks for something that would change the ids and that GPT-2's tokenizer does not have.
    #[error("the tokenizer sets `{part}`, which GPT-2's does not have; use a GPT-2-shaped tokenizer")]
    Unsupported {
        /// The key in the file.
        part: &'static str,
    },
    /// The vocabulary has no entries.
    #[error("the vocabulary is empty")]
    EmptyVocabulary,
    /// An id so large that the table of all ids would not fit.
    #[error("token id {id} is beyond the limit of {limit}")]
    IdTooLarge {
        /// The largest id in the file.
        id: u32,
        /// The largest id that is accepted.
        limit: u32,
    },
    /// Two tokens share an id.
    #[error("token id {id} is used by two tokens")]
    DuplicateId {
        /// The id in question.
        id: u32,
    },
    /// An added token is empty, or has another id in the vocabulary.
    #[error("added token {id} is empty, or the vocabulary has it under another id")]
    BadAddedToken {
        /// The id it has among the added tokens.
        id: u32,
    },
    /// There are no merge rules, but tokens that only a rule can make.
    #[error("the merge rules are missing: without them the tokens longer than one byte cannot be made")]
    NoMerges,
    /// A merge rule is not two tokens with one space between them.
    #[error("merge rule {rule} is not two tokens with one space between them")]
    BadMerge {
        /// Its rank, the first rule being 0.
        rule: usize,
    },
    /// A merge rule takes or makes a token that the vocabulary lacks.
    #[error("merge rule {rule} takes or makes a token that is not in the vocabulary")]
    MergeOutOfVocabulary {
        /// Its rank, the first rule being 0.
        rule: usize,
    },
    /// The vocabulary lacks a token for one of the text's bytes.
    #[error("the text has the byte {byte:#04X}, for which this vocabulary has no token; leave the character out")]
    NoTokenForByte {
        /// The byte in question.
        byte: u8,
    },
    /// The text is longer than what is encoded at once.
    #[error("the text has {length} bytes, but at most {limit} are encoded at once; shorten it")]
    TextTooLong {
        /// Bytes of the text.
        length: usize,
        /// Bytes that are accepted.
        limit: usize,
    },
    /// The `tokenizers` library refused something that passed the checks above.
    #[error("the tokenizer library failed: {0}")]
    Library(#[source] tokenizers::Error),
}

/// A name out of a file, cut to a length that fits a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(Box<str>);

impl Name {
    const MAX_CHARS: usize = 32;

    pub(crate) fn new(text: &str) -> Self {
        Self(text.chars().take(Self::MAX_CHARS).collect())
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
