//! Beam search: the best few sequences side by side, instead of the one that greedy follows.

mod candidates;
mod error;
mod greedy;
mod outcome;
mod plan;
mod search;
mod step;
mod tree;

use core::ops::ControlFlow;

pub use error::BeamError;
pub use outcome::{BeamOutcome, BeamStop, Hypothesis};
pub use plan::{BeamPlan, BeamWidth, EarlyStopping, LengthPenalty};
pub use step::{BeamStep, Candidate, Choice, End, Verdict};
pub use tree::{BeamNode, BeamTree, Fate};

use crate::plan::check_prompt;
use crate::{DecodeError, Rows};
use search::Search;

/// Searches for the sequences with the best score, and gives each step to `on_step` as soon as it is judged.
///
/// The score of a sequence is the sum of its log-probabilities (log-softmax of the raw logits, in f64) divided by
/// length^alpha. At each step all continuations of all live beams are compared by their sums; ties go to the better beam,
/// then to the lower id. Of the best 2 * width, those that end the text and are among the first `width` are finished;
/// the best `width` of the others are the live beams of the next step, and the rows of the model's cache are reordered
/// with them. At the greatest length the first `width` are finished, whatever they are. The best `width` finished ones are
/// remembered. This is the algorithm of HF transformers 5.24 (`GenerationMixin._beam_search`); when it may stop before the
/// end is a choice of the plan, [`EarlyStopping`].
///
/// A single beam is greedy, and ends with its text. The path that greedy takes is decoded beside the beams, in a row of
/// its own, so that it can be compared with what they find; where it is longer than the search, the last steps have no
/// candidates. The model holds `width + 1` rows and is not called if there is no room for a new token. Nothing slides:
/// where the model can see no more tokens, all beams end. If `on_step` breaks, the live beams are results as they are.
///
/// # Errors
///
/// When the prompt is empty or has an id that stands for nothing, when the model fails or has no room for the rows, or
/// when its logits allow no token (NaN, infinite, all masked). Steps delivered before an error are good.
pub async fn beam_search<M: Rows>(
    model: &mut M,
    plan: &BeamPlan,
    mut on_step: impl AsyncFnMut(BeamStep) -> ControlFlow<()>,
) -> Result<BeamOutcome, DecodeError<M::Error>> {
    check_prompt(&plan.prompt, plan.n_tokenizer.min(model.n_vocab()))?;
    let mut search = Search::new(plan, model);
    if search.is_over() {
        return Ok(search.into_outcome());
    }
    model.open_rows(plan.width.get() + 1).map_err(DecodeError::Model)?;
    let first = model.prefill_row(0, &plan.prompt).await.map_err(DecodeError::Model)?;
    // The first step of the beams and that of greedy look at the same logits.
    let mut logits = vec![first.clone(), first];
    loop {
        let step = search.advance(logits)?;
        if on_step(step).await.is_break() {
            search.stop();
            return Ok(search.into_outcome());
        }
        if search.is_over() {
            return Ok(search.into_outcome());
        }
        logits = search.feed(model).await?;
    }
}
