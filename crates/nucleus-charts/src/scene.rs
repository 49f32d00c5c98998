//! What a figure is drawn from.

use nucleus_sampler::{Filter, Ranking, Removal, StepTrace, TokenId};

use crate::words::{shortened, token_label, token_quote};

/// What tokens stand for. The page holds the bytes of the whole vocabulary; the charts turn them
/// into visible text.
pub trait Vocabulary {
    /// The bytes of a token: empty for an id that it does not know. They need not be whole UTF-8
    /// characters.
    fn bytes(&self, id: TokenId) -> &[u8];
}

/// One step, with all that its figures need. The parts belong to one another: `trace` was made from
/// `logits`, and so was `ranking`.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// Raw logits, `[n_vocab]`; `-inf` marks a masked column.
    pub logits: &'a [f32],
    /// The order of those logits; with a repetition penalty, [`Ranking::in_context`].
    pub ranking: &'a Ranking,
    /// What the settings and the uniform number made of them.
    pub trace: &'a StepTrace,
    /// The texts of the tokens.
    pub vocabulary: &'a dyn Vocabulary,
}

impl Scene<'_> {
    /// The token as a sentence names it.
    pub(crate) fn quote(&self, id: TokenId) -> String {
        token_quote(self.vocabulary.bytes(id))
    }

    /// The token as a label, cut to a number of columns.
    pub(crate) fn short(&self, id: TokenId, columns: usize) -> String {
        shortened(&token_label(self.vocabulary.bytes(id)), columns)
    }

    /// How many tokens are charted, and rows the logits table has: the vocabulary without its
    /// masked columns.
    pub fn n_charted(&self) -> usize {
        self.trace.n_vocab - self.removed(Filter::Mask).map_or(0, |mask| mask.count)
    }

    /// How many tokens a filter can see: those charted, without those that a constraint forbids.
    pub(crate) fn n_allowed(&self) -> usize {
        self.n_charted() - self.removed(Filter::Constraint).map_or(0, |removal| removal.count)
    }

    /// Whether a constraint forbids tokens.
    pub(crate) fn is_constrained(&self) -> bool {
        self.n_allowed() < self.n_charted()
    }

    /// The largest of the logits that the filters see, in words: the raw ones have another where a constraint forbids it or the
    /// penalty lowers it.
    pub(crate) fn largest_logit(&self) -> &'static str {
        match (self.is_constrained(), self.trace.lowering.is_some()) {
            (false, false) => "the largest logit",
            (true, false) => "the largest allowed logit",
            (false, true) => "the largest logit after the penalty",
            (true, true) => "the largest allowed logit after the penalty",
        }
    }

    /// The raw logit of a token.
    pub(crate) fn raw(&self, id: TokenId) -> f64 {
        f64::from(self.logits[id.index()])
    }

    /// The logit that temperature divides: after the repetition penalty.
    pub(crate) fn penalised(&self, id: TokenId) -> f64 {
        self.trace.lowered(id).map_or_else(|| self.raw(id), |token| token.to)
    }

    /// What a filter removed, if it took part.
    pub(crate) fn removed(&self, filter: Filter) -> Option<&Removal> {
        self.trace.removals.iter().find(|removal| removal.filter == filter)
    }
}

/// The room that a figure has, in CSS pixels. It becomes the `viewBox`; what a figure does at phone
/// width depends on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    width: f64,
    height: f64,
}

impl Size {
    /// The narrowest and lowest figure, in CSS pixels: smaller or unusable numbers become these.
    pub const MIN: Self = Self { width: 240.0, height: 60.0 };
    /// The widest and highest figure, in CSS pixels: it bounds the number of nodes.
    pub const MAX: Self = Self { width: 4096.0, height: 4096.0 };

    /// A size within [`Size::MIN`] and [`Size::MAX`]; what is not a number becomes the minimum.
    pub fn new(width: f64, height: f64) -> Self {
        let within = |value: f64, min: f64, max: f64| {
            if value.is_nan() { min } else { value.clamp(min, max) }
        };
        Self {
            width: within(width, Self::MIN.width, Self::MAX.width),
            height: within(height, Self::MIN.height, Self::MAX.height),
        }
    }

    /// The size of a figure that scrolls: as large as its parts need.
    pub(crate) fn scrolled(width: f64, height: f64) -> Self {
        Self { width, height }
    }

    /// CSS pixels.
    pub fn width(self) -> f64 {
        self.width
    }

    /// CSS pixels.
    pub fn height(self) -> f64 {
        self.height
    }
}
