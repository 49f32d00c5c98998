//! What a logit is, and what is checked of all of them before a step.

use crate::LogitsError;

/// A raw logit: `f32` as models give it, or `f64` as in [`crate::double`]. The arithmetic is of
/// `f64` either way.
///
/// Public functions are of one type each: a generic one would be compiled in the crate that calls
/// it, where the page's build asks for small code rather than fast.
pub(crate) trait Logit: Copy + PartialOrd + Into<f64> {
    /// A logit's place in the descending order, for sorting: larger logits have smaller keys, equal
    /// logits go by id, and no two keys are equal.
    type Key: Copy + Default + Ord;
    /// A removed token's logit, the least of all.
    const NEG_INFINITY: Self;
    /// What no logit may be.
    const INFINITY: Self;
    /// The key of a logit that stands in column `id`. Both zeros are equal.
    fn key(self, id: u32) -> Self::Key;
    /// The column that a key was made for.
    fn id(key: Self::Key) -> u32;
    /// The logit that a key was made of.
    fn logit(key: Self::Key) -> Self;
    /// The logit as traces hold it: rounded to the nearest `f32`.
    fn narrow(self) -> f32;
}

/// Flips bits so that floats sort as unsigned integers, the largest float first; twice is nothing.
macro_rules! flipped {
    ($bits:expr, $type:ty) => {{
        let bits: $type = $bits;
        let negative = bits >> (<$type>::BITS - 1) == 1;
        if negative { bits } else { !bits & (<$type>::MAX >> 1) }
    }};
}

macro_rules! logit {
    ($float:ty, $bits:ty, $key:ty) => {
        impl Logit for $float {
            type Key = $key;
            const NEG_INFINITY: Self = Self::NEG_INFINITY;
            const INFINITY: Self = Self::INFINITY;

            fn key(self, id: u32) -> $key {
                let bits = (self + 0.0).to_bits(); // -0 becomes 0
                <$key>::from(flipped!(bits, $bits)) << 32 | <$key>::from(id)
            }

            fn id(key: $key) -> u32 {
                key as u32
            }

            fn logit(key: $key) -> Self {
                Self::from_bits(flipped!((key >> 32) as $bits, $bits))
            }

            fn narrow(self) -> f32 {
                self as f32
            }
        }
    };
}
logit!(f32, u32, u64);
logit!(f64, u64, u128);

/// What a first look at the logits finds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scan {
    /// How many are not minus infinity: 1 or more.
    pub(crate) live: usize,
    /// The largest.
    pub(crate) max: f64,
}

impl Scan {
    /// Checks that the logits can be drawn from.
    pub(crate) fn of<L: Logit>(logits: &[L]) -> Result<Self, LogitsError> {
        if let Some((index, value)) = not_finite(logits) {
            return Err(LogitsError::NotFinite { index, value });
        }
        let live = logits.iter().filter(|&&logit| logit > L::NEG_INFINITY).count();
        match (logits.len(), live) {
            (0, _) => Err(LogitsError::Empty),
            (n_vocab, 0) => Err(LogitsError::AllRemoved { n_vocab }),
            _ => Ok(Self { live, max: largest(logits).into() }),
        }
    }
}

/// The first logit that is NaN or plus infinity. All are looked at together: vector instructions
/// do not stop in the middle.
fn not_finite<L: Logit>(logits: &[L]) -> Option<(usize, f64)> {
    let fine = |logit: L| logit < L::INFINITY;
    if logits.iter().fold(true, |all, &logit| all & fine(logit)) {
        return None;
    }
    let index = logits.iter().position(|&logit| !fine(logit))?;
    Some((index, logits[index].into()))
}

/// The largest of the logits; minus infinity for none.
pub(crate) fn largest<L: Logit>(logits: &[L]) -> L {
    in_lanes(logits, L::NEG_INFINITY, |a, b| if b > a { b } else { a })
}

/// The least of the logits that are not minus infinity; plus infinity for none.
pub(crate) fn least<L: Logit>(logits: &[L]) -> L {
    let lesser = |a, b| if (b < a) & (b > L::NEG_INFINITY) { b } else { a };
    in_lanes(logits, L::INFINITY, lesser)
}

/// One of all logits, picked from two at a time, in lanes that a processor takes side by side.
fn in_lanes<L: Logit>(logits: &[L], start: L, pick: impl Fn(L, L) -> L) -> L {
    let (chunks, rest) = logits.as_chunks::<16>();
    let mut lanes = [start; 16];
    for chunk in chunks {
        for (lane, &logit) in lanes.iter_mut().zip(chunk) {
            *lane = pick(*lane, logit);
        }
    }
    lanes.iter().chain(rest).fold(start, |picked, &logit| pick(picked, logit))
}

/// Removes the columns that no token of the tokenizer stands for: from `n_tokenizer` on they
/// become minus infinity. Checkpoints pad their logits to a round number of columns.
pub fn mask_padding(logits: &mut [f32], n_tokenizer: usize) {
    if let Some(padding) = logits.get_mut(n_tokenizer..) {
        padding.fill(f32::NEG_INFINITY);
    }
}
