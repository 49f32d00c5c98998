//! Small pieces that several parts of the page are made of.

use nucleus_charts::{Element, Node};
use wasm_bindgen::JsValue;
use web_sys::HtmlElement;

/// Names and what is to be said of each, for a `dl`.
pub fn pairs(pairs: Vec<(&'static str, String)>) -> Vec<Node> {
    let pair = |(name, text)| [Element::new("dt").text(name).into(), Element::new("dd").text(text).into()];
    pairs.into_iter().flat_map(pair).collect()
}

/// A button that means something by its `data-action`.
pub fn button(action: &'static str, label: impl Into<String>) -> Element {
    Element::new("button").with("type", "button").with("data-action", action).text(label)
}

/// A button as it is when it may be impossible. It can be reached all the same: `disabled` would take the keyboard's focus
/// away from whoever has just pressed it.
pub fn able(button: Element, possible: bool) -> Element {
    if possible { button } else { button.with("aria-disabled", "true") }
}

/// The same for a button of `index.html`.
///
/// # Errors
/// What the browser throws.
pub fn set_able(button: &HtmlElement, possible: bool) -> Result<(), JsValue> {
    if possible { button.remove_attribute("aria-disabled") } else { button.set_attribute("aria-disabled", "true") }
}

/// Changes the text of an element, if it is another.
pub fn set_text(element: &HtmlElement, text: &str) {
    if element.text_content().as_deref() != Some(text) {
        element.set_text_content(Some(text));
    }
}
