//! Words from counts, with a model beside them.

use std::rc::Rc;

use nucleus_sampler::Settings;

use super::{FocusAt, Session};
use crate::StopReason;
use crate::controls::Values;
use crate::engine::EngineState;
use crate::focus::Focus;
use crate::message::Effect;
use crate::protocol::Request;
use crate::run::{Run, RunState, Source};
use crate::strategy::{Beside, Options, StrategyKind, WordRun};

impl Session {
    /// The words that were drawn from counts; `None` until Generate, and while another strategy is chosen.
    #[must_use]
    pub fn words(&self) -> Option<&WordRun> {
        self.words.as_ref().filter(|_| self.strategy == StrategyKind::Bigram)
    }

    /// Which of the new words is in focus, from 0; `None` while there are none.
    #[must_use]
    pub fn word_index(&self) -> Option<usize> {
        self.focus.within(self.words()?.run.steps.len())
    }

    /// What a model gives for the text before the word in focus; `None` while no model has read it.
    #[must_use]
    pub fn beside(&self) -> Option<(&Run, Rc<Focus>)> {
        let beside = self.words()?.beside.as_ref()?;
        if beside.run.values.prompt != self.text_in_focus()? {
            return None;
        }
        Some((&beside.run, beside.focus()?))
    }

    /// What a model reads to stand beside the word in focus.
    #[must_use]
    pub fn text_in_focus(&self) -> Option<String> {
        Some(self.words()?.text_before(self.word_index()?))
    }

    /// Counts, and draws the words at once: no engine is needed for it.
    pub(super) fn count_words(&mut self) {
        if let Ok(words) = WordRun::new(self.controls.values(), &self.options) {
            self.words = Some(words);
        }
    }

    /// Whether the engine is only at a step that stands beside the words.
    pub(super) fn is_at_beside(&self) -> bool {
        let beside = self.words.as_ref().and_then(|words| words.beside.as_ref()?.run.id());
        beside.is_some() && self.engine.running() == beside
    }

    /// Asks the model for one step on the text before the word in focus, if it is idle and has not read that text.
    pub(super) fn ask_beside(&mut self, effects: &mut Vec<Effect>) {
        if self.queued || self.engine.state != EngineState::Ready {
            return;
        }
        let (Some(prompt), Some(words)) = (self.text_in_focus(), self.words()) else { return };
        let model = self.engine.run_model();
        // One that was stopped is asked for again; one that failed would fail again.
        let is_there = |run: &Run| {
            let was_stopped = run.steps().is_empty() && run.state == RunState::Finished(StopReason::User);
            run.values.prompt == prompt && run.model == model.name && !was_stopped
        };
        if words.beside.as_ref().is_some_and(|beside| is_there(&beside.run)) {
            return;
        }
        let values = Values { prompt, settings: Settings::default(), new_tokens: 1, ..words.values.clone() };
        let id = self.engine.next_run();
        let run = Run::new(Source::Live(id), model, values, Options::default());
        effects.push(Effect::Send(Request::Generate(super::runs::request(&run, id))));
        self.engine.state = EngineState::Running { run: id, stopping: false };
        if let Some(words) = &mut self.words {
            words.beside = Some(Beside::new(run));
        }
    }

    /// The runs that the engine may be at: the one shown, and the step beside the words.
    pub(super) fn live_runs(&mut self) -> impl Iterator<Item = &mut Run> {
        let beside = self.words.as_mut().and_then(|words| words.beside.as_mut()).map(|beside| &mut beside.run);
        self.run.iter_mut().chain(beside)
    }
}

impl FocusAt {
    /// Which of `n` it is; `None` of none.
    pub(super) fn within(self, n: usize) -> Option<usize> {
        let last = n.checked_sub(1)?;
        Some(match self {
            Self::Latest => last,
            Self::Step(step) => step.min(last),
        })
    }
}
