//! The controls by name.

/// What the reader can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Control {
    /// The text to continue.
    Prompt,
    /// What divides the logits.
    Temperature,
    /// How many of the likeliest tokens may stay.
    TopK,
    /// How much probability the nucleus must reach.
    TopP,
    /// How much less likely a token becomes that was seen before.
    RepetitionPenalty,
    /// Which stream of uniform numbers.
    Seed,
    /// How many tokens at most.
    NewTokens,
}

impl Control {
    /// All of them, as they stand on the page.
    pub const ALL: [Self; 7] =
        [Self::Prompt, Self::Temperature, Self::TopK, Self::TopP, Self::RepetitionPenalty, Self::Seed, Self::NewTokens];

    /// Those of one step of sampling, which a preset sets.
    pub const SETTINGS: [Self; 4] = [Self::Temperature, Self::TopK, Self::TopP, Self::RepetitionPenalty];

    /// The accessible name.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Prompt => "Prompt",
            Self::Temperature => "Temperature",
            Self::TopK => "Top-k",
            Self::TopP => "Top-p",
            Self::RepetitionPenalty => "Repetition penalty",
            Self::Seed => "Seed",
            Self::NewTokens => "New tokens",
        }
    }
}
