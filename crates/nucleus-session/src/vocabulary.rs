//! What each token stands for, as bytes.

use nucleus_sampler::TokenId;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The bytes of every token, laid end to end.
///
/// A token of a byte-level BPE stands for bytes, which need not be whole characters: whoever shows
/// one has to say so. Token `i` is `flat[ends[i - 1]..ends[i]]` (from 0 for the first).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct Vocabulary {
    flat: Vec<u8>,
    ends: Vec<u32>,
}

/// Why two lists are not a vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum VocabularyError {
    /// A token ends before the one in front of it.
    #[error("token {token} of the vocabulary ends at byte {end}, before it starts at byte {start}")]
    Backwards {
        /// The token.
        token: usize,
        /// Where it starts.
        start: u32,
        /// Where it is said to end.
        end: u32,
    },
    /// The last token does not end where the bytes end.
    #[error("the last token of the vocabulary ends at byte {end}, but there are {bytes} bytes")]
    Length {
        /// Where the last token ends.
        end: usize,
        /// How many bytes there are.
        bytes: usize,
    },
}

impl Vocabulary {
    /// Takes the bytes of all tokens, laid end to end, and where each token ends.
    ///
    /// # Errors
    /// When the ends decrease, or the last is not the number of bytes.
    pub fn new(flat: Vec<u8>, ends: Vec<u32>) -> Result<Self, VocabularyError> {
        let mut start = 0;
        for (token, &end) in ends.iter().enumerate() {
            if end < start {
                return Err(VocabularyError::Backwards { token, start, end });
            }
            start = end;
        }
        if start as usize != flat.len() {
            return Err(VocabularyError::Length { end: start as usize, bytes: flat.len() });
        }
        Ok(Self { flat, ends })
    }

    /// The bytes of a token; none for an id that the tokenizer does not know.
    #[must_use]
    pub fn bytes(&self, id: TokenId) -> &[u8] {
        let index = id.0 as usize;
        let Some(&end) = self.ends.get(index) else {
            return &[];
        };
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.flat[start as usize..end as usize]
    }

    /// How many tokens there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no token at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The bytes of all tokens, laid end to end.
    #[must_use]
    pub fn flat(&self) -> &[u8] {
        &self.flat
    }

    /// Where each token ends in [`flat`](Self::flat).
    #[must_use]
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }
}

/// The form in which a vocabulary travels; it becomes one again only if it still fits together.
#[derive(Serialize, Deserialize)]
struct Parts {
    flat: Vec<u8>,
    ends: Vec<u32>,
}

impl From<Vocabulary> for Parts {
    fn from(Vocabulary { flat, ends }: Vocabulary) -> Self {
        Self { flat, ends }
    }
}

impl TryFrom<Parts> for Vocabulary {
    type Error = VocabularyError;

    fn try_from(parts: Parts) -> Result<Self, VocabularyError> {
        Self::new(parts.flat, parts.ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_cut_at_their_ends_and_an_unknown_one_is_empty() {
        let vocabulary = Vocabulary::new(b"abcd".to_vec(), vec![1, 1, 4]).unwrap();
        assert_eq!(vocabulary.bytes(TokenId(0)), b"a");
        assert_eq!(vocabulary.bytes(TokenId(1)), b"");
        assert_eq!(vocabulary.bytes(TokenId(2)), b"bcd");
        assert_eq!(vocabulary.bytes(TokenId(3)), b"");
        assert_eq!(vocabulary.bytes(TokenId(u32::MAX)), b"");
        assert_eq!(vocabulary.len(), 3);
    }

    #[test]
    fn lists_that_do_not_fit_together_are_refused() {
        let backwards = Vocabulary::new(b"ab".to_vec(), vec![2, 1]);
        assert_eq!(backwards, Err(VocabularyError::Backwards { token: 1, start: 2, end: 1 }));
        let short = Vocabulary::new(b"abc".to_vec(), vec![1, 2]);
        assert_eq!(short, Err(VocabularyError::Length { end: 2, bytes: 3 }));
        assert_eq!(Vocabulary::new(Vec::new(), Vec::new()), Ok(Vocabulary::default()));
    }

    #[test]
    fn a_vocabulary_that_travels_is_checked_when_it_arrives() {
        let whole = Vocabulary::new(b"ab".to_vec(), vec![1, 2]).unwrap();
        let bytes = postcard::to_allocvec(&whole).unwrap();
        assert_eq!(postcard::from_bytes::<Vocabulary>(&bytes).unwrap(), whole);
        let broken = postcard::to_allocvec(&Parts { flat: b"ab".to_vec(), ends: vec![1, 7] }).unwrap();
        assert!(postcard::from_bytes::<Vocabulary>(&broken).is_err());
    }
}
