use nucleus_sampler::TokenId;

use crate::LanguageModel;

/// A model with several caches side by side, which reads its weights once for all of them.
///
/// Rows count from 0. Each has a length of its own: what a padded grid masks is not fed at all, since a masked column
/// adds exactly nothing to attention, and positions come from the mask in any case. Row 0 is what [`LanguageModel`]'s
/// own methods read and write.
#[expect(async_fn_in_trait, reason = "always dispatched statically, on one thread: no future needs to be Send")]
pub trait Rows: LanguageModel {
    /// Makes room for `rows` rows, 1 or more, and forgets all of them.
    ///
    /// # Errors
    ///
    /// When the device has no room for them.
    fn open_rows(&mut self, rows: usize) -> Result<(), Self::Error>;

    /// Forgets row `row`, reads `ids` (1 to `n_ctx` of them) into it, and gives the logits after the last: `[n_vocab]`.
    ///
    /// # Errors
    ///
    /// When the device fails or is lost.
    async fn prefill_row(&mut self, row: usize, ids: &[TokenId]) -> Result<Vec<f32>, Self::Error>;

    /// Reads one more token into each of the rows named, all different, and gives the logits after each, in the same
    /// order: within the device's rounding those of each row alone. No row named is empty, and none is full.
    ///
    /// # Errors
    ///
    /// When the device fails or is lost.
    async fn step_rows(&mut self, fed: &[(usize, TokenId)]) -> Result<Vec<Vec<f32>>, Self::Error>;

    /// Puts a copy of row `from[i]` into row `i`, for each `i`, all at once: how beams change places. As many entries as
    /// there are rows.
    fn reorder_rows(&mut self, from: &[usize]);

    /// How many tokens row `row` has read: 0 to `n_ctx`.
    fn row_len(&self, row: usize) -> usize;
}
