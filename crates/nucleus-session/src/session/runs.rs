//! Starting and stopping runs.

use core::mem;

use super::{FocusAt, Session};
use crate::engine::EngineState;
use crate::message::Effect;
use crate::protocol::{GenerateRequest, Request};
use crate::run::{Run, RunState, Source};
use crate::strategy::ConstraintSource;

impl Session {
    /// Generate was pressed.
    pub(super) fn generate(&mut self, effects: &mut Vec<Effect>) {
        if self.can_stop() {
            return;
        }
        self.link_errors.clear();
        self.opening = None;
        self.wanted = None;
        self.queue(effects);
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
        if let Some(refusal) = self.obstacle() {
            self.refuse(refusal, effects);
            return;
        }
        let id = self.engine.next_run();
        self.engine.state = EngineState::Running { run: id, stopping: false };
        self.engine.restarted_after = None;
        if self.start_strategy(id, effects) {
            return;
        }
        let values = self.controls.values();
        effects.push(Effect::Send(Request::Generate(GenerateRequest {
            run: id,
            prompt: values.prompt.clone(),
            special_tokens: values.special_tokens,
            settings: values.settings,
            seed: values.seed,
            new_tokens: values.new_tokens,
            constraint: ConstraintSource::of(&self.options),
        })));
        let mut run = Run::new(Source::Live(id), self.engine.run_model(), values);
        match self.opening.take() {
            Some(link) => run.expected = link.check,
            None => self.focus = FocusAt::Latest,
        }
        self.show(run);
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

    /// Puts a run in the place of the one that was shown.
    pub(super) fn show(&mut self, run: Run) {
        self.run = Some(run);
        self.table_start = 0;
        self.draw_level = 0;
        mem::take(&mut self.focus_cache);
        mem::take(&mut self.series);
    }
}
