//! The sliders' scales, each a pure function with its inverse.
//!
//! A slider of temperature, top-p or repetition penalty stands at the value itself. That of top-k is logarithmic, so
//! its positions are whole numbers without a meaning of their own: the page shows the value.

use nucleus_sampler::{RepetitionPenalty, Temperature, TopK, TopP};

/// What a native range input is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The lowest position.
    pub min: f64,
    /// The highest position.
    pub max: f64,
    /// The distance between positions.
    pub step: f64,
}

/// 0 to 2 in steps of 0.01. Higher temperatures can be typed.
pub const TEMPERATURE: Scale = Scale { min: 0.0, max: 2.0, step: 0.01 };
/// 0.01 to 1 in steps of 0.01. Finer and smaller values can be typed.
pub const TOP_P: Scale = Scale { min: 0.01, max: 1.0, step: 0.01 };

/// 1 to 2 in steps of 0.01. Higher penalties can be typed.
pub const REPETITION_PENALTY: Scale = Scale { min: 1.0, max: 2.0, step: 0.01 };

/// Positions of the top-k slider but for 0, while the vocabulary has that many tokens.
const TOP_K_POSITIONS: usize = 100;

/// The scale of top-k: position 0 is off, position 1 is k = 1, the last is the whole vocabulary.
#[must_use]
pub fn top_k_scale(n_vocab: usize) -> Scale {
    Scale { min: 0.0, max: top_k_positions(n_vocab) as f64, step: 1.0 }
}

/// The temperature at a position.
#[must_use]
pub fn temperature_at(position: f64) -> Temperature {
    Temperature::new(TEMPERATURE.nearest(position)).unwrap_or(Temperature::ONE)
}

/// The position nearest to a temperature.
#[must_use]
pub fn temperature_position(temperature: Temperature) -> f64 {
    TEMPERATURE.nearest(temperature.get())
}

/// The top-p at a position.
#[must_use]
pub fn top_p_at(position: f64) -> TopP {
    TopP::new(TOP_P.nearest(position)).unwrap_or(TopP::OFF)
}

/// The position nearest to a top-p.
#[must_use]
pub fn top_p_position(top_p: TopP) -> f64 {
    TOP_P.nearest(top_p.get())
}

/// The repetition penalty at a position.
#[must_use]
pub fn repetition_penalty_at(position: f64) -> RepetitionPenalty {
    RepetitionPenalty::new(REPETITION_PENALTY.nearest(position)).unwrap_or(RepetitionPenalty::OFF)
}

/// The position nearest to a repetition penalty.
#[must_use]
pub fn repetition_penalty_position(penalty: RepetitionPenalty) -> f64 {
    REPETITION_PENALTY.nearest(penalty.get())
}

/// The top-k at a position: 0 is off, and from 1 on k grows by at least 1 with each position, by
/// a constant factor where that is more, up to `n_vocab`.
#[must_use]
pub fn top_k_at(position: f64, n_vocab: usize) -> TopK {
    let position = top_k_scale(n_vocab).nearest(position) as usize;
    TopK::from(u32::try_from(k_at(position, n_vocab)).unwrap_or(u32::MAX))
}

/// The position nearest to a top-k.
#[must_use]
pub fn top_k_position(top_k: TopK, n_vocab: usize) -> f64 {
    let k = top_k.get() as usize;
    if k == 0 {
        return 0.0;
    }
    let positions = top_k_positions(n_vocab);
    let above = (1..=positions).find(|&p| k_at(p, n_vocab) >= k).unwrap_or(positions);
    let below = above.saturating_sub(1).max(1);
    let distance = |p: usize| k_at(p, n_vocab).abs_diff(k);
    (if distance(below) < distance(above) { below } else { above }) as f64
}

fn top_k_positions(n_vocab: usize) -> usize {
    TOP_K_POSITIONS.min(n_vocab)
}

fn k_at(position: usize, n_vocab: usize) -> usize {
    let positions = top_k_positions(n_vocab);
    if position == 0 {
        return 0;
    }
    if position >= positions {
        return n_vocab;
    }
    let share = (position - 1) as f64 / (positions - 1) as f64;
    let k = libm::round(libm::exp(share * libm::log(n_vocab as f64))) as usize;
    k.max(position)
}

impl Scale {
    /// The position nearest to a number; the lowest for what is not a number.
    ///
    /// A position is a whole number of hundredths or of ones, divided last, so that 0.3 is 0.3.
    fn nearest(self, value: f64) -> f64 {
        let per_unit = libm::round(1.0 / self.step);
        let value = if value.is_nan() { self.min } else { value.clamp(self.min, self.max) };
        libm::round(value * per_unit) / per_unit
    }
}
