//! Links one token across all figures: what the pointer is on is marked wherever it stands.

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Document, Element, Event};

use crate::listener::Listener;

const LINKED: &str = "data-linked";

/// Marks, while the pointer is on an element with `data-token`, all elements with the same.
///
/// # Errors
/// What the browser throws.
pub fn listen(document: &Document) -> Result<[Listener; 2], JsValue> {
    let [enter, leave] = [document.clone(), document.clone()];
    Ok([
        Listener::new(document, "pointerover", move |event| {
            if let Some(token) = token_under(&event) {
                let _ = mark(&enter, &token);
            }
        })?,
        Listener::new(document, "pointerout", move |_| {
            let _ = unmark(&leave);
        })?,
    ])
}

fn token_under(event: &Event) -> Option<String> {
    event.target()?.dyn_into::<Element>().ok()?.closest("[data-token]").ok()??.get_attribute("data-token")
}

fn mark(document: &Document, token: &str) -> Result<(), JsValue> {
    unmark(document)?;
    each(document, &format!("[data-token=\"{token}\"]"), |element| element.set_attribute(LINKED, ""))
}

fn unmark(document: &Document) -> Result<(), JsValue> {
    each(document, &format!("[{LINKED}]"), |element| element.remove_attribute(LINKED))
}

fn each(document: &Document, selector: &str, act: impl Fn(&Element) -> Result<(), JsValue>) -> Result<(), JsValue> {
    let found = document.query_selector_all(selector)?;
    for index in 0..found.length() {
        if let Some(element) = found.get(index).and_then(|node| node.dyn_into::<Element>().ok()) {
            act(&element)?;
        }
    }
    Ok(())
}
