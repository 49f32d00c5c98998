//! One generation, reported token by token.

use std::ops::ControlFlow;

use nucleus_decode::constraint::ConstraintState;
use nucleus_decode::{
    DecodeError, LanguageModel, Outcome, PastContext, Plan, Step, StopReason, StopStream, generate,
    generate_constrained,
};
use nucleus_gpt2::ModelError;
use nucleus_sampler::{LogitsError, TokenId};
use nucleus_session::{Failure, GenerateRequest, Report, RunId, StepReport};

use crate::clock::{self, Breath};
use crate::constraint;
use crate::inbox::Inbox;
use crate::load::Loaded;
use crate::mailbox::Outbox;

/// A run that reports to the page, and ends when the inbox says so.
pub(crate) struct Run<'a> {
    pub(crate) inbox: &'a Inbox,
    pub(crate) outbox: &'a Outbox,
    pub(crate) breath: &'a Breath,
    pub(crate) id: RunId,
    started: f64,
}

impl<'a> Run<'a> {
    pub(crate) fn new(id: RunId, inbox: &'a Inbox, outbox: &'a Outbox, breath: &'a Breath) -> Self {
        Self { inbox, outbox, breath, id, started: clock::now() }
    }

    /// Generates, and reports how it ended.
    pub(crate) async fn go(&self, request: &GenerateRequest, loaded: Option<&mut Loaded>) {
        let end = match loaded {
            None => Err(Failure::NoModel),
            Some(_) if self.inbox.ends(self.id) => Ok(self.nothing_new(StopReason::User)),
            Some(loaded) => self.generate(request, loaded).await,
        };
        self.outbox.send(end.unwrap_or_else(|failure| Report::Failed { run: Some(self.id), failure }));
    }

    async fn generate(&self, request: &GenerateRequest, loaded: &mut Loaded) -> Result<Report, Failure> {
        let constraint = request.constraint.as_ref().map(constraint::compile).transpose()?;
        let plan = plan(request, loaded)?;
        let n_ctx = loaded.info.n_ctx;
        let window_start = plan.prompt.len().saturating_sub(n_ctx);
        self.outbox.send(Report::Started { run: self.id, prompt: plan.prompt.clone(), window_start });
        let mut prefill_ms = None;
        let Loaded { model, tokenizer, info, trie, .. } = &mut *loaded;
        let mut text = StopStream::new(&request.stop);
        let mut read = |token: TokenId| match info.end_of_text == Some(token) {
            true => None,
            false => text.push(tokenizer.bytes(token.0).unwrap_or_default()).stop,
        };
        // Settings that came after these tokens may end the text within them.
        if let Some(stop) = plan.script.given.iter().filter_map(|&token| read(token)).last() {
            return Ok(self.nothing_new(StopReason::StopString { index: stop.index }));
        }
        let on_step = async |step: Step| {
            let elapsed_ms = self.elapsed();
            prefill_ms.get_or_insert(elapsed_ms);
            let stop = read(step.trace.token);
            let goes_on = self.tell(step, elapsed_ms).await;
            stop.map_or(goes_on, |stop| ControlFlow::Break(StopReason::StopString { index: stop.index }))
        };
        let outcome = match constraint {
            None => generate(model, &plan, on_step).await,
            Some(constraint) => {
                let trie = trie.get_or_init(|| constraint::trie(tokenizer, info.end_of_text));
                let state = ConstraintState::new(&constraint, trie, info.end_of_text);
                let mut state = state.map_err(|error| constraint::refused(&error))?;
                generate_constrained(model, &plan, &mut state, on_step).await
            }
        };
        let outcome = outcome.map_err(failure)?;
        let total_ms = self.elapsed();
        let prefill_ms = prefill_ms.unwrap_or(total_ms);
        let log_probabilities_of_prompt = self.score(&plan, &outcome, loaded).await?;
        Ok(Report::Finished {
            run: self.id,
            reason: outcome.reason,
            log_probabilities_of_prompt,
            prefill_ms,
            decode_ms: total_ms - prefill_ms,
        })
    }

