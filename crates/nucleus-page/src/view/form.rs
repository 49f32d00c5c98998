//! The form: what stands in the fields, where the sliders are, and what is wrong with them.

use nucleus_charts::{Element, Node, count};
use nucleus_sampler::{RepetitionPenalty, TopK, TopP};
use nucleus_session::{Control, PRESETS, Session, sentence, slider};
use wasm_bindgen::JsValue;
use web_sys::{HtmlButtonElement, HtmlElement, HtmlInputElement, HtmlTextAreaElement};

use super::nodes::{set_able, set_text};
use crate::dom::{self, DomError};
use crate::events::FIELDS;
use crate::patch::Region;

/// The controls that `index.html` has.
pub struct Form {
    prompt: HtmlTextAreaElement,
    fields: Vec<(Control, HtmlInputElement)>,
    temperature: HtmlInputElement,
    top_k: HtmlInputElement,
    top_p: HtmlInputElement,
    penalty: HtmlInputElement,
    generate: HtmlButtonElement,
    stop: HtmlButtonElement,
    special: HtmlElement,
    special_tokens: HtmlInputElement,
    special_note: HtmlElement,
    seed_note: HtmlElement,
    link_note: HtmlElement,
    errors: Vec<(Control, HtmlElement)>,
    presets: Region,
}

impl Form {
    /// Finds the controls.
    ///
    /// # Errors
    /// When one is missing.
    pub fn new() -> Result<Self, DomError> {
        let mut fields = Vec::new();
        for (id, control) in FIELDS {
            fields.push((control, dom::element(id)?));
        }
        let mut errors = Vec::new();
        for (id, control) in [
            ("prompt-error", Control::Prompt),
            ("temperature-error", Control::Temperature),
            ("top-k-error", Control::TopK),
            ("top-p-error", Control::TopP),
            ("penalty-error", Control::RepetitionPenalty),
            ("seed-error", Control::Seed),
            ("new-tokens-error", Control::NewTokens),
        ] {
            errors.push((control, dom::element(id)?));
        }
        Ok(Self {
            prompt: dom::element("prompt")?,
            fields,
            temperature: dom::element("temperature")?,
            top_k: dom::element("top-k")?,
            top_p: dom::element("top-p")?,
            penalty: dom::element("penalty")?,
            generate: dom::element("generate")?,
            stop: dom::element("stop")?,
            special: dom::element("special")?,
            special_tokens: dom::element("special-tokens")?,
            special_note: dom::element("special-note")?,
            seed_note: dom::element("seed-note")?,
            link_note: dom::element("link-note")?,
            errors,
            presets: Region::new(dom::element("presets")?),
        })
    }

    /// Moves the keyboard's focus to a control.
    ///
    /// # Errors
    /// What the browser throws.
    pub fn focus(&self, control: Control) -> Result<(), JsValue> {
        match self.fields.iter().find(|(of, _)| *of == control) {
            Some((_, field)) => field.focus(),
            None => self.prompt.focus(),
        }
    }

    /// Moves the keyboard's focus to what can be done with a run: to end it, or to begin one.
    ///
    /// # Errors
    /// What the browser throws.
    pub fn focus_run(&self, session: &Session) -> Result<(), JsValue> {
        if session.can_stop() { self.stop.focus() } else { self.generate.focus() }
    }

    /// Shows the controls as the session has them.
    ///
    /// # Errors
    /// What the browser throws.
    pub fn render(&mut self, session: &Session) -> Result<(), JsValue> {
        let controls = session.controls();
        if self.prompt.value() != controls.prompt {
            self.prompt.set_value(&controls.prompt);
        }
        for (control, field) in &self.fields {
            let text = text_of(session, *control);
            if field.value() != text {
                field.set_value(&text);
            }
            let invalid = if controls.error(*control).is_some() { "true" } else { "false" };
            field.set_attribute("aria-invalid", invalid)?;
        }
        for (control, element) in &self.errors {
            let sentence = controls.error(*control).map(sentence::sentence).unwrap_or_default();
            set_text(element, &sentence);
        }
        self.sliders(session)?;
        set_able(&self.generate, session.can_generate())?;
        set_able(&self.stop, session.can_stop())?;
        self.special(session);
        let unused = sentence::seed(controls.settings().temperature.is_zero());
        set_text(&self.seed_note, unused.unwrap_or_default());
        set_text(&self.link_note, &sentence::left_out_of_link(session).unwrap_or_default());
        self.presets.show(preset_buttons(session))
    }

    fn sliders(&self, session: &Session) -> Result<(), JsValue> {
        let settings = session.controls().settings();
        let n_vocab = session.n_vocab();
        let scale = slider::top_k_scale(n_vocab);
        self.top_k.set_max(&scale.max.to_string());
        let said = settings.temperature.get().to_string();
        place(&self.temperature, slider::temperature_position(settings.temperature), &said)?;
        place(&self.top_k, slider::top_k_position(settings.top_k, n_vocab), &top_k_words(settings.top_k))?;
        place(&self.top_p, slider::top_p_position(settings.top_p), &top_p_words(settings.top_p))?;
        let penalty = settings.repetition_penalty;
        place(&self.penalty, slider::repetition_penalty_position(penalty), &penalty_words(penalty))
    }

    /// Whether `<|endoftext|>` in what the model reads is letters or a token is asked only where it stands there.
    fn special(&self, session: &Session) {
        let note = sentence::special_tokens(session);
        self.special.set_hidden(note.is_none());
        self.special_tokens.set_checked(session.controls().special_tokens);
        set_text(&self.special_note, note.unwrap_or_default());
    }
}

fn text_of(session: &Session, control: Control) -> String {
    let controls = session.controls();
    match control {
        Control::Prompt => controls.prompt.as_str(),
        Control::Temperature => controls.temperature.text(),
        Control::TopK => controls.top_k.text(),
        Control::TopP => controls.top_p.text(),
        Control::RepetitionPenalty => controls.repetition_penalty.text(),
        Control::Seed => controls.seed.text(),
        Control::NewTokens => controls.new_tokens.text(),
    }
    .to_owned()
}

fn place(slider: &HtmlInputElement, position: f64, said: &str) -> Result<(), JsValue> {
    if slider.value_as_number() != position {
        slider.set_value_as_number(position);
    }
    slider.set_attribute("aria-valuetext", said)
}

fn top_k_words(k: TopK) -> String {
    match k.get() {
        0 => "off".to_owned(),
        k => count(k as usize),
    }
}

fn top_p_words(p: TopP) -> String {
    if p.is_off() { "1, off".to_owned() } else { p.get().to_string() }
}

fn penalty_words(penalty: RepetitionPenalty) -> String {
    if penalty.is_off() { "1, off".to_owned() } else { penalty.get().to_string() }
}

fn preset_buttons(session: &Session) -> Vec<Node> {
    let now = session.controls().settings();
    let button = |(index, preset): (usize, &nucleus_session::Preset)| {
        let pressed = preset.settings() == Ok(now);
        Element::new("button")
            .with("type", "button")
            .with("data-preset", index)
            .with("aria-pressed", if pressed { "true" } else { "false" })
            .with("title", preset.sentence)
            .text(preset.name)
            .into()
    };
    PRESETS.iter().enumerate().map(button).collect()
}
