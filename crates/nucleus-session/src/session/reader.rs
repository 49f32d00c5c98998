//! What the reader does.

use super::{FocusAt, Session};
use crate::control::Control;
use crate::field::Seed;
use crate::focus::zoomed;
use crate::message::{Effect, Msg, Zoom};
use crate::preset::PRESETS;
use crate::refusal::Refusal;
use crate::strategy::StrategyKind;

impl Msg {
    /// Whether the reader did it, and the address must follow.
    pub(super) fn is_the_readers(&self) -> bool {
        !matches!(
            self,
            Self::Opened { .. }
                | Self::Fetched { .. }
                | Self::Reported { .. }
                | Self::EngineTrapped { .. }
                | Self::Persistence(_)
                | Self::Closing
                | Self::CameBack
                | Self::Idle
        )
    }
}

impl Session {
    pub(super) fn read(&mut self, msg: Msg, effects: &mut Vec<Effect>) {
        match msg {
            Msg::Generate => self.generate(effects),
            Msg::Stop => self.stop(effects),
            Msg::RestartEngine => {
                self.end_run_as_stopped();
                self.try_again(effects);
            }
            Msg::RestartOnCpu => {
                self.engine.on_cpu_instead = true;
                self.end_run_as_stopped();
                self.restart_engine(effects);
            }
            Msg::Branch(msg) => self.branch(msg, effects),
            Msg::Model(msg) => self.about_the_model(msg, effects),
            Msg::ChoseRecording(name) => {
                self.stop(effects);
                self.opening = None;
                self.recording_error = None;
                self.fetch_recording(&name, effects);
            }
            Msg::FocusStep(step) => self.focus_on(FocusAt::Step(step)),
            Msg::FocusBy(steps) => self.focus_by(steps),
            Msg::FollowLatest => self.focus_on(FocusAt::Latest),
            Msg::ScrollTable(start) => {
                self.table_start = start.min(self.n_vocab().saturating_sub(1));
            }
            Msg::ZoomDraw(zoom) => self.zoom_draw(zoom),
            form => self.fill_in(form),
        }
    }

    fn fill_in(&mut self, msg: Msg) {
        match msg {
            Msg::Typed { control, text } => {
                self.controls.type_text(control, &text);
                self.changed(&[control]);
            }
            Msg::MovedSlider { control, position } => {
                self.controls.move_slider(control, position, self.n_vocab());
                self.changed(&[control]);
            }
            Msg::ChosePreset(place) => {
                if let Some(Ok(settings)) = PRESETS.get(place).map(|preset| preset.settings()) {
                    self.controls.set_settings(settings);
                    self.changed(&Control::SETTINGS);
                }
            }
            Msg::NewSeed(seed) => {
                self.controls.set_seed(Seed(seed));
                self.changed(&[Control::Seed]);
            }
            Msg::ChoseStrategy(kind) => {
                self.strategy = kind;
                self.refusal = None;
            }
            Msg::TypedOption { key, text } => {
                self.options.set(key, text);
                // A field may be good for nothing because of what stands in another.
                if let Some(Refusal::Option(error)) = &self.refusal
                    && (error.key == key || self.planned_strategy().err().as_ref() != Some(error))
                {
                    self.refusal = None;
                }
            }
            Msg::SetSpecialTokens(parsed) => self.controls.set_special_tokens(parsed),
            _ => {}
        }
    }

    /// A refusal stands until one of the controls that caused it is changed.
    fn changed(&mut self, controls: &[Control]) {
        let refused = self.refusal.as_ref().and_then(Refusal::control);
        if refused.is_some_and(|control| controls.contains(&control)) {
            self.refusal = None;
        }
    }

    fn focus_on(&mut self, focus: FocusAt) {
        let before = self.focus_index();
        self.focus = focus;
        if self.focus_index() != before {
            self.table_start = 0;
        }
    }

    fn focus_by(&mut self, steps: i32) {
        let (index, n) = match self.strategy {
            StrategyKind::Bigram => (self.word_index(), self.words().map_or(0, |words| words.run.steps.len())),
            _ => (self.focus_index(), self.run.as_ref().map_or(0, |run| run.steps().len())),
        };
        let Some(index) = index else { return };
        let last = n.saturating_sub(1);
        let step = index.saturating_add_signed(steps as isize).min(last);
        self.focus_on(FocusAt::Step(step));
    }

    fn zoom_draw(&mut self, zoom: Zoom) {
        if let Some(focus) = self.focus() {
            self.draw_level = zoomed(self.draw_level, zoom, focus.trace.draw);
        }
    }
}