    /// Reports a step, lets messages in, and says whether to go on.
    async fn tell(&self, step: Step, elapsed_ms: f64) -> ControlFlow<StopReason> {
        if let (Some(told), Some(allowed)) = (step.constraint, step.allowed) {
            self.outbox.send(Report::Constrained { run: self.id, told, allowed });
        }
        let report =
            Report::Step { run: self.id, step: StepReport::of(&step.trace, step.index, step.window_start, elapsed_ms) };
        self.outbox.send_with_logits(report, step.logits);
        self.breath.take().await;
        if self.inbox.ends(self.id) { ControlFlow::Break(StopReason::User) } else { ControlFlow::Continue(()) }
    }

    /// ln p of each prompt token but the first: one more pass over the prompt, after the text is there. Not computed
    /// where nobody would wait for it, or where the model does not see the whole prompt.
    async fn score(&self, plan: &Plan, outcome: &Outcome, loaded: &mut Loaded) -> Result<Option<Vec<f64>>, Failure> {
        let unseen = plan.prompt.len() > loaded.info.n_ctx;
        if loaded.slow || unseen || outcome.reason == StopReason::User {
            return Ok(None);
        }
        let scored = loaded.model.score(&plan.prompt).await;
        scored.map(Some).map_err(|error| model_failure(&error))
    }

    fn nothing_new(&self, reason: StopReason) -> Report {
        Report::Finished { run: self.id, reason, log_probabilities_of_prompt: None, prefill_ms: 0.0, decode_ms: 0.0 }
    }

    fn elapsed(&self) -> f64 {
        clock::now() - self.started
    }
}

fn plan(request: &GenerateRequest, loaded: &Loaded) -> Result<Plan, Failure> {
    Ok(Plan {
        prompt: loaded.encode(&request.prompt, request.special_tokens)?,
        settings: request.settings,
        seed: request.seed,
        stream: None,
        script: request.script.clone(),
        max_new_tokens: request.new_tokens as usize,
        end_of_text: loaded.info.end_of_text,
        n_tokenizer: loaded.tokenizer.n_vocab(),
        past_context: PastContext::Slide,
    })
}

/// What the page hears of a run that failed.
pub(crate) fn failure(error: DecodeError<ModelError>) -> Failure {
    match error {
        DecodeError::EmptyPrompt => Failure::EmptyPrompt,
        DecodeError::Logits { source: LogitsError::AllForbidden { .. }, .. } => {
            Failure::Constraint { message: error.to_string() }
        }
        DecodeError::Logits { index, source } => Failure::Logits { index, message: source.to_string() },
        DecodeError::LogitsCount { index, .. } => Failure::Logits { index, message: error.to_string() },
        DecodeError::Model(error) => model_failure(&error),
        DecodeError::TooFewTokens { .. } | DecodeError::GivenAgainstConstraint => {
            Failure::Constraint { message: error.to_string() }
        }
        DecodeError::PromptId { .. } | DecodeError::ForcedAgainstConstraint { .. } => {
            Failure::Model { message: error.to_string() }
        }
    }
}

/// Results that do not come back mean that the device is gone, or of no use from now on: the page starts a new worker.
pub(crate) fn model_failure(error: &ModelError) -> Failure {
    let message = error.to_string();
    if matches!(error, ModelError::Device(_)) { Failure::DeviceLost { message } } else { Failure::Model { message } }
}

#[cfg(test)]
mod tests {
    #[cfg(target_family = "wasm")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn errors_keep_what_the_reader_needs() {
        let drawn = failure(DecodeError::Logits { index: 3, source: LogitsError::Empty });
        assert!(matches!(&drawn, Failure::Logits { index: 3, message } if *message == LogitsError::Empty.to_string()));
        assert_eq!(failure(DecodeError::EmptyPrompt), Failure::EmptyPrompt);
        let long = failure(DecodeError::Model(ModelError::TooLong { n: 9, n_ctx: 8 }));
        assert!(matches!(&long, Failure::Model { message } if message.contains("9 tokens")));
        assert!(!long.ends_the_engine());
    }
}
