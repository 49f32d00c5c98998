//! The line about the model and its device, and what is behind it.

use nucleus_session::{Session, sentence};
use wasm_bindgen::JsValue;
use web_sys::{Element, HtmlElement};

use super::nodes::{pairs, set_text};
use crate::dom::{self, DomError};
use crate::patch::Region;

/// The elements of the line.
pub struct ModelLine {
    name: HtmlElement,
    choose: HtmlElement,
    device: HtmlElement,
    line: HtmlElement,
    details: Region,
}

impl ModelLine {
    /// Finds them.
    ///
    /// # Errors
    /// When one is missing.
    pub fn new() -> Result<Self, DomError> {
        Ok(Self {
            name: dom::element("model-name")?,
            choose: dom::element("choose-model")?,
            device: dom::element("device")?,
            line: dom::element("device-line")?,
            details: Region::new(dom::element("device-details")?),
        })
    }

    /// Moves the keyboard's focus to the button that opens the choice.
    ///
    /// # Errors
    /// What the browser throws.
    pub fn focus(&self) -> Result<(), JsValue> {
        self.choose.focus()
    }

    /// Whether an element is that button.
    pub fn is_button(&self, element: &Element) -> bool {
        self.choose.is_same_node(Some(element))
    }

    /// Shows the model and the device as the session has them.
    ///
    /// # Errors
    /// What the browser throws.
    pub fn render(&mut self, session: &Session) -> Result<(), JsValue> {
        let engine = session.engine();
        set_text(&self.name, &sentence::model_name(engine));
        let line = sentence::device_line(engine);
        self.device.set_hidden(line.is_none());
        set_text(&self.line, &line.unwrap_or_default());
        self.details.show(pairs(sentence::device_details(engine)))
    }
}
