//! The page: listens, patches the document, talks to the worker.
//!
//! All decisions are the session's ([`nucleus_session::Session`]), all drawing is the charts'. This crate joins them to a
//! browser: an event becomes a message, a message changes the session, the session is shown, and effects are carried out.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking"))]

mod address;
mod app;
mod disk;
mod dom;
mod drop;
mod events;
mod fetch;
mod idle;
mod link;
mod listener;
mod model_events;
mod patch;
mod storage;
#[cfg(all(test, target_family = "wasm"))]
mod tests;
mod view;
mod worker;

use nucleus_session::Msg;
use wasm_bindgen::prelude::JsValue;
#[cfg(not(test))]
use wasm_bindgen::prelude::wasm_bindgen;

use app::App;

/// Brings the page to life. It is called once, by the browser, when the module has been loaded.
///
/// # Errors
/// When `index.html` is not the one that this module was built for.
// The tests of this crate start the page by themselves, once its HTML is there.
#[cfg_attr(not(test), wasm_bindgen(start))]
pub fn start() -> Result<(), JsValue> {
    console_error_panic_hook::set_once();
    let app = App::new()?;
    let listeners = events::listen(&app)?;
    app.dispatch(Msg::Opened { query: dom::window()?.location().search()? });
    // Both live as long as the page, which ends by being thrown away whole.
    std::mem::forget((app, listeners));
    Ok(())
}
