use nucleus_sampler::TokenId;

use crate::LanguageModel;

/// The perplexity of a text under the model: exp of the mean negative log-probability of its tokens, 1 or more. The
/// first token is left out, since nothing predicts it; `None` for fewer than two.
///
/// Of a text longer than `n_ctx` the last `n_ctx` ids are taken: the window that a run would see.
///
/// # Errors
///
/// When the model fails.
pub async fn perplexity<M: LanguageModel>(model: &mut M, ids: &[TokenId]) -> Result<Option<f64>, M::Error> {
    let window = &ids[ids.len().saturating_sub(model.n_ctx())..];
    if window.len() < 2 {
        return Ok(None);
    }
    let log_probabilities = model.score(window).await?;
    Ok(nucleus_sampler::perplexity(&log_probabilities))
}
