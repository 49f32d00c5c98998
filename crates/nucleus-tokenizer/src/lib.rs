//! Byte-level BPE: text to ids, and the exact bytes of each id.
//!
//! GPT-2 does not see characters. Its tokenizer cuts the text into words with one regular expression, writes each
//! byte of a word as one printable character, and merges neighbours by a ranked list of rules (Sennrich et al. 2016,
//! "Neural Machine Translation of Rare Words with Subword Units"; Radford et al. 2019, section 2.2). The merging is
//! Hugging Face's `tokenizers`; this crate reads the file strictly, keeps special tokens out of typed text, and says
//! what every id stands for.
//!
//! ```
//! # fn main() -> Result<(), nucleus_tokenizer::TokenizerError> {
//! # let vocab = include_bytes!("../../../tests/vectors/gpt2/encoder.json");
//! # let merges = include_bytes!("../../../tests/vectors/gpt2/vocab.bpe");
//! use nucleus_tokenizer::{SpecialTokens, Tokenizer};
//!
//! let gpt2 = Tokenizer::from_vocab_and_merges(vocab, merges)?;
//! assert_eq!(gpt2.encode("Hello world", SpecialTokens::AsText)?, [15496, 995]);
//! assert_eq!(gpt2.bytes(995), Some(" world".as_bytes()));
//! # Ok(())
//! # }
//! ```
//!
//! Ids stand for bytes, not for text: one token can be a part of a character. Text is put together from the bytes, so
//! an unfinished character is held back instead of being replaced.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking"))]

mod alphabet;
mod build;
mod error;
mod json;
mod merges;
mod table;
mod tokenizer;

pub use error::{Name, TokenizerError};
pub use tokenizer::{SpecialTokens, Tokenizer};
