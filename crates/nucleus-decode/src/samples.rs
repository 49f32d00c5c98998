use core::ops::ControlFlow;

use crate::context::Context;
use crate::generate::run;
use crate::{DecodeError, LanguageModel, Outcome, Plan, Step, StopReason};

/// One new token of one of several samples.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleStep {
    /// Which of the samples, from 0.
    pub sample: u32,
    /// Its step.
    pub step: Step,
}

/// Draws `n` samples of one prompt, one after the other.
///
/// Sample `i` is the run of `plan` with stream `i` of its seed, to the bit, whatever stream the plan names; so it does not
/// depend on `n`. The prompt is read once: for the next sample the cache is set back to it. Where the window has moved past
/// the prompt's start it has to be read again.
///
/// If `on_step` breaks, the sample at hand ends by the user and is the last of those that come out.
///
/// # Errors
///
/// Those of [`generate`](crate::generate). Steps delivered before an error are good.
pub async fn sample_many<M: LanguageModel>(
    model: &mut M,
    plan: &Plan,
    n: u32,
    mut on_step: impl AsyncFnMut(SampleStep) -> ControlFlow<()>,
) -> Result<Vec<Outcome>, DecodeError<M::Error>> {
    plan.check(model.n_vocab())?;
    let mut outcomes = Vec::new();
    let mut after_prompt: Option<Vec<f32>> = None;
    for sample in 0..n {
        let plan = Plan { stream: Some(sample), ..plan.clone() };
        let context = match after_prompt.take() {
            Some(logits) => Context::rewound(model, &plan.prompt, plan.past_context, logits),
            None => Context::new(model, &plan.prompt, plan.past_context),
        };
        let mut first = None;
        let mut has_slid = false;
        let outcome = run(context, &plan, None, async |step| {
            has_slid |= step.window_start > 0;
            first.get_or_insert_with(|| step.logits.clone());
            match on_step(SampleStep { sample, step }).await {
                ControlFlow::Break(()) => ControlFlow::Break(StopReason::User),
                ControlFlow::Continue(()) => ControlFlow::Continue(()),
            }
        });
        let outcome = outcome.await?;
        after_prompt = first.filter(|_| !has_slid);
        let is_stopped = outcome.reason == StopReason::User;
        outcomes.push(outcome);
        if is_stopped {
            break;
        }
    }
    Ok(outcomes)
}
