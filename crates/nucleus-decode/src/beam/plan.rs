use nucleus_sampler::TokenId;
use serde::{Deserialize, Serialize};

use super::BeamError;
use crate::LanguageModel;

/// How many beams are alive side by side: 1 to 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "usize", into = "usize")]
pub struct BeamWidth(usize);

impl BeamWidth {
    /// One beam: greedy.
    pub const MIN: Self = Self(1);
    /// The most beams.
    pub const MAX: Self = Self(16);

    /// A width from 1 to 16.
    ///
    /// # Errors
    ///
    /// [`BeamError::Width`] for any other number.
    pub fn new(width: usize) -> Result<Self, BeamError> {
        if (Self::MIN.0..=Self::MAX.0).contains(&width) { Ok(Self(width)) } else { Err(BeamError::Width(width)) }
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> usize {
        self.0
    }
}

impl TryFrom<usize> for BeamWidth {
    type Error = BeamError;

    fn try_from(width: usize) -> Result<Self, BeamError> {
        Self::new(width)
    }
}

impl From<BeamWidth> for usize {
    fn from(width: BeamWidth) -> Self {
        width.0
    }
}

/// alpha, the power of its length that a sequence's sum of log-probabilities is divided by: 0 to 10.
///
/// 0 is no penalty: the likeliest sequence wins, and short ones have an advantage, since every further token makes a sum
/// smaller. 1 compares means. The higher, the more long sequences are favoured.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct LengthPenalty(f64);

impl LengthPenalty {
    /// Sums are compared as they are.
    pub const NONE: Self = Self(0.0);
    /// The highest.
    pub const MAX: Self = Self(10.0);

    /// A penalty from 0 to 10.
    ///
    /// # Errors
    ///
    /// [`BeamError::LengthPenalty`] for any other number.
    pub fn new(alpha: f64) -> Result<Self, BeamError> {
        // Adding 0 makes a zero with a minus sign an ordinary one.
        if (0.0..=Self::MAX.0).contains(&alpha) { Ok(Self(alpha + 0.0)) } else { Err(BeamError::LengthPenalty(alpha)) }
    }

    /// alpha.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// sum / length^alpha, the score of a sequence of `length` new tokens; nothing has the score 0.
    ///
    /// As in HF transformers 5.24 (`GenerationMixin._update_finished_beams`), the length counts the new tokens only, the
    /// token that ends the text among them.
    #[must_use]
    pub fn score(self, sum: f64, length: usize) -> f64 {
        if length == 0 { 0.0 } else { sum / libm::pow(length as f64, self.0) }
    }
}

impl TryFrom<f64> for LengthPenalty {
    type Error = BeamError;

    fn try_from(alpha: f64) -> Result<Self, BeamError> {
        Self::new(alpha)
    }
}

impl From<LengthPenalty> for f64 {
    fn from(penalty: LengthPenalty) -> Self {
        penalty.0
    }
}

/// When a search stops that has as many finished sequences as beams. It asks what the best live beam may still reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EarlyStopping {
    /// Stops only when no live beam can beat the worst of the finished ones: its sum can never rise, so its score is at
    /// most that sum at the greatest length it can reach. HF's `early_stopping="never"`.
    #[default]
    Exact,
    /// Asks as if the best live beam ended now. With a length penalty above 0 this can stop too soon, since a longer
    /// sequence is divided by more; without one it is the same as `Exact`. HF's default, `early_stopping=False`.
    Heuristic,
}

/// All that decides a beam search: the same plan on the same model gives the same sequences.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BeamPlan {
    /// What the model reads first: 1 id or more, each below `n_tokenizer` and below the model's `n_vocab`.
    pub prompt: Vec<TokenId>,
    /// How many beams are kept alive at each step.
    pub width: BeamWidth,
    /// How sequences of different length are compared.
    pub length_penalty: LengthPenalty,
    /// When the search may stop before all beams have ended.
    pub early_stopping: EarlyStopping,
    /// How many sequences come out: 1 to `width`. There are never more than `width`, and less only where the vocabulary
    /// or the model allows no more.
    pub n_results: usize,
    /// Sequences end after so many new tokens. 0 runs nothing.
    pub max_new_tokens: usize,
    /// The token that ends a text, if the vocabulary has one.
    pub end_of_text: Option<TokenId>,
    /// How many ids the tokenizer has. Logits from this column on are padding and belong to no sequence.
    pub n_tokenizer: usize,
}

impl BeamPlan {
    /// How many new tokens a sequence can have: the last of them need not be read by the model.
    pub(crate) fn max_length(&self, model: &impl LanguageModel) -> usize {
        self.max_new_tokens.min((model.n_ctx() + 1).saturating_sub(self.prompt.len()))
    }
}
