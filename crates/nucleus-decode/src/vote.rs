//! Self-consistency: an answer found in each of several samples, and a vote among them.
//!
//! X. Wang and others, "Self-Consistency Improves Chain of Thought Reasoning in Language Models", 2022
//! (arXiv:2203.11171): sample several texts, and take the answer that most of them reach.

mod answer;
mod rule;
mod tally;

pub use answer::{Answer, Extractor};
pub use rule::{AnswerRule, PatternError};
pub use tally::{Count, Vote};
