//! Beam search: the sequences that `generate(num_beams=...)` finds, and their scores.

use std::ops::ControlFlow;

use nucleus_decode::sampler::TokenId;
use nucleus_decode::{BeamPlan, BeamWidth, EarlyStopping, LanguageModel, LengthPenalty, Rows, beam_search};
use serde::Deserialize;

use super::ParityError;
use super::distance::{ids, near};
use crate::model::Gpt2;

/// The new tokens of every sequence in the reference, at most.
const MOST_NEW_TOKENS: usize = 12;

/// One search.
#[derive(Deserialize)]
pub struct Reference {
    prompt: Vec<u32>,
    width: BeamWidth,
    length_penalty: LengthPenalty,
    eos: u32,
    sequences: Vec<Vec<u32>>,
    scores: Vec<f64>,
}

/// Compares the first `most` searches; how many there were. A log-probability may be as far off as two logits, and a score as
/// far as the log-probabilities of its sequence together.
///
/// Which sequences are found is a matter of near ties between many sums, so this is for weights held as the reference's.
pub async fn compare(
    model: &mut Gpt2,
    references: &[Reference],
    most: usize,
    limit: f64,
) -> Result<usize, ParityError> {
    let searches = references.iter().take(most);
    let n = searches.len();
    for (search, reference) in searches.enumerate() {
        let plan = BeamPlan {
            prompt: ids(&reference.prompt),
            width: reference.width,
            length_penalty: reference.length_penalty,
            early_stopping: EarlyStopping::Heuristic,
            n_results: reference.sequences.len(),
            max_new_tokens: MOST_NEW_TOKENS,
            end_of_text: Some(TokenId(reference.eos)),
            n_tokenizer: model.n_vocab(),
        };
        let found = beam_search(model, &plan, async |_| ControlFlow::Continue(())).await?;
        for (result, expected) in found.results.iter().zip(&reference.sequences) {
            same(search, &result.tokens, &padded(expected, reference.eos))?;
        }
        let scores = found.results.iter().map(|result| result.score).zip(reference.scores.iter().copied());
        near(search, "a score of a beam", 2.0 * limit * MOST_NEW_TOKENS as f64, scores)?;
    }
    model.open_rows(1)?;
    Ok(n)
}

/// What follows the end of a text is padding, up to the longest of its search.
fn padded(tokens: &[u32], eos: u32) -> Vec<TokenId> {
    let end = tokens.iter().position(|&token| token == eos).map_or(tokens.len(), |end| end + 1);
    ids(&tokens[..end])
}

fn same(prompt: usize, found: &[TokenId], expected: &[TokenId]) -> Result<(), ParityError> {
    let pairs = found.iter().zip(expected);
    match pairs.enumerate().find(|(_, (found, expected))| found != expected) {
        Some((index, (&found, &expected))) => {
            Err(ParityError::Token { prompt, what: "token of a beam", index, found, expected })
        }
        None => {
            let lengths = [found.len() as f64, expected.len() as f64];
            near(prompt, "the length of a beam", 0.0, [lengths].map(|[found, expected]| (found, expected)).into_iter())
                .map(drop)
        }
    }
}
