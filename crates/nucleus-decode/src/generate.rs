use core::ops::ControlFlow;

use nucleus_sampler::{Settings, StepContext, StepTrace, Unit, mask_padding, step_in};

use crate::context::Context;
use crate::{DecodeError, LanguageModel, Outcome, Plan, Step, StopReason};

/// Runs `plan` on `model`, token by token, and gives each step to `on_step` as soon as its token is chosen.
///
/// `on_step` breaks the run by its answer, which says why: [`StopReason::User`], or [`StopReason::StopString`] from a
/// caller that knows the tokens' bytes. The step it was given stays in the outcome. When several reasons to stop meet, the
/// first of these is reported: the caller's, end of text, token limit, context. With 0 new tokens the model is not called.
///
/// # Errors
///
/// When the prompt is empty or has an id that stands for nothing, when the model fails, or when no token can be drawn
/// from its logits (NaN, infinite, all masked). Steps delivered before an error are good.
pub async fn generate<M: LanguageModel>(
    model: &mut M,
    plan: &Plan,
    on_step: impl AsyncFnMut(Step) -> ControlFlow<StopReason>,
) -> Result<Outcome, DecodeError<M::Error>> {
    plan.check(model.n_vocab())?;
    run(Context::new(model, &plan.prompt, plan.past_context), plan, on_step).await
}

/// The loop, on a context that holds the prompt.
pub(crate) async fn run<M: LanguageModel>(
    mut context: Context<'_, M>,
    plan: &Plan,
    mut on_step: impl AsyncFnMut(Step) -> ControlFlow<StopReason>,
) -> Result<Outcome, DecodeError<M::Error>> {
    let mut tokens = Vec::new();
    let mut log_probabilities = Vec::new();
    let reason = loop {
        let index = tokens.len();
        if index >= plan.max_new_tokens {
            break StopReason::TokenLimit;
        }
        if context.is_full() {
            break StopReason::Context;
        }
        let step = next(&mut context, plan, index).await?;
        let token = step.trace.token;
        tokens.push(token);
        log_probabilities.push(step.trace.log_probability);
        context.push(token);
        if let ControlFlow::Break(reason) = on_step(step).await {
            break reason;
        }
        if plan.end_of_text == Some(token) {
            break StopReason::EndOfText;
        }
    };
    Ok(Outcome { reason, tokens, log_probabilities })
}

/// Asks the model and chooses new token `index`.
async fn next<M: LanguageModel>(
    context: &mut Context<'_, M>,
    plan: &Plan,
    index: usize,
) -> Result<Step, DecodeError<M::Error>> {
    let mut logits = context.logits().await.map_err(DecodeError::Model)?;
    let u = plan.uniform(index);
    let seen = StepContext { seen: context.ids(), allowed: None };
    let trace = choose(index, &mut logits, [context.n_vocab(), plan.n_tokenizer], &seen, &plan.settings, u)?;
    Ok(Step { index, logits, trace, window_start: context.window_start() })
}

/// Chooses new token `index` from what the model gave: `n_vocab` logits, of which those from `n_tokenizer` on are padding and
/// become minus infinity.
pub(crate) fn choose<E: std::error::Error + 'static>(
    index: usize,
    logits: &mut [f32],
    [n_vocab, n_tokenizer]: [usize; 2],
    context: &StepContext<'_>,
    settings: &Settings,
    u: Unit,
) -> Result<StepTrace, DecodeError<E>> {
    let (found, expected) = (logits.len(), n_vocab);
    if found != expected {
        return Err(DecodeError::LogitsCount { index, found, expected });
    }
    mask_padding(logits, n_tokenizer);
    step_in(logits, context, settings, u).map_err(|source| DecodeError::Logits { index, source })
}
