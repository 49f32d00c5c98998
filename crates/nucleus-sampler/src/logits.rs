//! What a logit is, and what is checked of all of them before a step.

use crate::LogitsError;

mod sealed {
    /// A logit's place in the descending order, for sorting.
    pub trait Sealed: Copy + PartialOrd {
        /// Larger logits have smaller keys; equal logits go by id, and no two keys are equal.
        type Key: Copy + Ord;
        /// The key of a logit that stands in column `id`. Both zeros are equal.
        fn key(self, id: u32) -> Self::Key;
        /// The column that a key was made for.
        fn id(key: Self::Key) -> u32;
    }
}

/// A raw logit: `f32` as models give it, or `f64` where probabilities must be exact to the last
/// place, as in a table of worked examples. The arithmetic is of `f64` either way.
pub trait Logit: sealed::Sealed + Into<f64> {
    /// The logit as traces hold it: rounded to the nearest `f32`.
    fn narrow(self) -> f32;
}

impl Logit for f32 {
    fn narrow(self) -> f32 {
        self
    }
}

impl Logit for f64 {
    fn narrow(self) -> f32 {
        self as f32
    }
}

/// Flips the bits of a float so that they sort as unsigned integers, the largest float first.
macro_rules! descending_bits {
    ($value:expr, $bits:ty) => {{
        let bits = ($value + 0.0).to_bits(); // -0 becomes 0
        let negative = bits >> (<$bits>::BITS - 1) == 1;
        if negative {
            bits
        } else {
            !bits & (<$bits>::MAX >> 1)
        }
    }};
}

impl sealed::Sealed for f32 {
    type Key = u64;
    fn key(self, id: u32) -> u64 {
        u64::from(descending_bits!(self, u32)) << 32 | u64::from(id)
    }
    fn id(key: u64) -> u32 {
        key as u32
    }
}

impl sealed::Sealed for f64 {
    type Key = u128;
    fn key(self, id: u32) -> u128 {
        u128::from(descending_bits!(self, u64)) << 32 | u128::from(id)
    }
    fn id(key: u128) -> u32 {
        key as u32
    }
}

/// What one pass over the logits finds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scan {
    /// How many are not minus infinity: 1 or more.
    pub(crate) live: usize,
    /// The column of the largest, the lowest on a tie.
    pub(crate) best: usize,
    /// The largest.
    pub(crate) max: f64,
}

impl Scan {
    /// Checks that the logits can be drawn from.
    pub(crate) fn of<L: Logit>(logits: &[L]) -> Result<Self, LogitsError> {
        let mut found = Self {
            live: 0,
            best: 0,
            max: f64::NEG_INFINITY,
        };
        for (index, &logit) in logits.iter().enumerate() {
            let value: f64 = logit.into();
            if value.is_nan() || value == f64::INFINITY {
                return Err(LogitsError::NotFinite { index, value });
            }
            found.live += usize::from(value != f64::NEG_INFINITY);
            if value > found.max {
                (found.best, found.max) = (index, value);
            }
        }
        match (logits.len(), found.live) {
            (0, _) => Err(LogitsError::Empty),
            (n_vocab, 0) => Err(LogitsError::AllRemoved { n_vocab }),
            _ => Ok(found),
        }
    }
}

/// Removes the columns that no token of the tokenizer stands for: from `n_tokenizer` on they
/// become minus infinity. Checkpoints pad their logits to a round number of columns.
pub fn mask_padding(logits: &mut [f32], n_tokenizer: usize) {
    if let Some(padding) = logits.get_mut(n_tokenizer..) {
        padding.fill(f32::NEG_INFINITY);
    }
}
