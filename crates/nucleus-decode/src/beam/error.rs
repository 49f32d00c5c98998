use super::{BeamWidth, LengthPenalty};

/// Why a number cannot be a setting of a beam search.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BeamError {
    /// No beams, or more than there is room for.
    #[error("beam width {0} is not between 1 and {max}: choose one that is", max = BeamWidth::MAX.get())]
    Width(usize),
    /// A length penalty that is negative, not a number, or so large that scores would all be 0.
    #[error("length penalty {0} is not between 0 and {max}: choose one that is", max = LengthPenalty::MAX.get())]
    LengthPenalty(f64),
}
