//! Files dropped anywhere on the page; while they hang over it, it shows that it takes them.

use std::rc::Rc;

use nucleus_session::{ModelMsg, Msg};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DragEvent, Event};

use crate::app::App;
use crate::dom;
use crate::listener::Listener;

const HANGS_OVER: &str = "data-dropping";

/// Starts to listen.
///
/// # Errors
/// What the browser throws.
pub fn listen(app: &Rc<App>) -> Result<[Listener; 3], JsValue> {
    let document = dom::document()?;
    let root = document.document_element().ok_or("a document without an element")?;
    let (over, away, app) = (root.clone(), root.clone(), Rc::downgrade(app));
    Ok([
        Listener::new(&document, "dragover", move |event| {
            if with_files(&event).is_some() {
                // A browser that is not told otherwise opens the file in the place of the page.
                event.prevent_default();
                let _ = over.set_attribute(HANGS_OVER, "");
            }
        })?,
        Listener::new(&document, "dragleave", move |event| {
            let leaves_the_page = event.dyn_ref::<DragEvent>().is_some_and(|event| event.related_target().is_none());
            if leaves_the_page {
                let _ = away.remove_attribute(HANGS_OVER);
            }
        })?,
        Listener::new(&document, "drop", move |event| {
            let _ = root.remove_attribute(HANGS_OVER);
            let Some(files) = with_files(&event).and_then(|data| data.files()) else { return };
            event.prevent_default();
            if let Some(app) = app.upgrade() {
                app.dispatch(Msg::Model(ModelMsg::DroppedFiles(app.disk().keep(&files))));
            }
        })?,
    ])
}

/// What is dragged, if there are files in it: text that is dragged is none of ours.
fn with_files(event: &Event) -> Option<web_sys::DataTransfer> {
    let data = event.dyn_ref::<DragEvent>()?.data_transfer()?;
    data.types().iter().any(|kind| kind == "Files").then_some(data)
}
