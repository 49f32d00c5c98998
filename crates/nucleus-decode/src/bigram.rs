//! The bigram baseline: the next word drawn by how often each word followed the last one in some text.
//!
//! It is the smallest model of language there is: it looks one word back, and knows only what it has counted
//! (C. E. Shannon, "A Mathematical Theory of Communication", 1948, section 3, draws English so). Beside a model that
//! reads the whole context it shows what the context is worth.

mod count;
mod run;
mod words;

pub use count::{Bigram, BigramError, Row, Successor};
pub use run::{BigramDraw, BigramEnd, BigramRun, BigramStep};
pub use words::{join, words};

/// The text that is counted when the reader brings none: 500 to 600 simple words.
pub const STORY: &str = include_str!("bigram/story.txt");
