//! Which part of the unit interval is enlarged.

use nucleus_sampler::{Draw, Unit};

use crate::Scene;

/// The share of an enlarged bar that the interval hit takes at most, and the share of the whole bar
/// from which on it is visible without enlargement.
const HIT_SHARE: f64 = 0.25;
const VISIBLE: f64 = 0.05;

/// The part of the unit interval that is shown enlarged: `[start, end)` within `[0, 1)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zoom {
    start: f64,
    end: f64,
}

impl Zoom {
    /// Everything: no enlargement.
    pub const FULL: Self = Self { start: 0.0, end: 1.0 };

    /// The narrowest window: narrower ones have no f64 left to place a pixel.
    pub const NARROWEST: f64 = 1e-12;

    /// A window within `[0, 1)`, at least [`Zoom::NARROWEST`] wide: what lies outside is moved in,
    /// what is not a number gives [`Zoom::FULL`].
    pub fn new(start: f64, end: f64) -> Self {
        let is_window = start.is_finite() && end.is_finite() && start < end;
        if !is_window {
            return Self::FULL;
        }
        Self::centred(f64::midpoint(start, end), end - start)
    }

    /// A neighbourhood of the interval hit in which it is clearly visible, with the token's
    /// neighbours on both sides; [`Zoom::FULL`] where it is so already, and at temperature 0.
    pub fn around(scene: &Scene) -> Self {
        let Draw::Uniform { interval, .. } = scene.trace.draw else {
            return Self::FULL;
        };
        if interval.width() >= VISIBLE {
            return Self::FULL;
        }
        Self::centred(f64::midpoint(interval.start, interval.end), interval.width() / HIT_SHARE)
    }

    /// The first point shown.
    pub fn start(self) -> f64 {
        self.start
    }

    /// The first point beyond.
    pub fn end(self) -> f64 {
        self.end
    }

    /// How much of the unit interval is shown: more than 0, up to 1.
    pub fn width(self) -> f64 {
        self.end - self.start
    }

    /// Whether u is in the part shown.
    pub fn contains(self, u: Unit) -> bool {
        self.start <= u.get() && u.get() < self.end
    }

    fn centred(middle: f64, width: f64) -> Self {
        let width = width.clamp(Self::NARROWEST, 1.0);
        let start = (middle - width / 2.0).clamp(0.0, 1.0 - width);
        Self { start, end: (start + width).min(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_stay_within_the_unit_interval() {
        for (start, end) in [(-1.0, 0.2), (0.9, 1.5), (0.5, 0.5 + 1e-15), (0.2, 0.4), (-3.0, 9.0)] {
            let zoom = Zoom::new(start, end);
            assert!(0.0 <= zoom.start() && zoom.end() <= 1.0, "{zoom:?}");
            assert!(zoom.width() >= 0.9 * Zoom::NARROWEST, "{zoom:?}");
        }
        assert_eq!(Zoom::new(0.25, 0.75), Zoom { start: 0.25, end: 0.75 });
    }

    #[test]
    fn what_is_no_window_is_everything() {
        for (start, end) in [(f64::NAN, 0.5), (0.5, f64::INFINITY), (0.5, 0.5), (0.7, 0.2)] {
            assert_eq!(Zoom::new(start, end), Zoom::FULL);
        }
    }
}
