//! Choosing, loading and keeping models.

use super::Session;
use crate::chooser::{Persistence, Place, missing};
use crate::engine::{EngineState, LARGE};
use crate::files::DiskFile;
use crate::message::{Effect, ModelMsg};
use crate::models::ModelName;
use crate::plan::LoadPlan;
use crate::progress::Rate;
use crate::protocol::{Loading, Request};
use crate::source::ModelSource;

impl Session {
    pub(super) fn about_the_model(&mut self, msg: ModelMsg, effects: &mut Vec<Effect>) {
        match msg {
            ModelMsg::OpenChooser => self.open_chooser(effects),
            ModelMsg::CloseChooser => {
                self.chooser.open = false;
                self.chooser.deleting = None;
            }
            ModelMsg::Load => self.load_chosen(effects),
            ModelMsg::DroppedFiles(files) => self.take_dropped(files, effects),
            ModelMsg::Download => self.download(effects),
            ModelMsg::Cancel => self.cancel_loading(effects),
            ModelMsg::GoOn => self.load_again(effects),
            ModelMsg::GoBack => {
                if let Some(source) = self.way_back() {
                    self.chooser.weights = self.engine.weights;
                    self.load(source, effects);
                }
            }
            ModelMsg::LoadKept(place) => {
                if let Some(source) = self.kept_source(place) {
                    self.load(source, effects);
                }
            }
            ModelMsg::Delete(place) => self.chooser.deleting = self.kept_source(place),
            ModelMsg::KeepAll => self.chooser.deleting = None,
            ModelMsg::ReallyDelete => {
                let source = self.chooser.deleting.take().filter(|_| self.engine.is_alive());
                effects.extend(source.map(|source| Effect::Send(Request::DeleteKept { source })));
            }
            ModelMsg::AskToPersist => effects.push(Effect::AskToPersist(true)),
            choice => self.choose(choice),
        }
    }

    fn choose(&mut self, choice: ModelMsg) {
        let chooser = &mut self.chooser;
        chooser.refusal = None;
        match choice {
            ModelMsg::ChosePlace(place) => chooser.place = place,
            ModelMsg::TypedAddress(address) => {
                chooser.address = address;
                chooser.place = Place::Web;
            }
            ModelMsg::GaveFiles(files) => chooser.add(files),
            ModelMsg::RemoveFile(place) => chooser.remove(place),
            ModelMsg::RemoveFiles => chooser.files.clear(),
            ModelMsg::ChoseWeights(weights) => chooser.weights = weights,
            _ => {}
        }
    }

    /// The choice starts at what is there.
    fn open_chooser(&mut self, effects: &mut Vec<Effect>) {
        let chooser = &mut self.chooser;
        chooser.open = true;
        chooser.refusal = None;
        chooser.deleting = None;
        chooser.weights = self.engine.weights;
        chooser.place = match &self.engine.source {
            source if *source == ModelSource::default() => Place::Page,
            ModelSource::Files(_) => Place::Disk,
            source => {
                chooser.address = source.text().unwrap_or_default().to_owned();
                Place::Web
            }
        };
        if chooser.persistence == Persistence::Unknown {
            effects.push(Effect::AskToPersist(false));
        }
        self.list_kept(effects);
    }

    /// Asks for the list of what is kept, where there is an engine to ask.
    fn list_kept(&self, effects: &mut Vec<Effect>) {
        if self.engine.is_alive() {
            effects.push(Effect::Send(Request::ListKept));
        }
    }

    /// The list may have changed.
    pub(super) fn list_kept_again(&self, effects: &mut Vec<Effect>) {
        if self.chooser.open || self.engine.kept.is_some() {
            self.list_kept(effects);
        }
    }

    fn kept_source(&self, place: usize) -> Option<ModelSource> {
        self.engine.kept.as_ref()?.get(place).map(|model| model.source.clone())
    }

    fn load_chosen(&mut self, effects: &mut Vec<Effect>) {
        match self.chooser.source() {
            Ok(source) => self.load(source, effects),
            Err(refusal) => self.chooser.refusal = Some(refusal),
        }
    }

    fn take_dropped(&mut self, files: Vec<DiskFile>, effects: &mut Vec<Effect>) {
        if files.is_empty() {
            return;
        }
        if missing(&files).is_none() {
            self.chooser.files.clear();
        }
        if !self.chooser.open {
            self.open_chooser(effects);
        }
        self.chooser.add(files);
        self.load_chosen(effects);
    }

