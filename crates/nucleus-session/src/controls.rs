//! The form: prompt, settings, seed, length.

use std::collections::BTreeSet;

use nucleus_sampler::{RepetitionPenalty, Settings, Temperature, TopK, TopP};

use crate::control::Control;
use crate::field::{Field, FieldError, NewTokens, Seed};
use crate::permalink::Link;
use crate::slider;

/// What the reader has set, as typed and as it is in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Controls {
    /// The text to continue, byte for byte as typed.
    pub prompt: String,
    /// Whether `<|endoftext|>` in the prompt means the token.
    pub special_tokens: bool,
    /// What divides the logits.
    pub temperature: Field<Temperature>,
    /// How many of the likeliest tokens may stay.
    pub top_k: Field<TopK>,
    /// How much probability the nucleus must reach.
    pub top_p: Field<TopP>,
    /// How much less likely a token becomes that was seen before.
    pub repetition_penalty: Field<RepetitionPenalty>,
    /// Which stream of uniform numbers.
    pub seed: Field<Seed>,
    /// How many tokens at most.
    pub new_tokens: Field<NewTokens>,
    touched: BTreeSet<Control>,
}

/// All values of the form: what decides which tokens a run has.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// The prompt.
    pub prompt: String,
    /// Whether `<|endoftext|>` in the prompt means the token.
    pub special_tokens: bool,
    /// Temperature, top-k, top-p, repetition penalty.
    pub settings: Settings,
    /// The seed.
    pub seed: u64,
    /// How many tokens at most.
    pub new_tokens: u32,
}

/// 0.8, 40 and 0.9: what is common; no penalty; seed 42; 40 tokens.
impl Default for Controls {
    fn default() -> Self {
        Self {
            prompt: String::new(),
            special_tokens: false,
            temperature: Field::new(slider::temperature_at(0.8)),
            top_k: Field::new(TopK::from(40)),
            top_p: Field::new(slider::top_p_at(0.9)),
            repetition_penalty: Field::new(RepetitionPenalty::OFF),
            seed: Field::new(Seed(42)),
            new_tokens: Field::new(NewTokens::DEFAULT),
            touched: BTreeSet::new(),
        }
    }
}

impl Controls {
    /// The values in force.
    #[must_use]
    pub fn values(&self) -> Values {
        Values {
            prompt: self.prompt.clone(),
            special_tokens: self.special_tokens,
            settings: self.settings(),
            seed: self.seed.value().0,
            new_tokens: self.new_tokens.value().get(),
        }
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> Settings {
        Settings {
            temperature: self.temperature.value(),
            top_k: self.top_k.value(),
            top_p: self.top_p.value(),
            repetition_penalty: self.repetition_penalty.value(),
        }
    }

    /// Why a control holds no good value, if so.
    #[must_use]
    pub fn error(&self, control: Control) -> Option<&FieldError> {
        match control {
            Control::Prompt => None,
            Control::Temperature => self.temperature.error(),
            Control::TopK => self.top_k.error(),
            Control::TopP => self.top_p.error(),
            Control::RepetitionPenalty => self.repetition_penalty.error(),
            Control::Seed => self.seed.error(),
            Control::NewTokens => self.new_tokens.error(),
        }
    }

    /// The first control that holds no good value.
    #[must_use]
    pub fn first_bad(&self) -> Option<Control> {
        Control::ALL.into_iter().find(|&control| self.error(control).is_some())
    }

    /// Takes what the reader typed.
    pub(crate) fn type_text(&mut self, control: Control, text: &str) {
        self.touched.insert(control);
        match control {
            Control::Prompt => text.clone_into(&mut self.prompt),
            Control::Temperature => self.temperature.type_text(text),
            Control::TopK => self.top_k.type_text(text),
            Control::TopP => self.top_p.type_text(text),
            Control::RepetitionPenalty => self.repetition_penalty.type_text(text),
            Control::Seed => self.seed.type_text(text),
            Control::NewTokens => self.new_tokens.type_text(text),
        }
    }

    /// Takes where the reader moved a slider.
    pub(crate) fn move_slider(&mut self, control: Control, position: f64, n_vocab: usize) {
        match control {
            Control::Temperature => self.temperature.set(slider::temperature_at(position)),
            Control::TopK => self.top_k.set(slider::top_k_at(position, n_vocab)),
            Control::TopP => self.top_p.set(slider::top_p_at(position)),
            Control::RepetitionPenalty => self.repetition_penalty.set(slider::repetition_penalty_at(position)),
            Control::Prompt | Control::Seed | Control::NewTokens => return,
        }
        self.touched.insert(control);
    }

    /// Takes a seed that was drawn for the reader.
    pub(crate) fn set_seed(&mut self, seed: Seed) {
        self.seed.set(seed);
        self.touched.insert(Control::Seed);
    }

    /// Takes how the prompt is to be read.
    pub(crate) fn set_special_tokens(&mut self, parsed: bool) {
        self.special_tokens = parsed;
        self.touched.insert(Control::Prompt);
    }

    /// Puts the sliders where a preset has them.
    pub(crate) fn set_settings(&mut self, settings: Settings) {
        self.temperature.set(settings.temperature);
        self.top_k.set(settings.top_k);
        self.top_p.set(settings.top_p);
        self.repetition_penalty.set(settings.repetition_penalty);
        self.touched.extend(Control::SETTINGS);
    }

    /// Takes what an address says.
    pub(crate) fn take_link(&mut self, link: &Link) {
        let texts = [
            (Control::Prompt, &link.prompt),
            (Control::Temperature, &link.temperature),
            (Control::TopK, &link.top_k),
            (Control::TopP, &link.top_p),
            (Control::RepetitionPenalty, &link.repetition_penalty),
            (Control::Seed, &link.seed),
            (Control::NewTokens, &link.new_tokens),
        ];
        for (control, text) in texts {
            if let Some(text) = text {
                self.type_text(control, text);
            }
        }
        self.special_tokens = link.special_tokens;
    }

    /// Takes the values of a run, all of them.
    pub(crate) fn take_values(&mut self, values: &Values) {
        self.touched.clear();
        self.take_untouched_values(values);
    }

    /// Takes the values of a run where neither the reader nor the address has set anything. A text
    /// that is no good value stays, and the run's value is in force.
    pub(crate) fn take_untouched_values(&mut self, values: &Values) {
        if !self.touched.contains(&Control::Prompt) {
            self.prompt.clone_from(&values.prompt);
            self.special_tokens = values.special_tokens;
        }
        let touched = |control| self.touched.contains(&control);
        let settings = values.settings;
        take(&mut self.temperature, settings.temperature, touched(Control::Temperature));
        take(&mut self.top_k, settings.top_k, touched(Control::TopK));
        take(&mut self.top_p, settings.top_p, touched(Control::TopP));
        let penalty = settings.repetition_penalty;
        take(&mut self.repetition_penalty, penalty, touched(Control::RepetitionPenalty));
        take(&mut self.seed, Seed(values.seed), touched(Control::Seed));
        if let Some(new_tokens) = NewTokens::new(values.new_tokens) {
            take(&mut self.new_tokens, new_tokens, touched(Control::NewTokens));
        }
    }
}

fn take<T: crate::field::Typed>(field: &mut Field<T>, value: T, touched: bool) {
    if touched { field.fall_back_to(value) } else { field.set(value) }
}
