//! What comes from the engine, and its life.

use std::rc::Rc;

use nucleus_decode::StopReason;
use nucleus_sampler::TokenId;

use super::Session;
use crate::brief::brief;
use crate::device::{DeviceKind, DevicePreference, DeviceReason, DeviceReport};
use crate::engine::EngineState;
use crate::failure::Failure;
use crate::message::Effect;
use crate::progress::Rate;
use crate::protocol::{Loading, ModelInfo, Report, Request, RunId, StepReport};
use crate::refusal::Refusal;
use crate::run::{Run, RunState, Step};
use crate::strategy::{Constrained, OptionError};
use crate::vocabulary::Vocabulary;

impl Session {
    pub(super) fn reported(&mut self, report: Report, logits: Option<Vec<f32>>, at_ms: f64, effects: &mut Vec<Effect>) {
        match report {
            Report::Loading(stage) => self.loading_at(stage, at_ms),
            Report::Device(device) => self.device_chosen(device),
            Report::Plan(plan) => self.planned(plan, effects),
            Report::Cancelled => self.loading_cancelled(effects),
            Report::Kept(models) => self.engine.kept = Some(models),
            Report::Ready { model, vocabulary } => self.ready(model, vocabulary, effects),
            Report::Started { run, prompt, .. } => self.started(run, prompt),
            Report::Constrained { run, told, allowed } => {
                if let Some(run) = self.writing(run) {
                    run.constrain(Constrained { told, allowed });
                }
            }
            Report::Step { run, step } => self.stepped(run, step, logits, effects),
            Report::Finished { run, reason, log_probabilities_of_prompt, .. } => {
                self.finished(run, reason, log_probabilities_of_prompt, effects);
            }
            Report::Progress { run, progress } => self.progressed(run, progress),
            Report::Done { run, stopped, elapsed_ms } => self.done(run, stopped, elapsed_ms, effects),
            Report::Failed { run: None, failure } => self.engine_failed(failure, effects),
            Report::Failed { run: Some(run), failure } => self.run_failed(run, failure, effects),
        }
    }

    /// Where the graphics processor has failed before, that is why the model is on the CPU, whatever the engine was told or
    /// found: a browser whose graphics process died may offer no adapter any more.
    fn device_chosen(&mut self, mut device: DeviceReport) {
        if !matches!(self.engine.state, EngineState::Loading(_)) {
            return;
        }
        let after_failures = self.engine.on_cpu_instead || self.engine.gpu_failures > 0;
        if after_failures && device.kind == DeviceKind::Cpu {
            device.reason = DeviceReason::GpuFailed { failures: self.engine.gpu_failures.max(1) };
        }
        self.engine.device = Some(device);
    }

    fn ready(&mut self, model: ModelInfo, vocabulary: Vocabulary, effects: &mut Vec<Effect>) {
        // A model that was ready before the engine heard that it is not wanted is as good as any.
        if !matches!(self.engine.state, EngineState::Loading(_) | EngineState::Cancelling(_)) {
            return;
        }
        self.engine.state = EngineState::Ready;
        self.engine.model = Some(model);
        self.engine.last_ready = Some(self.engine.source.clone());
        self.engine.vocabulary = Rc::new(vocabulary);
        self.list_kept_again(effects);
        self.run_if_ready(effects);
    }

    /// The run that the engine is at, if it is shown, or stands beside what is, and has not been asked to stop.
    fn writing(&mut self, run: RunId) -> Option<&mut Run> {
        let at_it = self.engine.state == EngineState::Running { run, stopping: false };
        self.live_runs().find(|shown| at_it && shown.id() == Some(run))
    }

    fn started(&mut self, run: RunId, prompt: Vec<TokenId>) {
        if let Some(run) = self.writing(run) {
            run.prompt = prompt;
            run.state = RunState::Writing;
        }
    }

    fn stepped(&mut self, run: RunId, report: StepReport, logits: Option<Vec<f32>>, effects: &mut Vec<Effect>) {
        let n_vocab = self.engine.model.as_ref().map(|model| model.n_vocab);
        let Some(shown) = self.writing(run) else {
            return;
        };
        let expected = shown.steps().len();
        match logits {
            Some(logits) if report.index == expected && Some(logits.len()) == n_vocab => {
                shown.push(Step { report, logits: logits.into() });
                self.forget_what_was_replaced();
            }
            logits => {
                let found = logits.map_or(0, |logits| logits.len());
                let message = format!(
                    "step {} came with {found} logits where step {expected} with {} was due",
                    report.index,
                    n_vocab.unwrap_or_default(),
                );
                self.engine_failed(Failure::Protocol { message }, effects);
            }
        }
    }

    fn finished(&mut self, run: RunId, reason: StopReason, of_prompt: Option<Vec<f64>>, effects: &mut Vec<Effect>) {
        let EngineState::Running { run: at, stopping } = self.engine.state else {
            return;
        };
        if at != run {
            return;
        }
        self.engine_came_through();
        if let Some(shown) = self.live_runs().find(|shown| shown.id() == Some(run)) {
            // It is the same prompt, however often its text is written on.
            shown.prompt_log_probabilities = of_prompt.or(shown.prompt_log_probabilities.take());
            // Tokens that came after Stop are not shown, so whatever the engine ended with, what is
            // shown ended with Stop.
            let reason = if stopping { StopReason::User } else { reason };
            shown.end(RunState::Finished(reason));
        }
        self.forget_what_was_replaced();
        self.forget_same_branches();
        self.run_if_ready(effects);
        self.move_address(effects);
    }

