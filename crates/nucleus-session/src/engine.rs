//! The engine as the page knows it.

use std::rc::Rc;

use crate::device::{DevicePreference, DeviceReport};
use crate::failure::Failure;
use crate::models::ModelName;
use crate::protocol::{Loading, ModelInfo, RunId};
use crate::run::RunModel;
use crate::vocabulary::Vocabulary;

/// What the engine is doing.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum EngineState {
    /// Not started, or ended because the page goes away.
    #[default]
    Off,
    /// Getting a model ready.
    Loading(Loading),
    /// Waiting for something to do.
    Ready,
    /// Generating.
    Running {
        /// What.
        run: RunId,
        /// Whether it has been asked to stop.
        stopping: bool,
    },
    /// Out of use until it is started anew.
    Failed(Failure),
}

/// The engine, its device and its model.
#[derive(Debug)]
pub struct Engine {
    /// What it is doing.
    pub state: EngineState,
    /// The model it has, or is to have.
    pub model_name: ModelName,
    /// The device that the reader asked for; `None` if the address says nothing.
    pub preference: Option<DevicePreference>,
    /// The device it has.
    pub device: Option<DeviceReport>,
    /// What it has loaded.
    pub model: Option<ModelInfo>,
    /// Why it had to be started anew, until the next run begins.
    pub restarted_after: Option<Failure>,
    pub(crate) vocabulary: Rc<Vocabulary>,
    /// A failure that may pass is answered with a restart, but only once until a run has come to
    /// its end: a worker that fails again at once must not be started for ever.
    pub(crate) may_restart: bool,
    pub(crate) last_run: RunId,
}

impl Default for Engine {
    fn default() -> Self {
        Self {
            state: EngineState::Off,
            model_name: ModelName::default(),
            preference: None,
            device: None,
            model: None,
            restarted_after: None,
            vocabulary: Rc::default(),
            may_restart: true,
            last_run: RunId::default(),
        }
    }
}

impl Engine {
    /// The run that it is at.
    #[must_use]
    pub fn running(&self) -> Option<RunId> {
        match self.state {
            EngineState::Running { run, .. } => Some(run),
            _ => None,
        }
    }

    /// A number that no run has had.
    pub(crate) fn next_run(&mut self) -> RunId {
        self.last_run.0 += 1;
        self.last_run
    }

    /// What a new run belongs to.
    pub(crate) fn run_model(&self) -> RunModel {
        RunModel {
            name: self.model_name.to_string(),
            vocabulary: Rc::clone(&self.vocabulary),
            end_of_text: self.model.as_ref().and_then(|model| model.end_of_text),
        }
    }
}
