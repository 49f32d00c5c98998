//! Continuous batching: a fixed number of slots, and requests that take them as they come free.
//!
//! The scheduling is the iteration-level one of G.-I. Yu et al., "Orca: A Distributed Serving System for Transformer-Based
//! Generative Models" (OSDI 2022): who is in the batch is decided anew at every step.

mod desk;
mod plan;
mod step;
mod timeline;

use core::ops::ControlFlow;

pub use plan::{Request, SlotsPlan};
pub use step::{SlotStep, SlotsStep};
pub use timeline::{Block, Timeline, Utilization};

use desk::Desk;

use crate::{BatchError, DecodeError, Outcome, Rows};

/// Runs all requests of `plan` in its slots and gives each step to `on_step`.
///
/// A step is one turn of the clock, from 0. In it, first, the requests that arrive now join the queue; then each free
/// slot, the lowest first, takes the request at the head of the queue; then every slot that has a request gets one token:
/// from the prefill of its prompt if it was taken in this step, else from one decoding pass for all the others together.
/// The slot of a request that ends is free from the next step on. So a request with n tokens has a slot for n steps.
///
/// What comes out for a request is what it would be alone: request `i` draws from stream `i` of the seed, and no slot
/// sees another. A request that can have no token (none asked for, or a prompt above `n_ctx`) takes no slot. Steps in which
/// every slot would be idle are left out: the clock goes on to the next arrival.
///
/// A request ends as a row of [`generate_batch`](crate::generate_batch) does. If `on_step` breaks, those that are not done
/// yet end by the user, also those that wait. The outcomes are in the order of the requests in the plan.
///
/// # Errors
///
/// When there are no slots or no requests, when a prompt is empty or has an id that stands for nothing, when the model
/// fails or has no room for the slots, or when no token can be drawn from the logits of a request. Steps delivered before
/// an error are good.
pub async fn generate_slots<M: Rows>(
    model: &mut M,
    plan: &SlotsPlan,
    mut on_step: impl AsyncFnMut(SlotsStep) -> ControlFlow<()>,
) -> Result<Vec<Outcome>, BatchError<M::Error>> {
    plan.check(model.n_vocab())?;
    let mut desk = Desk::new(plan, model);
    if desk.has_work() {
        model.open_rows(plan.slots).map_err(BatchError::Model)?;
    }
    while desk.advance() {
        let slots = turn(model, &mut desk).await?;
        if on_step(desk.step(slots)).await.is_break() {
            desk.stop();
        }
        desk.free_slots();
    }
    Ok(desk.into_outcomes())
}

/// One token for each slot that has a request.
async fn turn<M: Rows>(model: &mut M, desk: &mut Desk<'_>) -> Result<Vec<SlotStep>, BatchError<M::Error>> {
    let fed = desk.to_feed();
    // Rows that the model leaves out have no logits, which the count then says.
    let mut decoded = match fed.is_empty() {
        true => Vec::new(),
        false => model.step_rows(&fed).await.map_err(BatchError::Model)?,
    }
    .into_iter();
    let mut slots = Vec::new();
    for (slot, request) in desk.slots().to_vec().into_iter().enumerate() {
        slots.push(match request {
            None => SlotStep::Idle,
            Some(request) if desk.is_new(request) => {
                let prompt = desk.prompt(request);
                let failed = |source| BatchError::request(request)(DecodeError::Model(source));
                let logits = model.prefill_row(slot, prompt).await.map_err(failed)?;
                SlotStep::Prefill { request, n_prompt: prompt.len(), token: desk.draw(request, logits)? }
            }
            Some(request) => {
                SlotStep::Decode { request, token: desk.draw(request, decoded.next().unwrap_or_default())? }
            }
        });
    }
    Ok(slots)
}
