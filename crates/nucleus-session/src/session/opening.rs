//! Opening the page: the address, the list of recordings, the first run to show.

use super::{FocusAt, Session};
use crate::brief::brief;
use crate::message::{Asset, Effect};
use crate::permalink::Link;
use crate::recording::Recording;
use crate::recording_index::{self, RecordingEntry};
use crate::strategy::{Options, StrategyKind};

impl Session {
    /// A recording is shown while the engine loads, unless the address asks for a run of its own.
    pub(super) fn open(&mut self, query: &str, effects: &mut Vec<Effect>) {
        let (link, errors) = Link::parse(query);
        self.link_errors = errors;
        self.controls.take_link(&link);
        self.engine.preference = link.device;
        self.engine.weights = link.weights;
        if let Some(model) = &link.model {
            self.engine.source = model.clone();
        }
        self.strategy = link.strategy;
        self.options = link.options.clone();
        self.opened_with_options = self.options != Options::default();
        if let Some(step) = link.step {
            self.focus = FocusAt::Step(step);
        }
        effects.push(Effect::Fetch { asset: Asset::RecordingIndex, address: recording_index::address() });
        if link.recording.is_none() && link.asks_for_a_run() {
            self.queue_linked_run();
        }
        if self.focus == FocusAt::Latest && self.words.is_some() {
            self.focus = FocusAt::Step(0);
        }
        self.opening = Some(link);
        self.start_engine(effects);
    }

    /// Starts what the address asks for, or says which of its settings stands in the way.
    fn queue_linked_run(&mut self) {
        self.refusal = self.obstacle();
        if self.refusal.is_none() && self.strategy == StrategyKind::Bigram {
            return self.count_words();
        }
        self.queued = self.refusal.is_none();
    }

    pub(super) fn fetched(&mut self, asset: Asset, result: Result<Vec<u8>, String>, effects: &mut Vec<Effect>) {
        match (asset, result) {
            (Asset::RecordingIndex, Ok(bytes)) => match recording_index::parse(&bytes) {
                Ok(entries) => self.index_is_here(entries, effects),
                Err(error) => self.no_recording(error.to_string(), effects),
            },
            (Asset::RecordingIndex, Err(message)) => self.no_recording(message, effects),
            // Something else is shown by now, or was asked for.
            (Asset::Recording(name), _) if self.wanted.as_ref() != Some(&name) => {}
            (Asset::Recording(name), Ok(bytes)) => {
                self.wanted = None;
                match Recording::from_bytes(&bytes).and_then(|recording| recording.into_run(&name)) {
                    Ok(run) => self.show_recording(run),
                    Err(error) => self.no_recording(format!("recording {name}: {error}"), effects),
                }
            }
            (Asset::Recording(_), Err(message)) => {
                self.wanted = None;
                self.no_recording(message, effects);
            }
        }
    }

    fn index_is_here(&mut self, entries: Vec<RecordingEntry>, effects: &mut Vec<Effect>) {
        self.recordings = entries;
        let named = self.opening.as_ref().and_then(|link| link.recording.clone());
        match named {
            Some(name) if !self.recordings.iter().any(|entry| entry.name == name) => {
                let message = format!("there is no recording named \u{201c}{name}\u{201d}");
                self.no_recording(message, effects);
            }
            Some(name) => self.fetch_recording(&name, effects),
            None => self.show_something(effects),
        }
    }

    /// The first recording, where no run is shown and none is about to be.
    pub(super) fn show_something(&mut self, effects: &mut Vec<Effect>) {
        if self.run.is_some() || self.words.is_some() || self.queued || self.wanted.is_some() {
            return;
        }
        if let Some(name) = self.recordings.first().map(|entry| entry.name.clone()) {
            self.fetch_recording(&name, effects);
        }
    }

    /// In the place of a recording that an address named, the run that it asks for is made, or the
    /// first recording is shown. That is tried once: the first may be the one that is missing.
    fn no_recording(&mut self, message: String, effects: &mut Vec<Effect>) {
        self.recording_error = Some(brief(&message));
        let Some(link) = self.opening.as_mut().filter(|link| link.recording.is_some()) else {
            return;
        };
        link.recording = None;
        if link.asks_for_a_run() {
            self.queue_linked_run();
            self.run_if_ready(effects);
        }
        self.show_something(effects);
    }

    pub(super) fn fetch_recording(&mut self, name: &str, effects: &mut Vec<Effect>) {
        let Some(entry) = self.recordings.iter().find(|entry| entry.name == name) else {
            return;
        };
        self.wanted = Some(entry.name.clone());
        effects.push(Effect::Fetch { asset: Asset::Recording(entry.name.clone()), address: entry.address() });
    }

    fn show_recording(&mut self, run: crate::run::Run) {
        match &self.opening {
            // The run that the address asks for is still to come: nothing of this one is put between.
            Some(link) if link.recording.is_none() && (link.asks_for_a_run() || !link.left_out.is_empty()) => {}
            Some(_) => {
                self.opening = None;
                self.controls.take_untouched_values(&run.values);
            }
            None => {
                self.controls.take_values(&run.values);
                self.focus = FocusAt::Step(0);
            }
        }
        if self.focus == FocusAt::Latest {
            self.focus = FocusAt::Step(0);
        }
        self.branches.clear();
        self.show(run);
    }
}
