use tokenizers::models::bpe::BPE;
use tokenizers::normalizers::NormalizerWrapper;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::{AddedVocabulary, Model, OffsetReferential, OffsetType, PreTokenizer};

use crate::TokenizerError;
use crate::alphabet::Alphabet;
use crate::build::{END_OF_TEXT, Parts};
use crate::table::ByteTable;

/// What becomes of the spelling of a special token, such as `<|endoftext|>`, inside a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpecialTokens {
    /// It is text like any other, encoded piece by piece: what somebody types never ends a document.
    #[default]
    AsText,
    /// It becomes the one id of the special token.
    Parsed,
}

/// A byte-level BPE tokenizer: text to ids, ids to bytes.
pub struct Tokenizer {
    pub(crate) model: BPE,
    pub(crate) pre_tokenizer: ByteLevel,
    /// The added tokens that are not special: they are found in any text.
    pub(crate) plain: AddedVocabulary,
    /// All added tokens.
    pub(crate) all: AddedVocabulary,
    pub(crate) alphabet: Alphabet,
    pub(crate) table: ByteTable,
    pub(crate) end_of_text: Option<u32>,
}

impl Tokenizer {
    /// The longest text that is encoded at once, in bytes. The regular expression keeps a stack entry for each
    /// character of a run of white space and gives up, without saying so, at a million.
    pub const MAX_TEXT_BYTES: usize = 1_000_000;

    /// Reads a `tokenizer.json` of Hugging Face: byte-level BPE only.
    ///
    /// Truncation, padding, the decoder and the post-processor of the file are not used: ids come from the text alone.
    ///
    /// # Errors
    ///
    /// When the file is not JSON, not a tokenizer, not byte-level BPE, or contradicts itself. Whatever the bytes, it
    /// does not panic.
    pub fn from_json(json: &[u8]) -> Result<Self, TokenizerError> {
        Parts::from_json(json)?.build()
    }

    /// Reads GPT-2's original pair of files: `encoder.json` (or `vocab.json`), token to id, and `vocab.bpe` (or
    /// `merges.txt`), one merge rule a line. A token `<|endoftext|>` in the vocabulary is special.
    ///
    /// # Errors
    ///
    /// As [`Tokenizer::from_json`].
    pub fn from_vocab_and_merges(vocab_json: &[u8], merges_txt: &[u8]) -> Result<Self, TokenizerError> {
        Parts::from_vocab_and_merges(vocab_json, merges_txt)?.build()
    }

    /// The ids of `text`. Their bytes, one after the other, are the bytes of the text (unless the file asks for a
    /// leading space, or an added token takes the white space beside it).
    ///
    /// # Errors
    ///
    /// When the text is longer than [`Tokenizer::MAX_TEXT_BYTES`], or has a byte without a token in this vocabulary.
    pub fn encode(&self, text: &str, special: SpecialTokens) -> Result<Vec<u32>, TokenizerError> {
        if text.len() > Self::MAX_TEXT_BYTES {
            return Err(TokenizerError::TextTooLong { length: text.len(), limit: Self::MAX_TEXT_BYTES });
        }
        let added = match special {
            SpecialTokens::AsText => &self.plain,
            SpecialTokens::Parsed => &self.all,
        };
        let mut words = added.extract_and_normalize(None::<&NormalizerWrapper>, text);
        self.pre_tokenizer.pre_tokenize(&mut words).map_err(TokenizerError::Library)?;
        let mut ids = Vec::new();
        for (word, _, tokens) in words.get_splits(OffsetReferential::Normalized, OffsetType::None) {
            match tokens {
                Some(added) => ids.extend(added.iter().map(|token| token.id)),
                None => self.encode_word(word, &mut ids)?,
            }
        }
        Ok(ids)
    }

    /// Appends the ids of one word, written in the byte-level alphabet.
    fn encode_word(&self, word: &str, ids: &mut Vec<u32>) -> Result<(), TokenizerError> {
        let tokens = self.model.tokenize(word).map_err(TokenizerError::Library)?;
        let mut spelled = tokens.iter().flat_map(|token| self.bytes(token.id).unwrap_or_default().iter().copied());
        let mut bytes = word.chars().filter_map(|c| self.alphabet.byte(c));
        // The library drops a byte that has no token, without a word: look that every byte is there, and no other.
        loop {
            match (bytes.next(), spelled.next()) {
                (None, None) => break,
                (byte, found) if byte == found => {}
                (Some(byte), _) | (None, Some(byte)) => {
                    return Err(TokenizerError::NoTokenForByte { byte });
                }
            }
        }
        ids.extend(tokens.iter().map(|token| token.id));
        Ok(())
    }

    /// How many ids there are, gaps included: every id of [`Tokenizer::encode`] is below it. A model may have more
    /// columns of logits (padding); those stand for nothing.
    pub fn n_vocab(&self) -> usize {
        self.table.len()
    }

    /// The bytes that `id` stands for: part of a character, many characters, or none for an id in a gap. Added and
    /// special tokens stand for their own spelling. `None` for ids from [`Tokenizer::n_vocab`] on.
    pub fn bytes(&self, id: u32) -> Option<&[u8]> {
        self.table.get(id)
    }

    /// The bytes of all ids as one flat table: token `i` is `flat[ends[i - 1]..ends[i]]`, the first starting at 0.
    pub fn all_bytes(&self) -> (&[u8], &[u32]) {
        self.table.parts()
    }

    /// The id of `<|endoftext|>`, with which GPT-2 ends a document and starts the next; none if there is no such token.
    pub fn end_of_text(&self) -> Option<u32> {
        self.end_of_text
    }
}

impl core::fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Tokenizer")
            .field("n_vocab", &self.n_vocab())
            .field(END_OF_TEXT, &self.end_of_text)
            .finish_non_exhaustive()
    }
}
