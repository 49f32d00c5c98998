//! Strategies beside the sampled run.

use nucleus_decode::Extractor;

use super::Session;
use crate::StopReason;
use crate::engine::EngineState;
use crate::message::Effect;
use crate::protocol::{DecodeRequest, Request, RunId};
use crate::refusal::Refusal;
use crate::run::RunState;
use crate::strategy::plan::extractor;
use crate::strategy::{OptionError, OptionKey, Options, Progress, Strategy, StrategyKind, StrategyRun};

impl Session {
    /// How the next tokens are decided.
    #[must_use]
    pub fn strategy(&self) -> StrategyKind {
        self.strategy
    }

    /// What stands in the fields of the strategies.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Whether the address the page was opened with sets something in the fields of a strategy, so that they must be seen.
    #[must_use]
    pub fn opened_with_options(&self) -> bool {
        self.opened_with_options
    }

    /// What is wrong with a field of the strategy chosen, if it is the first that holds no good value.
    #[must_use]
    pub fn option_error(&self, key: OptionKey) -> Option<OptionError> {
        let refused = match &self.refusal {
            Some(Refusal::Option(error)) => Some(error.clone()),
            _ => None,
        };
        self.planned_strategy().err().or(refused).filter(|error| error.key == key)
    }

    /// What finds the answers of the samples: by the rule as it is now, whatever it was when they were drawn. `None` while
    /// the rule is no good.
    #[must_use]
    pub fn extractor(&self) -> Option<Extractor> {
        extractor(&self.options).ok()
    }

    /// The work of the strategy chosen; `None` until it was started, and for a sampled run.
    #[must_use]
    pub fn work(&self) -> Option<&StrategyRun> {
        self.work.as_ref().filter(|work| work.kind == self.strategy)
    }

    /// What keeps Generate from starting something, if anything does.
    pub(super) fn obstacle(&self) -> Option<Refusal> {
        let bad = Refusal::of(&self.controls);
        if bad.is_some() {
            return bad;
        }
        if self.strategy.reads_prompt() && self.controls.prompt.is_empty() {
            return Some(Refusal::EmptyPrompt);
        }
        self.planned_strategy().err().map(Refusal::Option)
    }

    /// What the fields of the strategy chosen ask for.
    pub(super) fn planned_strategy(&self) -> Result<Option<Strategy>, OptionError> {
        Strategy::of(self.strategy, &self.controls.values(), &self.options)
    }

    /// Starts the strategy chosen. `false`: a sampled run is wanted.
    pub(super) fn start_strategy(&mut self, run: RunId, effects: &mut Vec<Effect>) -> bool {
        let Ok(Some(strategy)) = self.planned_strategy() else { return false };
        let values = self.controls.values();
        effects.push(Effect::Send(Request::Decode(DecodeRequest {
            run,
            strategy: strategy.clone(),
            special_tokens: values.special_tokens,
            settings: values.settings,
            seed: values.seed,
            new_tokens: values.new_tokens,
        })));
        self.opening = None;
        self.work = Some(StrategyRun::new(run, self.strategy, self.engine.run_model(), values, strategy));
        true
    }

    /// The work that the engine is at, if it has not been asked to stop.
    pub(super) fn progressed(&mut self, run: RunId, progress: Progress) {
        if self.engine.state != (EngineState::Running { run, stopping: false }) {
            return;
        }
        if let Some(work) = self.work.as_mut().filter(|work| work.id == run) {
            work.take(progress);
        }
    }

    pub(super) fn done(&mut self, run: RunId, stopped: bool, elapsed_ms: f64, effects: &mut Vec<Effect>) {
        let EngineState::Running { run: at, stopping } = self.engine.state else { return };
        if at != run {
            return;
        }
        self.engine_came_through();
        if let Some(work) = self.work.as_mut().filter(|work| work.id == run) {
            let reason = if stopped || stopping { StopReason::User } else { StopReason::TokenLimit };
            work.state = RunState::Finished(reason);
            work.elapsed_ms = Some(elapsed_ms);
        }
        self.run_if_ready(effects);
        self.move_address(effects);
    }

    /// Ends the work, if it is not over yet.
    pub(super) fn end_work(&mut self, state: RunState) {
        if let Some(work) = self.work.as_mut().filter(|work| !work.is_over()) {
            work.state = state;
        }
    }
}
