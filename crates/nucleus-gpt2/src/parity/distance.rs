//! How far two results are apart.

use nucleus_decode::sampler::TokenId;

use super::ParityError;

/// The ids of a reference as tokens.
pub fn ids(ids: &[u32]) -> Vec<TokenId> {
    ids.iter().copied().map(TokenId).collect()
}

/// The largest distance of the pairs, if it is within `limit`. NaN is not.
pub fn near(
    prompt: usize,
    what: &'static str,
    limit: f64,
    pairs: impl Iterator<Item = (f64, f64)>,
) -> Result<f64, ParityError> {
    let found = pairs
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, |max: f64, d| if max.is_nan() || d.is_nan() { f64::NAN } else { max.max(d) });
    if found <= limit { Ok(found) } else { Err(ParityError::Far { prompt, what, found, limit }) }
}

/// The likeliest token; of several, the first.
pub fn top(logits: &[f32]) -> TokenId {
    let best = logits.iter().enumerate().rev().max_by(|a, b| a.1.total_cmp(b.1));
    TokenId(best.map_or(0, |(id, _)| id as u32))
}

/// No logit is above that of `expected` by more than twice `limit`: a tie may be broken either way.
pub fn same_top(
    prompt: usize,
    what: &'static str,
    index: usize,
    logits: &[f32],
    expected: TokenId,
    limit: f64,
) -> Result<(), ParityError> {
    let top = top(logits).index();
    if f64::from(logits[top] - logits[expected.index()]) <= 2.0 * limit {
        return Ok(());
    }
    Err(ParityError::Token { prompt, what, index, found: TokenId(top as u32), expected })
}
