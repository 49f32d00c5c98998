//! The reader's settings, each a type that holds no bad value.

use serde::{Deserialize, Serialize};

use crate::SettingError;

/// What divides the logits: 0 or more, finite. Below 1 sharpens, above 1 flattens.
///
/// At 0 the likeliest token is taken, the lowest id on a tie, and no uniform number is used.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Temperature(f64);

impl Temperature {
    /// Always the likeliest token.
    pub const ZERO: Self = Self(0.0);
    /// The model's own distribution.
    pub const ONE: Self = Self(1.0);

    /// Checks a temperature.
    ///
    /// # Errors
    ///
    /// [`SettingError::Temperature`] if `value` is below 0, infinite or NaN.
    pub fn new(value: f64) -> Result<Self, SettingError> {
        if value >= 0.0 && value.is_finite() {
            Ok(Self(value + 0.0)) // -0 becomes 0, so that no sign is ever shown
        } else {
            Err(SettingError::Temperature { value })
        }
    }

    /// The number itself.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// Whether it is exactly 0, so that nothing is left to chance.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.0 == 0.0
    }
}

/// How many of the likeliest tokens may stay: 0, or the vocabulary's size and above, is off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TopK(u32);

impl TopK {
    /// Every token may stay.
    pub const OFF: Self = Self(0);

    /// Checks a k, as it may have been typed: any signed or unsigned 32-bit number, or an `i64`.
    ///
    /// # Errors
    ///
    /// [`SettingError::TopK`] if `value` is below 0 or above `u32::MAX`.
    pub fn new(value: impl Into<i64>) -> Result<Self, SettingError> {
        let value = value.into();
        u32::try_from(value).map(Self).map_err(|_| SettingError::TopK { value })
    }

    /// The number itself; 0 is off.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// How many of `n_vocab` tokens may stay: 1 or more if `n_vocab` is.
    #[must_use]
    pub const fn limit(self, n_vocab: usize) -> usize {
        let k = self.0 as usize;
        if k == 0 || k >= n_vocab { n_vocab } else { k }
    }
}

impl From<u32> for TopK {
    fn from(k: u32) -> Self {
        Self(k)
    }
}

/// How much probability the nucleus must reach: above 0 and at most 1; 1 is off.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct TopP(f64);

impl TopP {
    /// Every token may stay.
    pub const OFF: Self = Self(1.0);

    /// Checks a p.
    ///
    /// # Errors
    ///
    /// [`SettingError::TopP`] if `value` is not above 0 and at most 1.
    pub fn new(value: f64) -> Result<Self, SettingError> {
        if value > 0.0 && value <= 1.0 { Ok(Self(value)) } else { Err(SettingError::TopP { value }) }
    }

    /// The number itself.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// Whether it is exactly 1, so that it removes nothing.
    #[must_use]
    pub const fn is_off(self) -> bool {
        self.0 == 1.0
    }
}

/// How much less likely a token becomes that was seen before: 1 or more, finite; 1 is off.
///
/// The logit l of such a token becomes l / penalty if it is above 0, else l * penalty: see [`Lowering`](crate::Lowering).
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct RepetitionPenalty(f64);

impl RepetitionPenalty {
    /// No token's logit is lowered.
    pub const OFF: Self = Self(1.0);

    /// Checks a penalty. Below 1 it would raise logits, and reward repetition.
    ///
    /// # Errors
    ///
    /// [`SettingError::RepetitionPenalty`] if `value` is below 1, infinite or NaN.
    pub fn new(value: f64) -> Result<Self, SettingError> {
        if value >= 1.0 && value.is_finite() { Ok(Self(value)) } else { Err(SettingError::RepetitionPenalty { value }) }
    }

    /// The number itself.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// Whether it is exactly 1, so that it lowers nothing.
    #[must_use]
    pub const fn is_off(self) -> bool {
        self.0 == 1.0
    }
}

/// Off.
impl Default for RepetitionPenalty {
    fn default() -> Self {
        Self::OFF
    }
}

/// A uniform number: 0 or more, below 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Unit(f64);

impl Unit {
    /// Checks a number.
    ///
    /// # Errors
    ///
    /// [`SettingError::Unit`] if `value` is not in [0, 1).
    pub fn new(value: f64) -> Result<Self, SettingError> {
        if (0.0..1.0).contains(&value) { Ok(Self(value + 0.0)) } else { Err(SettingError::Unit { value }) }
    }

    /// The number itself.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// The number whose upper 53 of 64 random bits are `bits`: a multiple of 2^-53, as NumPy makes it.
    pub(crate) fn from_bits(bits: u64) -> Self {
        const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
        Self((bits >> 11) as f64 * STEP)
    }
}

