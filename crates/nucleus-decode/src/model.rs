use nucleus_sampler::TokenId;

/// A model that predicts the next token, with a cache of what it has read.
///
/// Logits are `[n_vocab]` numbers, one for each id: the higher, the likelier that token comes next. They may be
/// minus infinity (never), but not NaN or plus infinity.
#[expect(async_fn_in_trait, reason = "always dispatched statically, on one thread: no future needs to be Send")]
pub trait LanguageModel {
    /// What can go wrong inside the model.
    type Error: std::error::Error + 'static;

    /// How many logits there are: 1 or more. Padding included, so it can be more than the tokenizer has ids.
    fn n_vocab(&self) -> usize;

    /// How many tokens the model can see at once: 1 or more.
    fn n_ctx(&self) -> usize;

    /// Forgets the cache, reads `ids` (1 to `n_ctx` of them), and gives the logits after the last of them.
    ///
    /// # Errors
    ///
    /// When the device fails or is lost.
    async fn prefill(&mut self, ids: &[TokenId]) -> Result<Vec<f32>, Self::Error>;

    /// Reads one more token and gives the logits after it: the same, within the device's rounding, as a prefill of all
    /// tokens. It is called after a prefill, and only while the cache has less than `n_ctx` tokens.
    ///
    /// # Errors
    ///
    /// When the device fails or is lost.
    async fn step(&mut self, id: TokenId) -> Result<Vec<f32>, Self::Error>;

    /// Forgets all but the first `len` tokens of the cache; `len` is 1 or more and at most what is there. What is left is
    /// exactly what it was when no more than that had been read.
    fn rewind(&mut self, len: usize);

    /// How many tokens are in the cache: 0 to `n_ctx`.
    fn len(&self) -> usize;

    /// Whether nothing has been read yet.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The log-probability, in nats, of each of `ids` (1 to `n_ctx` of them) but the first, given those before it:
    /// `ids.len() - 1` numbers. One pass without the cache, which stays as it is.
    ///
    /// # Errors
    ///
    /// When the device fails or is lost.
    async fn score(&mut self, ids: &[TokenId]) -> Result<Vec<f64>, Self::Error>;
}
