//! What can be wrong with the settings and with the logits.

use core::fmt;

/// A setting outside its range: the value, the limit, and what to do.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SettingError {
    /// A temperature below 0, infinite, or not a number.
    #[error(
        "temperature is {}, but must be {}",
        Shown(*.value),
        self.must()
    )]
    Temperature {
        /// The temperature that was asked for.
        value: f64,
    },
    /// A top-k below 0 or above `u32::MAX`.
    #[error("top-k is {value}, but must be {}", self.must())]
    TopK {
        /// The k that was asked for.
        value: i64,
    },
    /// A top-p outside (0, 1].
    #[error("top-p is {}, but must be {}", Shown(*.value), self.must())]
    TopP {
        /// The p that was asked for.
        value: f64,
    },
    /// A repetition penalty below 1, infinite, or not a number.
    #[error(
        "repetition penalty is {}, but must be {}",
        Shown(*.value),
        self.must()
    )]
    RepetitionPenalty {
        /// The penalty that was asked for.
        value: f64,
    },
    /// A uniform number outside [0, 1).
    #[error("the uniform number is {}, but must be {}", Shown(*.value), self.must())]
    Unit {
        /// The number that was given.
        value: f64,
    },
}

impl SettingError {
    /// What the value must be, and what its limit means: the end of the sentence.
    #[must_use]
    pub const fn must(&self) -> &'static str {
        match self {
            Self::Temperature { .. } => "0 or more and finite; 0 always takes the likeliest token",
            Self::TopK { .. } => "from 0 to 4294967295; 0 turns top-k off",
            Self::TopP { .. } => "above 0 and at most 1; 1 turns top-p off",
            Self::RepetitionPenalty { .. } => "1 or more and finite; 1 turns the penalty off",
            Self::Unit { .. } => "0 or more and below 1",
        }
    }
}

/// Logits from which nothing can be drawn.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum LogitsError {
    /// There are no logits at all.
    #[error("there are 0 logits, but a step needs 1 or more")]
    Empty,
    /// A logit is NaN or plus infinity: the model has gone wrong.
    #[error(
        "logit {index} is {value}, but must be finite, or -inf for a removed token; the model's weights or its arithmetic are at fault"
    )]
    NotFinite {
        /// The column, which is the token's id.
        index: usize,
        /// What stands there: NaN or plus infinity.
        value: f64,
    },
    /// Every logit is minus infinity.
    #[error("all {n_vocab} logits are -inf, but 1 or more must be finite; a mask removed every token")]
    AllRemoved {
        /// How many logits there are.
        n_vocab: usize,
    },
    /// The constraint allows no token that could be drawn.
    #[error(
        "none of the {live} tokens that could be drawn is among the {allowed} that the constraint allows; it must allow 1 or more"
    )]
    AllForbidden {
        /// How many logits are not minus infinity.
        live: usize,
        /// How many tokens the constraint allows.
        allowed: usize,
    },
    /// The ranking was made for a vocabulary of another size.
    #[error("the ranking is of {n_ranked} logits, but the step has {n_vocab}; rank these logits first")]
    OtherRanking {
        /// How many logits the ranking was made of.
        n_ranked: usize,
        /// How many logits the step was given.
        n_vocab: usize,
    },
}

/// A number as a person would write it: 1e-320 rather than its 320 digits.
struct Shown(f64);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        if size == 0.0 || !size.is_finite() || (1e-5..1e15).contains(&size) {
            self.0.fmt(f)
        } else {
            write!(f, "{:e}", self.0)
        }
    }
}
