//! Products on the CPU, with weights in f32, f16 or int8, and the [`attention`] between them.
//!
//! Writing one token reads every weight once and computes with it once, so the speed is that of reading memory: what
//! counts is how few bytes a weight has and how few instructions turn it into a product. All three formats share one
//! layout and one loop:
//!
//! * A matrix is held as [outputs, inputs], row after row, so that a result is the dot product of two runs of memory.
//!   Rows are padded with zeros to whole blocks of [`BLOCK`] numbers, so that there are no odd ends.
//! * [`product`](Matrix::product) takes four rows of the matrix at a time, and in them three rows of inputs at a time: a
//!   weight is read from memory once, however many rows of inputs there are, and from the first cache afterwards.
//! * A result is summed in the same order whatever stands beside it, so a position has the same bits alone and among
//!   others, and in every run.
//!
//! | format | bytes a weight | how |
//! | --- | --- | --- |
//! | f32 | 4 | as the reference computes |
//! | f16 | 2 | see [`f16`]: widened on the way, three instructions for four weights; exact where the checkpoint is f16 |
//! | int8 | 1.125 | see [`int8`]: integers with a scale for each block, times inputs rounded to 16 bits |

mod attention;
mod bridge;
mod f16;
mod f32;
mod int8;
mod lanes;
mod matrix;
#[cfg(test)]
mod tests;
mod tile;

pub use attention::{Cache, has_room};
pub use bridge::{tensor, with_slice};
pub use matrix::Matrix;

/// Numbers in a block. Every row is whole blocks; in int8 each has a scale (as in GGUF's `Q8_0`).
pub const BLOCK: usize = 32;
