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
    /// Which stream of uniform numbers.
    Seed,
    /// How many tokens at most.
    NewTokens,
}

impl Control {
    /// All of them, as they stand on the page.
    pub const ALL: [Self; 6] = [Self::Prompt, Self::Temperature, Self::TopK, Self::TopP, Self::Seed, Self::NewTokens];

    /// The accessible name.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Prompt => "Prompt",
            Self::Temperature => "Temperature",
            Self::TopK => "Top-k",
            Self::TopP => "Top-p",
            Self::Seed => "Seed",
            Self::NewTokens => "New tokens",
        }
    }
}
