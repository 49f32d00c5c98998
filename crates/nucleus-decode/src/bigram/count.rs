use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::words;

/// How often each word follows each other word in a text.
///
/// The row of a word is what Python's `Counter` gives for its successors with `most_common()`: the most frequent first,
/// of equals the one that first came first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bigram {
    rows: HashMap<String, Row>,
    n_words: usize,
}

/// The counts behind one word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The words that follow, the most frequent first, of equals the one that first came first in the text. Empty only
    /// for a word that stands nowhere but at the end.
    pub successors: Vec<Successor>,
    /// The sum of the counts.
    pub total: u32,
}

/// A word that follows, and how often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Successor {
    /// The word.
    pub word: String,
    /// How often it follows: 1 or more.
    pub count: u32,
    /// The sum of the counts before it in the row. Its share of the tickets 0 to `total` is `start..start + count`.
    pub start: u32,
}

/// Why a text cannot be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BigramError {
    /// Nothing follows anything.
    #[error("the text has {found} words, but must have 2 or more for one to follow another: give a longer text")]
    TooShort {
        /// How many it has: 0 or 1.
        found: usize,
    },
    /// The counts would not fit.
    #[error("the text has {found} words, but may have {} at most: give a shorter text", Bigram::MOST_WORDS)]
    TooLong {
        /// How many it has.
        found: usize,
    },
}

impl Successor {
    /// The first ticket that is not its own.
    #[must_use]
    pub const fn end(&self) -> u32 {
        self.start + self.count
    }
}

impl Bigram {
    /// The longest text, in words. A book has about a tenth of it.
    pub const MOST_WORDS: usize = 1_000_000;

    /// Counts a text.
    ///
    /// # Errors
    ///
    /// When it has fewer than 2 or more than [`MOST_WORDS`](Self::MOST_WORDS) words.
    pub fn count(text: &str) -> Result<Self, BigramError> {
        let words: Vec<&str> = words(text).collect();
        match words.len() {
            found @ 0..2 => return Err(BigramError::TooShort { found }),
            found if found > Self::MOST_WORDS => return Err(BigramError::TooLong { found }),
            _ => {}
        }
        let mut pairs: HashMap<&str, Vec<&str>> = words.iter().map(|&word| (word, Vec::new())).collect();
        for pair in words.windows(2) {
            pairs.entry(pair[0]).or_default().push(pair[1]);
        }
        let rows = pairs.into_iter().map(|(word, after)| (word.to_owned(), Row::of(&after))).collect();
        Ok(Self { rows, n_words: words.len() })
    }

    /// The counts behind a word; `None` if the text does not have it.
    #[must_use]
    pub fn row(&self, word: &str) -> Option<&Row> {
        self.rows.get(word)
    }

    /// How many words the text has, marks included.
    #[must_use]
    pub fn n_words(&self) -> usize {
        self.n_words
    }

    /// How many different words it has.
    #[must_use]
    pub fn n_different(&self) -> usize {
        self.rows.len()
    }
}

impl Row {
    /// The row of the words that follow, in the order of the text.
    fn of(after: &[&str]) -> Self {
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut counts: Vec<(&str, u32)> = Vec::new();
        for &word in after {
            let place = *places.entry(word).or_insert(counts.len());
            match counts.get_mut(place) {
                Some((_, count)) => *count += 1,
                None => counts.push((word, 1)),
            }
        }
        counts.sort_by_key(|&(_, count)| core::cmp::Reverse(count));
        let mut row = Self::default();
        for (word, count) in counts {
            row.successors.push(Successor { word: word.to_owned(), count, start: row.total });
            row.total += count;
        }
        row
    }

    /// Which successor has a ticket: the first whose counts, added up, are above it, found by halving. `None` for a ticket
    /// that is not below `total`.
    #[must_use]
    pub fn at(&self, ticket: u32) -> Option<usize> {
        let first = self.successors.partition_point(|successor| successor.end() <= ticket);
        (first < self.successors.len()).then_some(first)
    }
}
