//! From a value to a height: linear or logarithmic, with the few ticks that are worth a number.

/// From this ratio of the largest to the smallest count on, the scale is logarithmic.
const LOGARITHMIC_FROM: f64 = 20.0;

/// A scale from `low` at the bottom to `high` at the top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Scale {
    /// For counts of 1 or more: logarithmic from 1 where their range asks for it, else linear from
    /// 0.
    pub(super) fn for_counts(values: &[f64]) -> Self {
        let smallest = values.iter().copied().fold(f64::INFINITY, f64::min).max(1.0);
        let largest = values.iter().copied().fold(1.0, f64::max);
        if largest / smallest < LOGARITHMIC_FROM {
            return Self::linear(values);
        }
        Self { low: 1.0, high: largest, logarithmic: true }
    }

    /// From 0 to a round number at or above the largest value.
    pub(super) fn linear(values: &[f64]) -> Self {
        let largest = values.iter().copied().fold(0.0, f64::max);
        Self { low: 0.0, high: round_up(largest), logarithmic: false }
    }

    /// 0 at the bottom, 1 at the top; what lies outside is moved in.
    pub(super) fn share(self, value: f64) -> f64 {
        let share = if self.logarithmic {
            (value.max(1.0) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The values that get a line and a number: the ends, or the powers of ten.
    pub(super) fn ticks(self) -> Vec<f64> {
        if !self.logarithmic {
            return vec![self.low, self.high];
        }
        (0..).map(|power| 10_f64.powi(power)).take_while(|tick| *tick <= self.high).collect()
    }
}

/// The next of 1, 2, 3, 4, 5, 6, 8, 10, 20, ... (1 for what is 1 or less).
fn round_up(value: f64) -> f64 {
    const DIGITS: [f64; 7] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0];
    let steps = (0..20).flat_map(|power| DIGITS.map(|digit| digit * 10_f64.powi(power)));
    let mut steps = steps;
    steps.find(|step| *step >= value).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_decides_the_scale() {
        assert!(!Scale::for_counts(&[2.0, 39.0]).logarithmic);
        assert!(Scale::for_counts(&[2.0, 40.0]).logarithmic);
        assert_eq!(Scale::for_counts(&[1.0, 50_257.0]).ticks(), [1.0, 10.0, 100.0, 1000.0, 10_000.0]);
        assert_eq!(Scale::for_counts(&[7.0, 12.0]).ticks(), [0.0, 20.0]);
    }

    #[test]
    fn shares_are_between_0_and_1() {
        for scale in [Scale::for_counts(&[1.0]), Scale::for_counts(&[1.0, 1e5]), Scale::linear(&[])] {
            for value in [f64::NAN, -1.0, 0.0, 1.0, 300.0, 1e9, f64::INFINITY] {
                assert!((0.0..=1.0).contains(&scale.share(value)), "{scale:?} {value}");
            }
        }
    }
}
