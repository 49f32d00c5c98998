//! The state of the page.

mod address;
mod branches;
mod engine;
mod models;
mod opening;
mod reader;
mod runs;
mod strategies;
mod words;

use std::cell::RefCell;
use std::rc::Rc;

use self::runs::Replaced;
use crate::chooser::Chooser;
use crate::control::Control;
use crate::controls::Controls;
use crate::engine::Engine;
use crate::focus::{Focus, FocusCache, draw_window};
use crate::message::{Effect, Msg};
use crate::permalink::{Link, LinkError};
use crate::recording_index::RecordingEntry;
use crate::refusal::Refusal;
use crate::run::Run;
use crate::series::{Point, SeriesCache};
use crate::strategy::{Options, StrategyKind, StrategyRun, WordRun};

pub use branches::Choice;

/// Everything the page knows. It changes by [`update`](Self::update) alone, and what must be done
/// outside comes back as effects.
#[derive(Debug, Default)]
pub struct Session {
    controls: Controls,
    engine: Engine,
    chooser: Chooser,
    recordings: Vec<RecordingEntry>,
    run: Option<Run>,
    branches: Vec<Run>,
    /// The search for a token to force, while it is open.
    forcing: Option<String>,
    strategy: StrategyKind,
    options: Options,
    opened_with_options: bool,
    work: Option<StrategyRun>,
    words: Option<WordRun>,
    focus: FocusAt,
    table_start: usize,
    draw_level: u32,
    /// Generate was pressed, or an address asked for it, before the engine could.
    queued: bool,
    refusal: Option<Refusal>,
    link_errors: Vec<LinkError>,
    /// The sentence of a recording, or of their list, that could not be had.
    recording_error: Option<String>,
    /// The recording that is to be shown once it is here.
    wanted: Option<String>,
    /// What the address said, until the first run is shown.
    opening: Option<Link>,
    /// What the run shown stands in place of, until the first of it is there.
    replaced: Option<Replaced>,
    last_address: Option<String>,
    idle_asked: bool,
    focus_cache: RefCell<FocusCache>,
    series: SeriesCache,
}

/// Which step is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FocusAt {
    /// The latest; goes along with the run.
    #[default]
    Latest,
    /// This one; while the run is still short of it, the latest.
    Step(usize),
}

/// Logits worked through in one go when nothing else is to be done: a few milliseconds.
const IDLE_BUDGET: usize = 200_000;

/// The vocabulary's size before any run or model is there: GPT-2's.
const USUAL_VOCABULARY: usize = 50_257;

impl Session {
    /// A session to which nothing has happened yet. The first message is [`Msg::Opened`].
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in what happened, and says what must be done, in this order.
    #[must_use = "the effects must be carried out"]
    pub fn update(&mut self, msg: Msg) -> Vec<Effect> {
        let mut effects = Vec::new();
        let moves_address = msg.is_the_readers();
        match msg {
            Msg::Opened { query } => self.open(&query, &mut effects),
            Msg::Fetched { asset, result } => self.fetched(asset, result, &mut effects),
            Msg::Reported { report, logits, at_ms } => self.reported(report, logits, at_ms, &mut effects),
            Msg::EngineTrapped { message } => self.trapped(message, &mut effects),
            Msg::Persistence(answer) => self.chooser.persistence = answer,
            Msg::Closing => self.close(&mut effects),
            Msg::CameBack => self.come_back(&mut effects),
            Msg::Idle => {
                self.idle_asked = false;
                self.recompute_some(IDLE_BUDGET);
            }
            readers => self.read(readers, &mut effects),
        }
        self.ask_beside(&mut effects);
        self.fit_series();
        if !self.idle_asked && !self.series.is_complete() {
            self.idle_asked = true;
            effects.push(Effect::WhenIdle);
        }
        if moves_address {
            self.move_address(&mut effects);
        }
        effects
    }

    /// Works out some of the missing points of [`points_now`](Self::points_now): as many steps as
    /// have `budget` logits, but at least one. Returns whether any are left.
    ///
    /// [`Msg::Idle`] does this; a page that has its own budget calls it by itself.
    pub fn recompute_some(&mut self, budget: usize) -> bool {
        self.run.as_ref().is_some_and(|run| self.series.recompute(run, budget))
    }

