//! The draw: where one uniform number falls on the cumulative sum.

use serde::{Deserialize, Serialize};

use crate::Unit;

/// A token's share of [0, 1): from `start`, which belongs to it, up to `end`, which does not.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The sum of the probabilities of all lower ids.
    pub start: f64,
    /// `start` plus the token's own probability.
    pub end: f64,
}

impl Interval {
    /// How long it is: the token's probability, but for rounding in the sum.
    #[must_use]
    pub fn width(self) -> f64 {
        self.end - self.start
    }

    /// Whether `u` falls in it.
    #[must_use]
    pub fn contains(self, u: Unit) -> bool {
        self.start <= u.get() && u.get() < self.end
    }
}

/// How the token was chosen among those that were kept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Draw {
    /// Temperature 0: the likeliest token, and no uniform number was used.
    Argmax,
    /// One uniform number was used.
    Uniform {
        /// The number.
        u: Unit,
        /// The interval of the token that was drawn. It contains `u`, unless rounding left the
        /// last interval's end below `u`: then the last token of positive probability is drawn.
        interval: Interval,
    },
}
