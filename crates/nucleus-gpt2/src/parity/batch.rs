//! Rows of different length side by side: `generate` over a left-padded batch, greedily, with and without an end of text.

use nucleus_decode::Rows;
use nucleus_decode::sampler::TokenId;
use serde::Deserialize;

use super::distance::{ids, same_top, top};
use super::{Extent, ParityError};
use crate::model::Gpt2;

/// Two runs of one batch.
#[derive(Deserialize)]
pub struct Reference {
    batch: Batch,
    batch_eos: Ended,
}

#[derive(Deserialize)]
struct Batch {
    input_ids: Vec<Vec<u32>>,
    attention_mask: Vec<Vec<u32>>,
    new_tokens: Vec<Vec<u32>>,
}

/// The same prompts, where a row ends with a token.
#[derive(Deserialize)]
struct Ended {
    eos: u32,
    new_tokens: Vec<Vec<u32>>,
}

/// Compares both runs; how many tokens were equal.
pub async fn compare(
    model: &mut Gpt2,
    reference: &Reference,
    extent: Extent,
    limit: f64,
) -> Result<usize, ParityError> {
    let (batch, ended) = (&reference.batch, &reference.batch_eos);
    let text = |(ids, mask): (&Vec<u32>, &Vec<u32>)| {
        ids.iter().zip(mask).filter(|(_, seen)| **seen == 1).map(|(&id, _)| TokenId(id)).collect()
    };
    let prompts = batch.input_ids.iter().zip(&batch.attention_mask).take(extent.prompts).map(text);
    let prompts: Vec<Vec<TokenId>> = prompts.collect();
    let mut equal = 0;
    for (expected, eos) in [(&batch.new_tokens, None), (&ended.new_tokens, Some(TokenId(ended.eos)))] {
        equal += greedy(model, &prompts, expected, eos, extent.new_tokens, limit).await?;
    }
    model.open_rows(1)?;
    Ok(equal)
}

/// A row goes on until it has ended, or has parted from the reference at a tie.
async fn greedy(
    model: &mut Gpt2,
    prompts: &[Vec<TokenId>],
    expected: &[Vec<u32>],
    eos: Option<TokenId>,
    most: usize,
    limit: f64,
) -> Result<usize, ParityError> {
    model.open_rows(prompts.len())?;
    let mut rows = Vec::with_capacity(prompts.len());
    for (row, prompt) in prompts.iter().enumerate() {
        rows.push((row, model.prefill_row(row, prompt).await?));
    }
    let mut equal = 0;
    for index in 0..expected[0].len().min(most) {
        let mut fed = Vec::new();
        for (row, logits) in &rows {
            let token = ids(&expected[*row])[index];
            if top(logits) != token {
                same_top(*row, "new token of the batch", index, logits, token, limit)?;
                continue;
            }
            equal += 1;
            if Some(token) != eos {
                fed.push((*row, token));
            }
        }
        let logits = model.step_rows(&fed).await?;
        rows = fed.iter().map(|(row, _)| *row).zip(logits).collect();
    }
    Ok(equal)
}