    /// What was asked of the engine is done: whatever failed before is forgotten.
    pub(super) fn engine_came_through(&mut self) {
        self.engine.state = EngineState::Ready;
        self.engine.may_restart = true;
        if self.engine.is_on_gpu() {
            self.engine.gpu_failures = 0;
        }
    }

    fn run_failed(&mut self, run: RunId, failure: Failure, effects: &mut Vec<Effect>) {
        if failure.ends_the_engine() {
            self.engine_failed(failure, effects);
        } else if self.engine.running() == Some(run) {
            self.engine.state = EngineState::Ready;
            self.break_off(&failure);
            if let Failure::Constraint { message } = failure {
                self.constraint_refused(message, effects);
            }
            self.forget_what_was_replaced();
            self.run_if_ready(effects);
        }
    }

    /// The form that the output must have cannot be had: what was shown before stays, as after any other refusal.
    fn constraint_refused(&mut self, message: String, effects: &mut Vec<Effect>) {
        let key = self.run.as_ref().filter(|run| run.steps().is_empty()).and_then(|run| run.constraint_field());
        let Some(key) = key else { return };
        self.show_what_was_replaced();
        self.refuse(Refusal::Option(OptionError { key, message }), effects);
    }

    pub(super) fn trapped(&mut self, message: String, effects: &mut Vec<Effect>) {
        self.engine_failed(Failure::Trap { message: brief(&message) }, effects);
    }

    /// The engine cannot go on as it is. Prompt, settings, seed and the text so far stay.
    fn engine_failed(&mut self, failure: Failure, effects: &mut Vec<Effect>) {
        if matches!(self.engine.state, EngineState::Off | EngineState::Failed(_)) {
            return;
        }
        self.break_off(&failure);
        if self.goes_on_after(&failure) {
            self.engine.may_restart = false;
            self.restart_engine(effects);
            self.engine.restarted_after = Some(failure);
            return;
        }
        // A worker that can still answer can still tell, and delete, what is kept.
        if failure.ends_the_engine() {
            effects.push(Effect::TerminateEngine);
        }
        self.engine.state = EngineState::Failed(failure);
        self.queued = false;
        self.show_something(effects);
    }

    /// Whether the engine is started again unasked: once on the same device, and after a second failure of the
    /// graphics processor on the CPU, unless the address insists.
    fn goes_on_after(&mut self, failure: &Failure) -> bool {
        let on_gpu = self.engine.is_on_gpu();
        if on_gpu && failure.may_be_the_device() {
            self.engine.gpu_failures += 1;
        }
        let given_up = matches!(self.engine.state, EngineState::Cancelling(_) | EngineState::Cancelled(_));
        if !failure.may_pass() || given_up {
            return false;
        }
        let insists = self.engine.preference == Some(DevicePreference::WebGpu);
        if on_gpu && self.engine.gpu_failures >= 2 && !insists {
            self.engine.on_cpu_instead = true;
            return true;
        }
        self.engine.may_restart
    }

    /// Ends the live run that is shown, if it is not over yet.
    fn break_off(&mut self, failure: &Failure) {
        for run in self.live_runs().filter(|run| !run.is_over()) {
            run.end(RunState::Failed(failure.clone()));
        }
        self.end_work(RunState::Failed(failure.clone()));
    }

    /// Ends the live run that is shown, if it is not over yet, because the worker is ended on purpose.
    pub(super) fn end_run_as_stopped(&mut self) {
        for run in self.live_runs().filter(|run| !run.is_over()) {
            run.end(RunState::Finished(StopReason::User));
        }
        self.end_work(RunState::Finished(StopReason::User));
    }

    /// Tries once more what failed: a worker that still answers only loads the model again.
    pub(super) fn try_again(&mut self, effects: &mut Vec<Effect>) {
        if self.engine.is_alive() && matches!(self.engine.state, EngineState::Failed(_)) {
            self.engine.state = EngineState::Loading(Loading::ChoosingDevice);
            self.engine.restarted_after = None;
            self.send_load(effects);
        } else {
            self.restart_engine(effects);
        }
    }

    /// Ends the worker, if there is one, and starts another with the model chosen.
    pub(super) fn restart_engine(&mut self, effects: &mut Vec<Effect>) {
        effects.push(Effect::TerminateEngine);
        self.start_engine(effects);
    }

    pub(super) fn start_engine(&mut self, effects: &mut Vec<Effect>) {
        self.engine.state = EngineState::Loading(Loading::Starting);
        self.engine.restarted_after = None;
        effects.push(Effect::StartEngine);
        self.send_load(effects);
    }

    /// Asks for the model chosen.
    pub(super) fn send_load(&mut self, effects: &mut Vec<Effect>) {
        self.engine.device = None;
        self.engine.plan = None;
        self.engine.rate = Rate::default();
        self.engine.started_over = false;
        effects.push(Effect::Send(Request::Load {
            source: self.engine.source.clone(),
            device: self.engine.device_asked_for(),
            weights: self.engine.weights,
        }));
    }

    /// The page is there again, and its worker is not.
    pub(super) fn come_back(&mut self, effects: &mut Vec<Effect>) {
        if self.engine.state == EngineState::Off {
            self.start_engine(effects);
        }
    }

    /// The page goes away, which is no failure: what is shown ends as if stopped, silently.
    pub(super) fn close(&mut self, effects: &mut Vec<Effect>) {
        self.end_run_as_stopped();
        self.engine.state = EngineState::Off;
        self.queued = false;
        effects.push(Effect::TerminateEngine);
    }
}
