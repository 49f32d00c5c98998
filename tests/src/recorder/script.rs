//! What is recorded.

use nucleus_sampler::{SettingError, Settings, Temperature, TopK, TopP};
use nucleus_session::{RecordingEntry, Values};

/// A run to record, and what to say of it.
#[derive(Clone, Copy, Debug)]
pub struct Script {
    /// The file's name.
    pub name: &'static str,
    /// What the list shows.
    pub title: &'static str,
    /// What to look for.
    pub note: &'static str,
    prompt: &'static str,
    temperature: f64,
    top_k: u32,
    top_p: f64,
    seed: u64,
    new_tokens: u32,
}

/// In the order of the list; the first is what a new reader sees.
pub const SCRIPTS: [Script; 5] = [
    Script {
        name: "nucleus",
        title: "Nucleus",
        note: "Go from token to token: the nucleus holds a few tokens within a phrase, and hundreds where a new sentence begins.",
        prompt: "Once upon a time",
        temperature: 0.8,
        top_k: 0,
        top_p: 0.9,
        seed: 10,
        new_tokens: 28,
    },
    Script {
        name: "loop",
        title: "A loop",
        note: "At temperature 0 the likeliest token is always taken, and the text comes back to where it was. Raise the temperature at any token to see what else there was.",
        prompt: "The king said to his wife,",
        temperature: 0.0,
        top_k: 0,
        top_p: 1.0,
        seed: 1,
        new_tokens: 40,
    },
    Script {
        name: "cautious",
        title: "Two filters",
        note: "Two filters, one after the other: the ladder shows how much probability each of them takes away.",
        prompt: "The wolf looked at the little girl and",
        temperature: 0.7,
        top_k: 40,
        top_p: 0.9,
        seed: 3,
        new_tokens: 28,
    },
    Script {
        name: "wild",
        title: "Flattened",
        note: "Flattened logits give unlikely tokens their turn, and one odd token makes the next ones odd. Lower the temperature and see the nucleus shrink.",
        prompt: "In the middle of the forest",
        temperature: 1.5,
        top_k: 0,
        top_p: 0.98,
        seed: 5,
        new_tokens: 28,
    },
    Script {
        name: "open",
        title: "Open end",
        note: "Nothing is changed and nothing removed: the first word may be almost any name, and each has its own thin slice of the draw.",
        prompt: "There was once a man whose name was",
        temperature: 1.0,
        top_k: 0,
        top_p: 1.0,
        seed: 1,
        new_tokens: 24,
    },
];

impl Script {
    /// What the run is asked for.
    ///
    /// # Errors
    /// When a setting is out of range.
    pub fn values(&self) -> Result<Values, SettingError> {
        Ok(Values {
            prompt: self.prompt.to_owned(),
            special_tokens: false,
            settings: Settings {
                temperature: Temperature::new(self.temperature)?,
                top_k: TopK::from(self.top_k),
                top_p: TopP::new(self.top_p)?,
                ..Settings::default()
            },
            seed: self.seed,
            new_tokens: self.new_tokens,
        })
    }

    /// Its place in the list.
    #[must_use]
    pub fn entry(&self) -> RecordingEntry {
        RecordingEntry { name: self.name.to_owned(), title: self.title.to_owned(), note: self.note.to_owned() }
    }
}
