use core::fmt;

use nucleus_sampler::{Uniforms, Unit};
use serde::{Deserialize, Serialize};

use super::{Bigram, Row, join, words};

/// One word of a run, with all of its working.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BigramStep {
    /// Which of the new words it is: 0 for the first.
    pub index: usize,
    /// The word before it: all that the choice depends on.
    pub before: String,
    /// What follows that word in the text that was counted. Not empty.
    pub row: Row,
    /// How one of it was chosen.
    pub draw: BigramDraw,
}

/// Where one uniform number falls on the cumulative counts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BigramDraw {
    /// The number.
    pub u: Unit,
    /// The whole part of u times the row's total: 0 or more, below the total.
    pub ticket: u32,
    /// Which of the row's successors has the ticket.
    pub hit: usize,
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BigramEnd {
    /// All the new words that were asked for are there.
    WordLimit,
    /// The prompt has no word to go on from.
    NoWord,
    /// The text that was counted does not have the word.
    Unseen {
        /// The prompt's last word.
        word: String,
    },
    /// In the text that was counted, the word stands only at the very end.
    NoSuccessor {
        /// The last word of prompt and new words.
        word: String,
    },
}

/// A run: its words, and why there are no more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BigramRun {
    /// The new words, one after the other.
    pub steps: Vec<BigramStep>,
    /// Why it ended.
    pub end: BigramEnd,
}

impl fmt::Display for BigramEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WordLimit => f.write_str("the number of new words is reached"),
            Self::NoWord => f.write_str("the prompt has no word to go on from: type one"),
            Self::Unseen { word } => {
                write!(
                    f,
                    "\u{201c}{word}\u{201d} is not in the text that was counted, so nothing is known to follow it"
                )
            }
            Self::NoSuccessor { word } => {
                write!(
                    f,
                    "\u{201c}{word}\u{201d} is only the last word of the text that was counted: nothing follows it"
                )
            }
        }
    }
}

impl Bigram {
    /// Goes on from the last word of `prompt`, up to `most` words. Word `i` is drawn with the `i`-th uniform number of the
    /// seed, as a model's token `i` is.
    #[must_use]
    pub fn run(&self, prompt: &str, seed: u64, most: usize) -> BigramRun {
        let mut uniforms = Uniforms::new(seed);
        let mut steps: Vec<BigramStep> = Vec::new();
        let start = words(prompt).last();
        let end = loop {
            if steps.len() >= most {
                break BigramEnd::WordLimit;
            }
            let Some(before) = steps.last().map(BigramStep::word).or(start) else {
                break BigramEnd::NoWord;
            };
            let before = before.to_owned();
            match self.row(&before) {
                None => break BigramEnd::Unseen { word: before },
                Some(row) => match row.draw(uniforms.peek()) {
                    None => break BigramEnd::NoSuccessor { word: before },
                    Some(draw) => steps.push(BigramStep { index: steps.len(), before, row: row.clone(), draw }),
                },
            }
            uniforms.advance(1);
        };
        BigramRun { steps, end }
    }
}

impl Row {
    /// Draws a successor: the one that has ticket floor(u * total). `None` for a row without successors.
    ///
    /// Exact, with no rounding anywhere: the generator's u is k / 2^53 for a whole k (of any other u this k is the whole
    /// part), so the ticket is the whole part of k * total / 2^53, and each successor has as many of the 2^53 numbers as
    /// its count says, but for less than one. In NumPy, with `counts` in the order of the row:
    ///
    /// ```text
    /// ticket = int(rng.random() * 2**53) * sum(counts) >> 53
    /// hit = np.searchsorted(np.cumsum(counts), ticket, side="right")
    /// ```
    #[must_use]
    pub fn draw(&self, u: Unit) -> Option<BigramDraw> {
        const SCALE: f64 = (1_u64 << 53) as f64;
        let k = (u.get() * SCALE) as u64;
        let ticket = ((u128::from(k) * u128::from(self.total)) >> 53) as u32;
        self.at(ticket).map(|hit| BigramDraw { u, ticket, hit })
    }
}

impl BigramStep {
    /// The word that was drawn.
    #[must_use]
    pub fn word(&self) -> &str {
        self.row.successors.get(self.draw.hit).map_or("", |successor| successor.word.as_str())
    }
}

impl BigramRun {
    /// The new words as a text.
    #[must_use]
    pub fn text(&self) -> String {
        join(self.steps.iter().map(BigramStep::word))
    }
}
