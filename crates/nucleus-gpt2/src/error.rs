//! Why the model gave no logits.

use burn::tensor::TensorReadError;
use nucleus_decode::sampler::TokenId;

/// Why the model gave no logits, or could not make room.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// Nothing to encode.
    #[error("there are no tokens to encode: give at least 1")]
    Empty,
    /// More tokens than positions.
    #[error("{n} tokens are too many, since the model has {n_ctx} positions: leave out the oldest")]
    TooLong {
        /// Tokens given and cached together.
        n: usize,
        /// The model's limit.
        n_ctx: usize,
    },
    /// An id that the model has no embedding for.
    #[error("token id {id} is unknown, since the model's vocabulary has {n_vocab} entries: use this model's tokenizer")]
    UnknownId {
        /// The id.
        id: TokenId,
        /// The model's limit.
        n_vocab: usize,
    },
    /// No rows, or more than there is memory for.
    #[error("{rows} rows cannot be opened, since this device has room for 1 to {limit}: take a number between")]
    RowCount {
        /// How many were asked for.
        rows: usize,
        /// The most that there is room for.
        limit: usize,
    },
    /// Less memory than the rows need.
    #[error("{rows} rows need {bytes} bytes of memory, which this device does not have: open fewer")]
    Memory {
        /// How many were asked for.
        rows: usize,
        /// What their cache takes.
        bytes: u64,
    },
    /// A row that is not open.
    #[error("row {row} is not open, since {rows} are, counted from 0: open more of them")]
    UnknownRow {
        /// The row.
        row: usize,
        /// How many are open.
        rows: usize,
    },
    /// A step of a row that has no text to continue.
    #[error("row {row} has read 0 tokens, and a step needs 1 before it: give the row a prompt")]
    EmptyRow {
        /// The row.
        row: usize,
    },
    /// A row that was named more than once in a step.
    #[error("row {row} is named more than once, but a step adds 1 token to a row: name each row once")]
    RowTwice {
        /// The row.
        row: usize,
    },
    /// The device did not give its results back; it may be lost.
    #[error("the device did not give back its results: {0}")]
    Device(#[from] TensorReadError),
}
