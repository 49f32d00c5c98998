//! The address of what is shown.

use std::collections::BTreeMap;

use nucleus_sampler::TokenId;

use super::{FocusAt, Session};
use crate::field::Typed;
use crate::link_field::LinkField;
use crate::message::Effect;
use crate::permalink::Link;
use crate::run::{Run, Source};
use crate::strategy::{Options, StrategyKind};

impl Session {
    /// The link to what is shown: every value is written, defaults too, so that a link means the
    /// same when the defaults change. Only what is off and will be off by default is left out, and texts that are
    /// [too long](LinkField::fits).
    #[must_use]
    pub fn link(&self) -> Link {
        let controls = &self.controls;
        let values = controls.values();
        // A recording, a check and forced tokens are of a sampled run.
        let run = self.run.as_ref().filter(|_| self.strategy == StrategyKind::Sample);
        let left_out = self.left_out_of_link();
        let recorded = run.filter(|run| run.values.prompt == values.prompt);
        Link {
            model: Some(self.engine.source.clone()).filter(|source| source.text().is_some()),
            weights: self.engine.weights,
            recording: recorded.and_then(recording_name),
            prompt: Some(values.prompt.clone()).filter(|prompt| !prompt.is_empty() && LinkField::fits(prompt)),
            special_tokens: values.special_tokens,
            temperature: Some(controls.temperature.value().to_text()),
            top_k: Some(controls.top_k.value().to_text()),
            top_p: Some(controls.top_p.value().to_text()),
            repetition_penalty: Some(controls.repetition_penalty.value())
                .filter(|penalty| !penalty.is_off())
                .map(|penalty| penalty.to_text()),
            seed: Some(controls.seed.value().to_text()),
            new_tokens: Some(controls.new_tokens.value().to_text()),
            step: match self.focus {
                FocusAt::Step(step) => Some(step),
                FocusAt::Latest => None,
            },
            device: self.engine.preference,
            // The check is of the run shown, so it belongs only to a link that asks for that run.
            forced: self.forced(),
            strategy: self.strategy,
            options: self.short_options(),
            check: run
                .filter(|run| !run.steps().is_empty() && left_out.is_empty() && self.leads_to(run) && self.shows(run))
                .map(Run::check),
            left_out,
        }
    }

    /// The fields that the strategy chosen reads, and whose text is too long for the link: it is not in it.
    #[must_use]
    pub fn left_out_of_link(&self) -> Vec<LinkField> {
        let prompt = self.strategy.reads_prompt().then_some(LinkField::Prompt);
        let options = self.strategy.options(&self.options).into_iter().map(LinkField::Option);
        // What stands in a field at first stands there on the page that a link opens, too.
        let typed = |field: LinkField| match field {
            LinkField::Prompt => Some(self.text_in(field)),
            LinkField::Option(key) => self.options.typed(key),
        };
        let is_too_long = |field: &LinkField| typed(*field).is_some_and(|text| !LinkField::fits(text));
        prompt.into_iter().chain(options).filter(is_too_long).collect()
    }

    /// What stands in a field.
    #[must_use]
    pub fn text_in(&self, field: LinkField) -> &str {
        match field {
            LinkField::Prompt => &self.controls.prompt,
            LinkField::Option(key) => self.options.text(key),
        }
    }

    fn short_options(&self) -> Options {
        let short = self.options.iter().filter(|(_, text)| LinkField::fits(text));
        let mut options = Options::default();
        options.extend(short.map(|(key, text)| (key, text.to_owned())));
        options
    }

    /// The tokens forced in the run that the address means, which may not have begun yet.
    fn forced(&self) -> BTreeMap<usize, TokenId> {
        let of_run = self.run.as_ref().filter(|run| self.shows(run)).map(|run| &run.forced);
        let to_come = self.opening.as_ref().map(|link| &link.forced);
        to_come.or(of_run).cloned().unwrap_or_default()
    }

    /// Whether the settings are those of a run, so that the address means it.
    fn shows(&self, run: &Run) -> bool {
        run.values == self.controls.values() && run.options == self.options
    }

    /// Whether the address leads to a run: to one of files from a disk it does not.
    fn leads_to(&self, run: &Run) -> bool {
        run.id().is_some() && run.is_over() && !run.is_mixed && self.engine.source.text().is_some()
    }

    /// Asks for the address to be replaced, if it has changed.
    pub(super) fn move_address(&mut self, effects: &mut Vec<Effect>) {
        let address = self.link().write();
        if self.last_address.as_ref() != Some(&address) {
            effects.push(Effect::ReplaceAddress(address.clone()));
            self.last_address = Some(address);
        }
    }
}

fn recording_name(run: &Run) -> Option<String> {
    match &run.source {
        Source::Recording { name, .. } => Some(name.clone()),
        Source::Live(_) => None,
    }
}
