//! Starting and stopping runs.

use core::mem;

use nucleus_decode::Script;
use nucleus_sampler::TokenId;

use super::{FocusAt, Session};
use crate::controls::Values;
use crate::engine::EngineState;
use crate::message::Effect;
use crate::protocol::{GenerateRequest, Request, RunId};
use crate::refusal::Refusal;
use crate::run::{Run, RunState, Source};
use crate::strategy::{ConstraintSource, StrategyKind};

/// What was shown before a run of which nothing has come yet.
#[derive(Debug)]
pub(super) struct Replaced {
    run: Run,
    branches: Vec<Run>,
    focus: FocusAt,
}

impl Session {
    /// Generate was pressed.
    pub(super) fn generate(&mut self, effects: &mut Vec<Effect>) {
        if self.can_stop() {
            return;
        }
        self.link_errors.clear();
        self.keep_what_the_link_forces();
        self.wanted = None;
        if self.strategy == StrategyKind::Bigram {
            return self.generate_words(effects);
        }
        self.queue(effects);
    }

    /// A link whose run could not start asks for it still, once what stood in the way is put right. What came of its run is not
    /// to be expected any more.
    fn keep_what_the_link_forces(&mut self) {
        let cannot_be = matches!(self.refusal, Some(Refusal::ForcedToken { .. }));
        let prompt = &self.controls.prompt;
        self.opening = self.opening.take().filter(|link| !cannot_be && link.is_of(prompt));
        if let Some(link) = &mut self.opening {
            link.check = None;
        }
    }

    /// Words from counts wait for nothing.
    fn generate_words(&mut self, effects: &mut Vec<Effect>) {
        self.refusal = None;
        if let Some(refusal) = self.obstacle() {
            return self.refuse(refusal, effects);
        }
        self.focus = FocusAt::Step(0);
        self.count_words();
    }

    /// Starts a run now or as soon as the engine is ready, unless a control is bad.
    fn queue(&mut self, effects: &mut Vec<Effect>) {
        self.queued = false;
        self.refusal = None;
        if let Some(refusal) = self.obstacle() {
            self.refuse(refusal, effects);
        } else {
            self.queued = true;
            if matches!(self.engine.state, EngineState::Failed(_) | EngineState::Off) {
                self.try_again(effects);
            }
            self.run_if_ready(effects);
        }
    }

    /// Starts the run that waits, if the engine does too.
    pub(super) fn run_if_ready(&mut self, effects: &mut Vec<Effect>) {
        if !self.queued || self.engine.state != EngineState::Ready {
            return;
        }
        self.queued = false;
        if let Some(refusal) = self.obstacle().or_else(|| self.unknown_forced_token()) {
            self.refuse(refusal, effects);
            return;
        }
        let id = self.engine.next_run();
        self.engine.state = EngineState::Running { run: id, stopping: false };
        self.engine.restarted_after = None;
        if self.start_strategy(id, effects) {
            return;
        }
        let (values, focus) = (self.controls.values(), self.focus);
        let mut run = Run::new(Source::Live(id), self.engine.run_model(), values, self.options.clone());
        match self.opening.take() {
            Some(link) => {
                run.expected = link.check;
                run.forced = link.forced;
            }
            None => self.focus = FocusAt::Latest,
        }
        effects.push(Effect::Send(Request::Generate(request(&run, id))));
        let branches = mem::take(&mut self.branches);
        self.replaced = self.run.take().map(|run| Replaced { run, branches, focus });
        self.show(run);
    }

    /// The run shown has a token, or has ended without one: what it stands in place of is gone.
    pub(super) fn forget_what_was_replaced(&mut self) {
        self.replaced = None;
    }

    /// Shows again what stood in place of a run that could not start. Where nothing did, nothing is shown.
    pub(super) fn show_what_was_replaced(&mut self) {
        self.run = None;
        if let Some(Replaced { run, branches, focus }) = self.replaced.take() {
            self.branches = branches;
            self.show(run);
            self.focus = focus;
        }
    }

    /// The first token that the address forces and the model, which is there, does not have.
    fn unknown_forced_token(&self) -> Option<Refusal> {
        let link = self.opening.as_ref().filter(|_| self.strategy == StrategyKind::Sample)?;
        let n_tokens = self.engine.vocabulary.len().min(self.engine.model.as_ref()?.n_vocab);
        let (&step, &token) = link.forced.iter().find(|(_, token)| token.index() >= n_tokens)?;
        Some(Refusal::ForcedToken { step, token, n_tokens })
    }

    /// Stop was pressed. No token is shown from here on, though the engine may finish one.
    pub(super) fn stop(&mut self, effects: &mut Vec<Effect>) {
        self.queued = false;
        let EngineState::Running { run, stopping: false } = self.engine.state else {
            return;
        };
        self.engine.state = EngineState::Running { run, stopping: true };
        effects.push(Effect::Send(Request::Stop { run }));
        if let Some(shown) = self.run.as_mut().filter(|shown| shown.id() == Some(run)) {
            shown.state = RunState::Stopping;
        }
        if let Some(work) = self.work.as_mut().filter(|work| work.id == run) {
            work.state = RunState::Stopping;
        }
    }

    /// Has the engine write on where the run shown ends.
    pub(super) fn write_on(&mut self, effects: &mut Vec<Effect>) {
        let (values, options) = (self.controls.values(), self.options.clone());
        let id = self.engine.next_run();
        let Some(run) = &mut self.run else { return };
        // A token that is forced is written, however few are wanted; one that an address names beyond the run is not waited for.
        let asked = run.values.new_tokens as usize;
        let least =
            run.forced.range(..asked).next_back().map_or(0, |(&step, _)| u32::try_from(step + 1).unwrap_or(u32::MAX));
        let Values { prompt, special_tokens, .. } = run.values.clone();
        let new_tokens = values.new_tokens.max(least);
        run.go_on(id, Values { prompt, special_tokens, new_tokens, ..values }, options);
        effects.push(Effect::Send(Request::Generate(request(run, id))));
        self.engine.state = EngineState::Running { run: id, stopping: false };
        self.engine.restarted_after = None;
        self.focus = FocusAt::Latest;
    }

    /// Puts a run in the place of the one that was shown.
    pub(super) fn show(&mut self, run: Run) {
        self.run = Some(run);
        self.forcing = None;
        self.table_start = 0;
        self.draw_level = 0;
        mem::take(&mut self.focus_cache);
        mem::take(&mut self.series);
    }
}

/// What is asked of the engine for a run, which may have tokens already.
pub(super) fn request(run: &Run, id: RunId) -> GenerateRequest {
    let Values { prompt, special_tokens, settings, seed, new_tokens } = run.values.clone();
    let given: Vec<TokenId> = run.steps().iter().map(|step| step.report.token).collect();
    let forced = run.forced.range(given.len()..).map(|(&at, &token)| (at, token)).collect();
    GenerateRequest {
        run: id,
        prompt,
        special_tokens,
        settings,
        seed,
        new_tokens,
        stop: run.stop_strings(),
        script: Script { given, forced },
        constraint: ConstraintSource::of(&run.options),
    }
}
