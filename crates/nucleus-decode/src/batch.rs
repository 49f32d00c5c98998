//! A batch: prompts of different length, and one token for each of them a step.

mod error;
mod grid;
mod plan;
mod row;
mod step;

use core::ops::ControlFlow;

pub use error::BatchError;
pub use grid::{Cell, CellKind, GridRow, PaddedGrid, positions};
pub use plan::BatchPlan;
pub(crate) use row::{Row, Rules};
pub use step::{BatchStep, RowStep, RowToken};

use crate::{Outcome, Rows};

/// Runs all prompts of `plan` side by side and gives each step, one token a row, to `on_step`.
///
/// What comes out for a row is what it would be alone: row `i` draws from stream `i` of the seed (NumPy's
/// `SeedSequence(seed).spawn(n)[i]`), and the model is fed only what the [`PaddedGrid`] does not mask. A row that is done
/// is frozen: the model is not fed for it any more, it emits the pad id, and its sum of log-probabilities stays. The run
/// ends as soon as all rows are done.
///
/// A row ends by end of text, by the token limit, or by the context, whichever comes first in this order; as in
/// [`generate`](crate::generate) with [`PastContext::Stop`](crate::PastContext::Stop), the last token need not be fed, so
/// `n_ctx - n_prompt + 1` new tokens fit. If `on_step` breaks, the rows that are not done yet end by the user. With
/// nothing to draw the model is not called. The outcomes are in the order of the prompts.
///
/// # Errors
///
/// When there are no prompts, when one is empty or has an id that stands for nothing, when the model fails or has no room
/// for the rows, or when no token can be drawn from the logits of a row. Steps delivered before an error are good.
pub async fn generate_batch<M: Rows>(
    model: &mut M,
    plan: &BatchPlan,
    mut on_step: impl AsyncFnMut(BatchStep) -> ControlFlow<()>,
) -> Result<Vec<Outcome>, BatchError<M::Error>> {
    plan.check(model.n_vocab())?;
    let rules = plan.rules(model);
    let row = |(stream, prompt): (usize, &Vec<_>)| Row::new(&rules, stream, prompt, plan.max_new_tokens);
    let mut rows: Vec<Row> = plan.prompts.iter().enumerate().map(row).collect();
    let mut index = 0;
    while rows.iter().any(Row::is_live) {
        let logits = match index {
            0 => first_logits(model, plan, &rows).await?,
            _ => next_logits(model, &rows).await?,
        };
        let step = BatchStep { index, rows: column(&mut rows, &rules, plan, logits)? };
        index += 1;
        if on_step(step).await.is_break() {
            rows.iter_mut().for_each(Row::stop);
        }
    }
    Ok(rows.into_iter().map(Row::into_outcome).collect())
}

/// The logits after the prompt of each row that is live, in their order.
async fn first_logits<M: Rows>(
    model: &mut M,
    plan: &BatchPlan,
    rows: &[Row],
) -> Result<Vec<Vec<f32>>, BatchError<M::Error>> {
    model.open_rows(rows.len()).map_err(BatchError::Model)?;
    let mut logits = Vec::new();
    for (row, prompt) in plan.prompts.iter().enumerate().filter(|&(row, _)| rows[row].is_live()) {
        let failed = |source| BatchError::row(row)(crate::DecodeError::Model(source));
        logits.push(model.prefill_row(row, prompt).await.map_err(failed)?);
    }
    Ok(logits)
}

/// The logits after the last token of each row that is live, in their order.
async fn next_logits<M: Rows>(model: &mut M, rows: &[Row]) -> Result<Vec<Vec<f32>>, BatchError<M::Error>> {
    let fed: Vec<_> = rows.iter().enumerate().filter_map(|(row, state)| Some((row, state.to_feed()?))).collect();
    model.step_rows(&fed).await.map_err(BatchError::Model)
}

/// One token for each row: drawn for those that are live, to whom `logits` belong, the pad id for the others.
fn column<E: std::error::Error + 'static>(
    rows: &mut [Row],
    rules: &Rules,
    plan: &BatchPlan,
    logits: Vec<Vec<f32>>,
) -> Result<Vec<RowStep>, BatchError<E>> {
    let mut logits = logits.into_iter();
    let cell = |(index, row): (usize, &mut Row)| match row.reason() {
        Some(reason) => Ok(RowStep::Frozen { pad: plan.pad, sum: row.sum(), reason }),
        // Rows that the model left out have no logits, which the count then says.
        None => row.draw(rules, logits.next().unwrap_or_default()).map(RowStep::Drawn).map_err(BatchError::row(index)),
    };
    rows.iter_mut().enumerate().map(cell).collect()
}
