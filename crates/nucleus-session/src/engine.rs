//! The engine as the page knows it.

use std::rc::Rc;

use crate::brief::brief;
use crate::device::{DeviceKind, DevicePreference, DeviceReport};
use crate::failure::Failure;
use crate::plan::{KeptModel, LoadPlan, WeightFormat};
use crate::progress::Rate;
use crate::protocol::{Loading, ModelInfo, RunId};
use crate::run::RunModel;
use crate::source::ModelSource;
use crate::vocabulary::Vocabulary;

/// What the engine is doing.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum EngineState {
    /// Not started, or ended because the page goes away.
    #[default]
    Off,
    /// Getting a model ready.
    Loading(Loading),
    /// Waiting for the reader to agree to the plan.
    Asking,
    /// Loading was given up, and the engine has not said yet that it has ended.
    Cancelling(Came),
    /// Loading was given up, and no model is loaded.
    Cancelled(Came),
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

/// How much of the weights had come when loading was given up, bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Came {
    /// What had come; 0 also where loading had not got so far.
    pub done: u64,
    /// In all; 0 where that is not known.
    pub total: u64,
}

/// Weights of more bytes than this are worth a progress bar that can be stopped, and a browser's promise to keep them.
pub(crate) const LARGE: u64 = 32_000_000;

/// The engine, its device and its model.
#[derive(Debug)]
pub struct Engine {
    /// What it is doing.
    pub state: EngineState,
    /// Where the model is from that it has, or is to have.
    pub source: ModelSource,
    /// How its weights are to be held; `None`: as in the file.
    pub weights: Option<WeightFormat>,
    /// What loading it takes, once that is known.
    pub plan: Option<LoadPlan>,
    /// Whether the reader has agreed to the download since the model was chosen: it is asked for once.
    pub(crate) agreed: bool,
    /// The last model that was ready to write.
    pub last_ready: Option<ModelSource>,
    /// What is kept of models; `None` until the engine has told.
    pub kept: Option<Vec<KeptModel>>,
    /// How fast the weights come.
    pub rate: Rate,
    /// Whether the weights come once more, since they changed on the server while they came.
    pub started_over: bool,
    /// The device that the address asks for; `None` if it says nothing.
    pub preference: Option<DevicePreference>,
    /// The device it has.
    pub device: Option<DeviceReport>,
    /// What it loaded last; see [`loaded`](Self::loaded) for what is there now.
    pub model: Option<ModelInfo>,
    /// Why it had to be started anew, until the next run begins.
    pub restarted_after: Option<Failure>,
    /// Whether it is started on the CPU because the graphics processor failed, whatever the address says.
    pub on_cpu_instead: bool,
    /// How often the graphics processor failed in this visit.
    pub gpu_failures: u32,
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
            source: ModelSource::default(),
            weights: None,
            plan: None,
            agreed: false,
            last_ready: None,
            kept: None,
            rate: Rate::default(),
            started_over: false,
            preference: None,
            device: None,
            model: None,
            restarted_after: None,
            on_cpu_instead: false,
            gpu_failures: 0,
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

    /// The model that is on the device now.
    #[must_use]
    pub fn loaded(&self) -> Option<&ModelInfo> {
        let there = matches!(self.state, EngineState::Ready | EngineState::Running { .. });
        self.model.as_ref().filter(|_| there)
    }

    /// The model's name: what it calls itself once it is there, else where it is from.
    #[must_use]
    pub fn name(&self) -> String {
        match (&self.source, &self.model) {
            (ModelSource::Files(_), Some(model)) => brief(&model.name),
            (source, _) => source.to_string(),
        }
    }

    /// Whether loading takes so long that the reader should see how far it is, and be able to give it up.
    #[must_use]
    pub fn takes_long(&self) -> bool {
        match self.state {
            EngineState::Loading(Loading::Weights { done, total, .. }) => total.max(done) > LARGE,
            EngineState::Loading(Loading::Reconnecting { .. } | Loading::StartingOver { .. }) => true,
            _ => false,
        }
    }

    /// Whether the reader should be offered the CPU: the engine failed, and on a graphics processor.
    #[must_use]
    pub fn offers_cpu(&self) -> bool {
        let at_fault = matches!(&self.state, EngineState::Failed(failure) if failure.may_be_the_device());
        at_fault && self.is_on_gpu()
    }

    /// Whether the device is known, and a graphics processor.
    pub(crate) fn is_on_gpu(&self) -> bool {
        self.device.as_ref().is_some_and(|device| device.kind == DeviceKind::WebGpu)
    }

    /// Whether there is a worker that answers.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        match &self.state {
            EngineState::Off => false,
            EngineState::Failed(failure) => !failure.ends_the_engine(),
            _ => true,
        }
    }

    /// How long the rest of the weights will take, milliseconds, as far as that can be told.
    #[must_use]
    pub fn time_left_ms(&self) -> Option<f64> {
        match self.state {
            EngineState::Loading(Loading::Weights { done, total, .. }) => self.rate.time_for(total.checked_sub(done)?),
            _ => None,
        }
    }

    /// How much of the weights has come.
    #[must_use]
    pub fn came(&self) -> Came {
        match self.state {
            EngineState::Loading(Loading::Weights { done, total, .. } | Loading::Reconnecting { done, total, .. }) => {
                Came { done, total }
            }
            EngineState::Loading(Loading::StartingOver { total, .. }) => Came { done: 0, total },
            EngineState::Cancelling(came) | EngineState::Cancelled(came) => came,
            _ => Came { done: 0, total: self.plan.as_ref().map_or(0, |plan| plan.files) },
        }
    }

    /// Where the engine is to run: the CPU once the graphics processor has failed too often, else what the address says.
    pub(crate) fn device_asked_for(&self) -> DevicePreference {
        if self.on_cpu_instead { DevicePreference::Cpu } else { self.preference.unwrap_or_default() }
    }

    /// A number that no run has had.
    pub(crate) fn next_run(&mut self) -> RunId {
        self.last_run.0 += 1;
        self.last_run
    }

    /// Whether the model's vocabulary is this one.
    pub(crate) fn has_vocabulary(&self, vocabulary: &Rc<Vocabulary>) -> bool {
        Rc::ptr_eq(&self.vocabulary, vocabulary) || self.vocabulary == *vocabulary
    }

    /// What a new run belongs to.
    pub(crate) fn run_model(&self) -> RunModel {
        RunModel {
            name: self.name(),
            vocabulary: Rc::clone(&self.vocabulary),
            end_of_text: self.model.as_ref().and_then(|model| model.end_of_text),
        }
    }
}
