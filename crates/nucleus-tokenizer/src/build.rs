//! From the tables of a file to a tokenizer. Every rule that the library takes for granted is looked at here.

use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::normalizers::NormalizerWrapper;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::{AddedToken, AddedVocabulary};

use crate::alphabet::Alphabet;
use crate::merges::Merges;
use crate::table::{ByteTable, Spelling};
use crate::{Tokenizer, TokenizerError};

/// The token that separates documents in GPT-2's training text.
pub(crate) const END_OF_TEXT: &str = "<|endoftext|>";

/// Ids from here on are refused: the largest published vocabularies have a quarter of it, and a file that names one
/// id of 4 billion must not make a table of that length.
const ID_LIMIT: u32 = 1 << 20;

/// What a file says, before it is believed.
pub(crate) struct Parts {
    pub(crate) vocab: Vocab,
    pub(crate) merges: Merges,
    pub(crate) added: Vec<Added>,
    pub(crate) add_prefix_space: bool,
    pub(crate) use_regex: bool,
}

/// A token that is found in the text as it is spelled, before any merging.
pub(crate) struct Added {
    pub(crate) id: u32,
    pub(crate) token: AddedToken,
}

impl Parts {
    /// Makes [`END_OF_TEXT`] a special token, if the vocabulary has it.
    pub(crate) fn with_end_of_text(mut self) -> Self {
        if let Some(&id) = self.vocab.get(END_OF_TEXT) {
            self.added.push(Added { id, token: AddedToken::from(END_OF_TEXT, true) });
        }
        self
    }

    pub(crate) fn build(self) -> Result<Tokenizer, TokenizerError> {
        self.check_merges()?;
        let table = self.table()?;
        let Self { mut vocab, merges, added, add_prefix_space, use_regex } = self;
        // The library gives an added token the id that the model has for it: so the model has them all.
        for Added { id, token } in &added {
            if vocab.insert(token.content.clone(), *id).is_some_and(|other| other != *id) {
                return Err(TokenizerError::BadAddedToken { id: *id });
            }
        }
        let end_of_text = vocab.get(END_OF_TEXT).copied();
        let model = BPE::builder()
            .vocab_and_merges(vocab, merges)
            .cache_capacity(0)
            .build()
            .map_err(TokenizerError::Library)?;
        let plain = added_vocabulary(added.iter().filter(|added| !added.token.special), &model)?;
        let all = added_vocabulary(added.iter(), &model)?;
        let pre_tokenizer = ByteLevel::default().add_prefix_space(add_prefix_space).use_regex(use_regex);
        Ok(Tokenizer { model, pre_tokenizer, plain, all, alphabet: Alphabet::new(), table, end_of_text })
    }

    /// The library writes each merged token into a buffer of the longest one in the vocabulary: an unknown token
    /// there would be a panic, not an error.
    fn check_merges(&self) -> Result<(), TokenizerError> {
        let mut merged = String::new();
        for (rule, (left, right)) in self.merges.iter().enumerate() {
            merged.clear();
            merged.push_str(left);
            merged.push_str(right);
            if [left, right, &merged].iter().any(|token| !self.vocab.contains_key(token.as_str())) {
                return Err(TokenizerError::MergeOutOfVocabulary { rule });
            }
        }
        Ok(())
    }

    /// The bytes of all ids; an error if two tokens claim one id, or if no rule makes the longer ones.
    fn table(&self) -> Result<ByteTable, TokenizerError> {
        let mut spellings = vec![Spelling::Gap; self.largest_id()? as usize + 1];
        for (token, &id) in &self.vocab {
            let before = std::mem::replace(&mut spellings[id as usize], Spelling::ByteLevel(token));
            if !matches!(before, Spelling::Gap) {
                return Err(TokenizerError::DuplicateId { id });
            }
        }
        for Added { id, token } in &self.added {
            self.check_added(*id, &token.content, spellings[*id as usize])?;
            spellings[*id as usize] = Spelling::Literal(&token.content);
        }
        if self.merges.is_empty() && spellings.iter().any(Spelling::is_merged) {
            return Err(TokenizerError::NoMerges);
        }
        ByteTable::new(&spellings)
    }

    fn largest_id(&self) -> Result<u32, TokenizerError> {
        let added = self.added.iter().map(|added| added.id);
        match self.vocab.values().copied().chain(added).max() {
            None => Err(TokenizerError::EmptyVocabulary),
            Some(id) if id >= ID_LIMIT => Err(TokenizerError::IdTooLarge { id, limit: ID_LIMIT - 1 }),
            Some(id) => Ok(id),
        }
    }

    /// An added token is new, or the vocabulary's own of that id; `before` is what its id has stood for so far.
    fn check_added(&self, id: u32, content: &str, before: Spelling<'_>) -> Result<(), TokenizerError> {
        let elsewhere = self.vocab.get(content).is_some_and(|&other| other != id);
        if content.is_empty() || elsewhere {
            return Err(TokenizerError::BadAddedToken { id });
        }
        match before {
            Spelling::Gap => Ok(()),
            Spelling::ByteLevel(token) | Spelling::Literal(token) if token == content => Ok(()),
            Spelling::ByteLevel(_) | Spelling::Literal(_) => Err(TokenizerError::DuplicateId { id }),
        }
    }
}

fn added_vocabulary<'a>(
    added: impl Iterator<Item = &'a Added>,
    model: &BPE,
) -> Result<AddedVocabulary, TokenizerError> {
    let mut vocabulary = AddedVocabulary::new();
    let tokens = added.map(|added| added.token.clone());
    vocabulary.add_tokens(tokens, model, None::<&NormalizerWrapper>).map_err(TokenizerError::Library)?;
    Ok(vocabulary)
}