    /// Loads a model in the place of the one that is there. One that is there, or on its way, stays; but files may
    /// have changed under the same names.
    fn load(&mut self, source: ModelSource, effects: &mut Vec<Effect>) {
        self.chooser.open = false;
        // What was gathered has served; the next model begins with nothing of this one.
        self.chooser.files.clear();
        let there = matches!(
            self.engine.state,
            EngineState::Loading(_) | EngineState::Asking | EngineState::Ready | EngineState::Running { .. }
        );
        let same = source == self.engine.source && self.chooser.weights == self.engine.weights;
        if there && same && source.text().is_some() {
            return;
        }
        self.end_run_as_stopped();
        self.engine.source = source;
        self.engine.weights = self.chooser.weights;
        self.engine.model = None;
        self.engine.agreed = false;
        self.engine.may_restart = true;
        self.restart_engine(effects);
    }

    /// Loads the model that was given up, from where it was.
    fn load_again(&mut self, effects: &mut Vec<Effect>) {
        if matches!(self.engine.state, EngineState::Cancelled(_)) {
            self.engine.state = EngineState::Loading(Loading::ChoosingDevice);
            self.send_load(effects);
            effects.push(Effect::FocusLoading);
        }
    }

    pub(super) fn planned(&mut self, plan: LoadPlan, effects: &mut Vec<Effect>) {
        if !matches!(self.engine.state, EngineState::Loading(_)) {
            return;
        }
        let waits = plan.waits;
        self.engine.plan = Some(plan);
        if waits {
            self.engine.state = EngineState::Asking;
            effects.push(Effect::FocusLoading);
        }
        // After a worker that died, or a loading that was given up and is gone on with.
        if self.engine.agreed {
            self.download(effects);
        }
    }

    fn download(&mut self, effects: &mut Vec<Effect>) {
        let Some(plan) = self.engine.plan.as_ref().filter(|_| self.engine.state == EngineState::Asking) else {
            return;
        };
        let weights = Loading::Weights { done: 0, total: plan.files, fetched: plan.download };
        if plan.download > LARGE && self.chooser.persistence == Persistence::Unknown {
            effects.push(Effect::AskToPersist(true));
        }
        self.engine.state = EngineState::Loading(weights);
        self.engine.agreed = true;
        self.engine.rate = Rate::default();
        effects.push(Effect::Send(Request::Download));
        effects.push(Effect::FocusLoading);
    }

    fn cancel_loading(&mut self, effects: &mut Vec<Effect>) {
        if matches!(self.engine.state, EngineState::Loading(_) | EngineState::Asking) {
            self.engine.state = EngineState::Cancelling(self.engine.came());
            self.queued = false;
            effects.push(Effect::Send(Request::CancelLoading));
            effects.push(Effect::FocusLoading);
            self.show_something(effects);
        }
    }

    pub(super) fn loading_cancelled(&mut self, effects: &mut Vec<Effect>) {
        if let EngineState::Cancelling(came) = self.engine.state {
            self.engine.state = EngineState::Cancelled(came);
            effects.push(Effect::FocusLoading);
            self.list_kept_again(effects);
        }
    }

    /// The stage that loading is at.
    pub(super) fn loading_at(&mut self, stage: Loading, at_ms: f64) {
        let EngineState::Loading(at) = &mut self.engine.state else {
            return;
        };
        *at = stage;
        match stage {
            Loading::Weights { done, total, fetched } => {
                self.engine.rate.take(at_ms, done, total.saturating_sub(fetched));
            }
            Loading::StartingOver { .. } => {
                self.engine.rate = Rate::default();
                self.engine.started_over = true;
            }
            _ => {}
        }
    }

    /// The model to go back to when another is given up or cannot be loaded: the last that was ready, else the one
    /// that comes with the page.
    #[must_use]
    pub fn way_back(&self) -> Option<ModelSource> {
        let embedded = || ModelSource::Site(ModelName::default());
        let last = self.engine.last_ready.clone().filter(|last| *last != self.engine.source);
        Some(last.unwrap_or_else(embedded)).filter(|source| *source != self.engine.source)
    }
}
