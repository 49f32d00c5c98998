//! What the reader does about the model: the choice in its dialog, and the buttons about loading.

use std::rc::Rc;

use nucleus_session::{ModelMsg, Msg, Place, WeightFormat};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, EventTarget, HtmlInputElement};

use crate::app::App;
use crate::dom;
use crate::events::{on, target};
use crate::listener::Listener;

/// Starts to listen; dropping the listeners ends it.
///
/// # Errors
/// When an element of `index.html` is missing.
pub fn listen(app: &Rc<App>) -> Result<Vec<Listener>, JsValue> {
    let element = dom::element::<EventTarget>;
    Ok(vec![
        on(app, element("chooser-form")?, "submit", |event| {
            event.prevent_default();
            Some(Msg::Model(ModelMsg::Load))
        })?,
        // The Escape key closes a dialog without asking anybody.
        on(app, element("chooser")?, "close", |_| Some(Msg::Model(ModelMsg::CloseChooser)))?,
        on(app, element("chooser")?, "change", |event| chosen(event).map(Msg::Model))?,
        on(app, element("close-chooser")?, "click", |_| Some(Msg::Model(ModelMsg::CloseChooser)))?,
        on(app, element("persist")?, "click", |_| Some(Msg::Model(ModelMsg::AskToPersist)))?,
        on(app, element("address")?, "input", |event| {
            Some(Msg::Model(ModelMsg::TypedAddress(target::<HtmlInputElement>(event)?.value())))
        })?,
        on(app, element("chooser")?, "click", |event| example(event).map(Msg::Model))?,
        on_files(app)?,
    ])
}

/// One of the radio buttons.
fn chosen(event: &Event) -> Option<ModelMsg> {
    let input = event.target()?.dyn_into::<HtmlInputElement>().ok()?;
    match input.name().as_str() {
        "place" => Place::parse(&input.value()).map(ModelMsg::ChosePlace),
        "format" => Some(ModelMsg::ChoseWeights(WeightFormat::parse(&input.value()))),
        _ => None,
    }
}

fn example(event: &Event) -> Option<ModelMsg> {
    event.target()?.dyn_into::<Element>().ok()?.get_attribute("data-example").map(ModelMsg::TypedAddress)
}

fn on_files(app: &Rc<App>) -> Result<Listener, JsValue> {
    let input = dom::element::<HtmlInputElement>("files")?;
    let app = Rc::downgrade(app);
    Listener::new(input.clone().as_ref(), "change", move |_| {
        if let (Some(app), Some(files)) = (app.upgrade(), input.files()) {
            let given = app.disk().keep(&files);
            // The list below shows what is there; an empty field can be given the same file again.
            input.set_value("");
            app.dispatch(Msg::Model(ModelMsg::GaveFiles(given)));
        }
    })
}

/// What a button about the model means by its `data-action`.
pub fn action(name: &str, place: Option<usize>) -> Option<Msg> {
    Some(Msg::Model(match (name, place) {
        ("choose-model", _) => ModelMsg::OpenChooser,
        ("download", _) => ModelMsg::Download,
        ("cancel-loading", _) => ModelMsg::Cancel,
        ("go-on", _) => ModelMsg::GoOn,
        ("go-back", _) => ModelMsg::GoBack,
        ("load-kept", Some(place)) => ModelMsg::LoadKept(place),
        ("delete-kept", Some(place)) => ModelMsg::Delete(place),
        ("remove-file", Some(place)) => ModelMsg::RemoveFile(place),
        ("remove-files", _) => ModelMsg::RemoveFiles,
        ("really-delete", _) => ModelMsg::ReallyDelete,
        ("keep-all", _) => ModelMsg::KeepAll,
        _ => return None,
    }))
}
