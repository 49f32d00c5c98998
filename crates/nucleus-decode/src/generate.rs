use core::ops::ControlFlow;

use nucleus_sampler::{Settings, StepContext, StepTrace, Unit, log_softmax_at, mask_padding, step_in};

use crate::context::Context;
use crate::{ConstraintState, DecodeError, LanguageModel, Outcome, Plan, Step, StopReason};

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
    run(Context::new(model, &plan.prompt, plan.past_context), plan, None, on_step).await
}

/// Runs `plan` as [`generate`] does, under a constraint: each token is one that it allows, and the text satisfies it in
/// the end, unless the caller breaks the run.
///
/// The run ends with [`StopReason::Closed`] once nothing can follow. When several reasons meet, this one comes behind the
/// end of text and before the token limit. `constraint` is at its beginning, and made with the plan's `end_of_text`.
///
/// # Errors
///
/// Those of [`generate`]; when the plan forces a token that is not allowed; before the first step, when the tokens that
/// the plan gives break the constraint; and before the first token, when the limit of new tokens, or of the context if the
/// plan stops there, is too small for any text of the constraint.
pub async fn generate_constrained<M: LanguageModel>(
    model: &mut M,
    plan: &Plan,
    constraint: &mut ConstraintState<'_>,
    on_step: impl AsyncFnMut(Step) -> ControlFlow<StopReason>,
) -> Result<Outcome, DecodeError<M::Error>> {
    plan.check(model.n_vocab())?;
    let (needed, limit) = (constraint.least(), plan.limit(model.n_ctx()));
    if needed > limit {
        return Err(DecodeError::TooFewTokens { needed, limit });
    }
    run(Context::new(model, &plan.prompt, plan.past_context), plan, Some(constraint), on_step).await
}

/// The loop, on a context that holds the prompt.
pub(crate) async fn run<M: LanguageModel>(
    mut context: Context<'_, M>,
    plan: &Plan,
    mut constraint: Option<&mut ConstraintState<'_>>,
    mut on_step: impl AsyncFnMut(Step) -> ControlFlow<StopReason>,
) -> Result<Outcome, DecodeError<M::Error>> {
    let limit = plan.limit(context.n_ctx());
    let mut tokens = Vec::new();
    let mut log_probabilities = Vec::new();
    for &token in plan.script.given.iter().take(limit) {
        let mut logits = context.logits().await.map_err(DecodeError::Model)?;
        mask_padding(&mut logits, plan.n_tokenizer);
        log_probabilities.push(log_softmax_at(&logits, token));
        tokens.push(token);
        context.push(token);
        if let Some(constraint) = constraint.as_deref_mut() {
            constraint.accept(token);
        }
    }
    if constraint.as_ref().is_some_and(|constraint| !constraint.can_be_completed()) {
        return Err(DecodeError::GivenAgainstConstraint);
    }
    let reason = loop {
        let index = tokens.len();
        let tokens_left = limit.saturating_sub(index);
        if constraint.as_mut().is_some_and(|constraint| constraint.is_over(tokens_left)) {
            break StopReason::Closed;
        }
        if index >= plan.max_new_tokens {
            break StopReason::TokenLimit;
        }
        if context.is_full() {
            break StopReason::Context;
        }
        let step = next(&mut context, plan, index, constraint.as_deref_mut()).await?;
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
    mut constraint: Option<&mut ConstraintState<'_>>,
) -> Result<Step, DecodeError<M::Error>> {
    let mut logits = context.logits().await.map_err(DecodeError::Model)?;
    let u = plan.uniform(index);
    let tokens_left = plan.limit(context.n_ctx()) - index;
    let allowed = constraint.as_deref_mut().map(|constraint| constraint.allowed(tokens_left).clone());
    let place = StepContext { seen: context.ids(), allowed: allowed.as_ref() };
    let mut trace = choose(index, &mut logits, [context.n_vocab(), plan.n_tokenizer], &place, &plan.settings, u)?;
    let forced = plan.script.forced.get(&index).copied();
    if let Some(token) = forced {
        if allowed.as_ref().is_some_and(|allowed| !allowed.contains(token)) {
            return Err(DecodeError::ForcedAgainstConstraint { index, token });
        }
        trace.token = token;
        trace.log_probability = log_softmax_at(&logits, token);
    }
    let told = constraint.map(|constraint| {
        let told = constraint.trace(&logits, &trace, tokens_left);
        constraint.accept(trace.token);
        told
    });
    Ok(Step {
        index,
        logits,
        trace,
        window_start: context.window_start(),
        constraint: told,
        allowed,
        forced: forced.is_some(),
    })
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
