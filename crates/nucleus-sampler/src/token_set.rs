//! A set of tokens: what a constraint allows.

use alloc::{vec, vec::Vec};

use serde::{Deserialize, Serialize};

use crate::TokenId;

const WORD: usize = u64::BITS as usize;

/// A set of tokens of a vocabulary, one bit for each: 6.3 kB for GPT-2's 50,257.
///
/// Ids beyond the vocabulary are in no set.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Bits", into = "Bits")]
pub struct TokenSet {
    n_vocab: usize,
    /// Bit `id % 64` of word `id / 64`; bits from `n_vocab` on are 0.
    words: Vec<u64>,
}

impl TokenSet {
    /// The set without a token.
    #[must_use]
    pub fn none(n_vocab: usize) -> Self {
        Self { n_vocab, words: vec![0; n_vocab.div_ceil(WORD)] }
    }

    /// The set of all `n_vocab` tokens.
    #[must_use]
    pub fn all(n_vocab: usize) -> Self {
        let mut set = Self { n_vocab, words: vec![u64::MAX; n_vocab.div_ceil(WORD)] };
        set.clear_beyond();
        set
    }

    /// How many tokens the vocabulary has, in the set or not.
    #[must_use]
    pub fn n_vocab(&self) -> usize {
        self.n_vocab
    }

    /// How many tokens are in the set. They are counted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether no token is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Whether a token is in the set.
    #[must_use]
    pub fn contains(&self, id: TokenId) -> bool {
        self.words.get(id.index() / WORD).is_some_and(|word| word >> (id.index() % WORD) & 1 == 1)
    }

    /// Puts a token in. Returns whether it is new; one beyond the vocabulary is not taken.
    pub fn insert(&mut self, id: TokenId) -> bool {
        if id.index() >= self.n_vocab {
            return false;
        }
        let (word, bit) = (&mut self.words[id.index() / WORD], 1 << (id.index() % WORD));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Takes a token out. Returns whether it was in.
    pub fn remove(&mut self, id: TokenId) -> bool {
        let had = self.contains(id);
        if had {
            self.words[id.index() / WORD] &= !(1 << (id.index() % WORD));
        }
        had
    }

    /// The tokens of the set, lowest id first.
    pub fn iter(&self) -> impl Iterator<Item = TokenId> + '_ {
        (0_u32..).step_by(WORD).zip(&self.words).flat_map(|(start, &word)| {
            let above = |&rest: &u64| Some(rest & rest.wrapping_sub(1)); // without its lowest bit
            let rests = core::iter::successors(Some(word), above).take_while(|&rest| rest != 0);
            rests.map(move |rest| TokenId(start + rest.trailing_zeros()))
        })
    }

    fn clear_beyond(&mut self) {
        let used = self.n_vocab % WORD;
        if let Some(last) = self.words.last_mut().filter(|_| used > 0) {
            *last &= (1 << used) - 1;
        }
    }
}

impl Extend<TokenId> for TokenSet {
    fn extend<I: IntoIterator<Item = TokenId>>(&mut self, ids: I) {
        for id in ids {
            self.insert(id);
        }
    }
}

/// A set as it travels.
#[derive(Serialize, Deserialize)]
struct Bits {
    n_vocab: usize,
    words: Vec<u64>,
}

impl From<TokenSet> for Bits {
    fn from(TokenSet { n_vocab, words }: TokenSet) -> Self {
        Self { n_vocab, words }
    }
}

/// Bits that are no set of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a set of {n_vocab} tokens has {found} words of 64 bits, but must have {must}")]
struct BitsError {
    n_vocab: usize,
    found: usize,
    must: usize,
}

impl TryFrom<Bits> for TokenSet {
    type Error = BitsError;

    fn try_from(Bits { n_vocab, words }: Bits) -> Result<Self, BitsError> {
        let (found, must) = (words.len(), n_vocab.div_ceil(WORD));
        if found != must {
            return Err(BitsError { n_vocab, found, must });
        }
        let mut set = Self { n_vocab, words };
        set.clear_beyond();
        Ok(set)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn what_was_put_in_is_in_until_it_is_taken_out() {
        let mut set = TokenSet::none(130);
        for id in [129, 0, 64, 63] {
            assert!(set.insert(TokenId(id)));
            assert!(!set.insert(TokenId(id)));
        }
        assert!(!set.insert(TokenId(130)), "beyond the vocabulary");
        assert_eq!(set.iter().map(|id| id.0).collect::<Vec<_>>(), [0, 63, 64, 129]);
        assert!(set.remove(TokenId(64)) && !set.remove(TokenId(64)) && !set.remove(TokenId(999)));
        assert_eq!(set.len(), 3);
        assert_eq!(
            [0, 1, 64, 129, 130, 191, u32::MAX].map(|id| set.contains(TokenId(id))),
            [true, false, false, true, false, false, false]
        );
    }

    #[test]
    fn all_is_all_and_no_more() {
        for n_vocab in [0, 1, 63, 64, 65, 50_257] {
            let all = TokenSet::all(n_vocab);
            assert_eq!((all.len(), all.iter().count(), all.n_vocab()), (n_vocab, n_vocab, n_vocab));
            assert_eq!(all.is_empty(), n_vocab == 0);
            let mut grown = TokenSet::none(n_vocab);
            assert!(grown.is_empty());
            grown.extend((0..n_vocab as u32 + 9).map(TokenId));
            assert_eq!(grown, all);
        }
    }

    #[test]
    fn a_set_comes_back_from_a_message_and_other_bits_are_refused() {
        let mut set = TokenSet::none(70);
        set.extend([1, 69].map(TokenId));
        let json = serde_json::to_string(&set).unwrap();
        assert_eq!(json, r#"{"n_vocab":70,"words":[2,32]}"#);
        assert_eq!(serde_json::from_str::<TokenSet>(&json).unwrap(), set);
        let refused = serde_json::from_str::<TokenSet>(r#"{"n_vocab":70,"words":[2]}"#).unwrap_err();
        assert!(refused.to_string().contains("has 1 words of 64 bits, but must have 2"), "{refused}");
        let beyond: TokenSet = serde_json::from_str(r#"{"n_vocab":2,"words":[7]}"#).unwrap();
        assert_eq!(beyond, TokenSet::all(2));
    }
}