    /// The form.
    #[must_use]
    pub fn controls(&self) -> &Controls {
        &self.controls
    }

    /// The engine, its device and its model.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The choice of a model that is not loaded yet.
    #[must_use]
    pub fn chooser(&self) -> &Chooser {
        &self.chooser
    }

    /// The recordings there are.
    #[must_use]
    pub fn recordings(&self) -> &[RecordingEntry] {
        &self.recordings
    }

    /// The run that is shown.
    #[must_use]
    pub fn run(&self) -> Option<&Run> {
        self.run.as_ref()
    }

    /// The step in focus, with the settings that are in force now. The work is done when this is
    /// called and something has changed, and kept.
    #[must_use]
    pub fn focus(&self) -> Option<Rc<Focus>> {
        let run = self.run.as_ref()?;
        let index = self.focus_index()?;
        let seed = self.controls.seed.value().0;
        self.focus_cache.borrow_mut().get(run, index, self.controls.settings(), seed)
    }

    /// Which step is in focus, from 0; `None` while the run has none.
    #[must_use]
    pub fn focus_index(&self) -> Option<usize> {
        self.focus.within(self.run.as_ref()?.steps().len())
    }

    /// The numbers of every step as it was drawn.
    #[must_use]
    pub fn points_as_drawn(&self) -> Vec<Point> {
        self.run.iter().flat_map(Run::steps).map(crate::run::Step::point).collect()
    }

    /// The numbers of every step as the settings and the seed now would have it, on the run's own
    /// text so far; `None` where they are still to be worked out.
    #[must_use]
    pub fn points_now(&self) -> &[Option<Point>] {
        self.series.points()
    }

    /// The first rank that the logits table shows.
    #[must_use]
    pub fn table_start(&self) -> usize {
        self.table_start
    }

    /// The part `[start, end)` of the unit interval that the draw shows enlarged.
    #[must_use]
    pub fn draw_window(&self) -> [f64; 2] {
        let focus = self.focus();
        focus.map_or([0.0, 1.0], |focus| draw_window(focus.trace.draw, self.draw_level))
    }

    /// Columns of the logits: of the run shown, else of the model, else GPT-2's.
    #[must_use]
    pub fn n_vocab(&self) -> usize {
        let of_run = self.run.as_ref().and_then(|run| run.steps().first());
        of_run
            .map(|step| step.logits.len())
            .or_else(|| self.engine.model.as_ref().map(|model| model.n_vocab))
            .unwrap_or(USUAL_VOCABULARY)
    }

    /// Whether a run is waiting for the engine.
    #[must_use]
    pub fn is_queued(&self) -> bool {
        self.queued
    }

    /// Whether Stop would do something.
    #[must_use]
    pub fn can_stop(&self) -> bool {
        let is_running = matches!(self.engine.state, crate::engine::EngineState::Running { stopping: false, .. });
        self.queued || (is_running && !self.is_at_beside())
    }

    /// Whether Generate would do something: it is refused, with a sentence, if a control is bad,
    /// and waits if the engine is not ready.
    #[must_use]
    pub fn can_generate(&self) -> bool {
        !self.can_stop()
    }

    /// Why the last Generate was refused, until the control in question is changed.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        self.refusal.as_ref()
    }

    /// What the address said and cannot mean, until the next Generate.
    #[must_use]
    pub fn link_errors(&self) -> &[LinkError] {
        &self.link_errors
    }

    /// The sentence of a recording that could not be had, until another is chosen.
    #[must_use]
    pub fn recording_error(&self) -> Option<&str> {
        self.recording_error.as_deref()
    }

    fn fit_series(&mut self) {
        if let Some(run) = &self.run {
            self.series.fit(run, self.controls.settings(), self.controls.seed.value().0);
        }
    }

    fn refuse(&mut self, refusal: Refusal, effects: &mut Vec<Effect>) {
        effects.extend(match &refusal {
            Refusal::Option(error) => Some(Effect::FocusOption(error.key)),
            Refusal::Control { control, .. } => Some(Effect::FocusControl(*control)),
            Refusal::EmptyPrompt => Some(Effect::FocusControl(Control::Prompt)),
            Refusal::ForcedToken { .. } => None,
        });
        self.refusal = Some(refusal);
    }
}
