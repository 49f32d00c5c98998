use core::ops::ControlFlow;

use nucleus_sampler::{StepTrace, Uniforms, mask_padding};

use crate::context::Context;
use crate::{DecodeError, LanguageModel, Outcome, Plan, Step, StopReason};

/// Runs `plan` on `model`, token by token, and gives each step to `on_step` as soon as its token is chosen.
///
/// `on_step` breaks the run by its answer; the step it was given stays in the outcome. When several reasons to stop
/// meet, the first of these is reported: user, end of text, token limit, context. With 0 new tokens the model is not
/// called.
///
/// # Errors
///
/// When the prompt is empty or has an id that stands for nothing, when the model fails, or when no token can be drawn
/// from its logits (NaN, infinite, all masked). Steps delivered before an error are good.
pub async fn generate<M: LanguageModel>(
    model: &mut M,
    plan: &Plan,
    mut on_step: impl AsyncFnMut(Step) -> ControlFlow<()>,
) -> Result<Outcome, DecodeError<M::Error>> {
    let n_vocab = model.n_vocab();
    plan.check(n_vocab)?;
    let mut context = Context::new(model, &plan.prompt, plan.past_context);
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
        let window_start = context.window_start();
        let mut logits = context.logits().await.map_err(DecodeError::Model)?;
        if logits.len() != n_vocab {
            return Err(DecodeError::LogitsCount { index, found: logits.len(), expected: n_vocab });
        }
        let trace = choose(plan, index, &mut logits)?;
        let token = trace.token;
        tokens.push(token);
        log_probabilities.push(trace.log_probability);
        context.push(token);
        if on_step(Step { index, logits, trace, window_start }).await.is_break() {
            break StopReason::User;
        }
        if plan.end_of_text == Some(token) {
            break StopReason::EndOfText;
        }
    };
    Ok(Outcome { reason, tokens, log_probabilities })
}

/// Chooses new token `index`. What keeps tokens from being drawn (today the padding) writes minus infinity here.
fn choose<E: std::error::Error + 'static>(
    plan: &Plan,
    index: usize,
    logits: &mut [f32],
) -> Result<StepTrace, DecodeError<E>> {
    mask_padding(logits, plan.n_tokenizer);
    let u = Uniforms::nth(plan.seed, index as u64);
    nucleus_sampler::step(logits, &plan.settings, u).map_err(|source| DecodeError::Logits { index, source })
}