/// The settings of a step, applied in this order: repetition penalty, temperature, top-k, top-p.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Divides the logits before anything is removed.
    pub temperature: Temperature,
    /// Keeps the k likeliest.
    pub top_k: TopK,
    /// Keeps, of what top-k left, the fewest that reach p together.
    pub top_p: TopP,
    /// Lowers the logits of tokens seen before, in [`step_in`](crate::step_in), which knows them. Messages without it mean
    /// that it is off.
    #[serde(default)]
    pub repetition_penalty: RepetitionPenalty,
}

/// Temperature 1 and nothing removed: the model's own distribution.
impl Default for Settings {
    fn default() -> Self {
        Self {
            temperature: Temperature::ONE,
            top_k: TopK::OFF,
            top_p: TopP::OFF,
            repetition_penalty: RepetitionPenalty::OFF,
        }
    }
}

macro_rules! checked_f64 {
    ($($name:ident),*) => {$(
        impl TryFrom<f64> for $name {
            type Error = SettingError;
            fn try_from(value: f64) -> Result<Self, SettingError> {
                Self::new(value)
            }
        }
        impl From<$name> for f64 {
            fn from(setting: $name) -> f64 {
                setting.0
            }
        }
    )*};
}
checked_f64!(Temperature, TopP, RepetitionPenalty, Unit);

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};

    use super::*;

    fn refusal<'a, T: Deserialize<'a>>(json: &'a str) -> String {
        serde_json::from_str::<T>(json).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn messages_hold_bare_numbers_and_refuse_bad_ones() {
        let json = r#"{"temperature":0.5,"top_k":40,"top_p":0.95,"repetition_penalty":1.25}"#;
        let settings: Settings = serde_json::from_str(json).unwrap();
        assert_eq!(settings.temperature.get(), 0.5);
        assert_eq!(settings.top_k, TopK::new(40).unwrap());
        assert_eq!(settings.top_p, TopP::new(0.95).unwrap());
        assert_eq!(settings.repetition_penalty, RepetitionPenalty::new(1.25).unwrap());
        assert_eq!(serde_json::to_string(&settings).unwrap(), json);
        let older: Settings = serde_json::from_str(r#"{"temperature":0.5,"top_k":40,"top_p":0.95}"#).unwrap();
        assert_eq!(older, Settings { repetition_penalty: RepetitionPenalty::OFF, ..settings });

        assert!(refusal::<Temperature>("-1").starts_with("temperature is -1,"));
        assert!(refusal::<TopP>("0").starts_with("top-p is 0,"));
        assert!(refusal::<TopP>("1e300").starts_with("top-p is 1e300,"));
        assert!(refusal::<RepetitionPenalty>("0.99").starts_with("repetition penalty is 0.99, but must be 1 or more"));
        assert!(refusal::<Unit>("1").starts_with("the uniform number is 1,"));
        assert!(refusal::<Settings>(r#"{"temperature":1,"top_k":-1,"top_p":1}"#).contains("-1"));
    }

    #[test]
    fn the_limits_themselves() {
        assert_eq!(Temperature::new(0.0), Ok(Temperature::ZERO));
        assert!(Temperature::new(f64::MAX).is_ok());
        assert!(Temperature::new((-0.0_f64).next_down()).is_err());
        assert!(Temperature::new(-0.0).unwrap().get().is_sign_positive());
        assert_eq!(TopP::new(1.0), Ok(TopP::OFF));
        assert!(TopP::new(1.0_f64.next_up()).is_err());
        assert!(TopP::new(f64::NAN).is_err());
        assert_eq!(RepetitionPenalty::new(1.0), Ok(RepetitionPenalty::OFF));
        assert!(RepetitionPenalty::new(f64::MAX).is_ok());
        for value in [1.0_f64.next_down(), 0.0, -2.0, f64::INFINITY, f64::NAN] {
            assert!(RepetitionPenalty::new(value).is_err(), "{value}");
        }
        assert!(Unit::new(1.0_f64.next_down()).is_ok());
        assert!(Unit::new(f64::NAN).is_err());
        assert_eq!(TopK::new(-1), Err(SettingError::TopK { value: -1 }));
        assert_eq!(TopK::new(u32::MAX).unwrap().get(), u32::MAX);
        assert!(TopK::new(1_i64 << 32).is_err());
    }

    #[test]
    fn k_at_or_beyond_the_vocabulary_is_off() {
        let limits = [0, 1, 2, 3, 4, u32::MAX].map(|k| TopK::from(k).limit(3));
        assert_eq!(limits, [3, 1, 2, 3, 3, 3]);
    }
}
