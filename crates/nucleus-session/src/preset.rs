//! Named settings.

use nucleus_sampler::{RepetitionPenalty, SettingError, Settings, Temperature, TopK, TopP};

/// Settings with a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// The name on the button.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub sentence: &'static str,
    temperature: f64,
    top_k: u32,
    top_p: f64,
}

/// The presets, from the tamest to the wildest.
pub const PRESETS: [Preset; 4] = [
    Preset {
        name: "Greedy",
        sentence: "Always the likeliest token. No chance at all, and soon a loop.",
        temperature: 0.0,
        top_k: 0,
        top_p: 1.0,
    },
    Preset {
        name: "Cautious",
        sentence: "Sharpened, and only what is likely: steady prose with few surprises.",
        temperature: 0.7,
        top_k: 40,
        top_p: 0.9,
    },
    Preset {
        name: "As trained",
        sentence: "The model's own distribution, nothing changed and nothing removed.",
        temperature: 1.0,
        top_k: 0,
        top_p: 1.0,
    },
    Preset {
        name: "Wild",
        sentence: "Flattened: unlikely tokens get their turn, and sense is soon lost.",
        temperature: 1.5,
        top_k: 0,
        top_p: 0.98,
    },
];

impl Preset {
    /// The settings.
    ///
    /// # Errors
    /// When one is out of range, which for [`PRESETS`] a test rules out.
    pub fn settings(&self) -> Result<Settings, SettingError> {
        Ok(Settings {
            temperature: Temperature::new(self.temperature)?,
            top_k: TopK::from(self.top_k),
            top_p: TopP::new(self.top_p)?,
            repetition_penalty: RepetitionPenalty::OFF,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_valid_and_differs_from_the_others() {
        let all: Vec<Settings> = PRESETS.iter().map(|preset| preset.settings().unwrap()).collect();
        for (index, settings) in all.iter().enumerate() {
            assert!(!all[..index].contains(settings), "{settings:?}");
        }
    }

    #[test]
    fn a_preset_out_of_range_is_refused() {
        let broken = Preset { top_p: 0.0, ..PRESETS[0] };
        assert_eq!(broken.settings(), Err(SettingError::TopP { value: 0.0 }));
    }
}
