//! From what the reader does to messages: the listeners on the controls, and one on the document for all that is drawn.

use std::rc::Rc;

use nucleus_sampler::TokenId;
use nucleus_session::{BranchMsg, Control, Msg, OptionKey, StrategyKind, Zoom};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, EventTarget, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement, KeyboardEvent};

use crate::app::App;
use crate::dom;
use crate::link;
use crate::listener::Listener;
use crate::{drop, model_events};

/// The text fields and the controls they stand for.
pub const FIELDS: [(&str, Control); 6] = [
    ("temperature-value", Control::Temperature),
    ("top-k-value", Control::TopK),
    ("top-p-value", Control::TopP),
    ("penalty-value", Control::RepetitionPenalty),
    ("seed", Control::Seed),
    ("new-tokens", Control::NewTokens),
];

/// The sliders and the controls they stand for.
pub const SLIDERS: [(&str, Control); 4] = [
    ("temperature", Control::Temperature),
    ("top-k", Control::TopK),
    ("top-p", Control::TopP),
    ("penalty", Control::RepetitionPenalty),
];

/// Starts to listen; dropping the listeners ends it.
///
/// # Errors
/// When an element of `index.html` is missing.
pub fn listen(app: &Rc<App>) -> Result<Vec<Listener>, JsValue> {
    let mut all = vec![
        on(app, dom::element::<HtmlTextAreaElement>("prompt")?, "input", typed_prompt)?,
        on(app, dom::element::<HtmlTextAreaElement>("prompt")?, "keydown", submit_by_key)?,
        on(app, dom::element::<EventTarget>("compose")?, "submit", |event| {
            event.prevent_default();
            Some(Msg::Generate)
        })?,
        on(app, dom::element::<EventTarget>("stop")?, "click", |_| Some(Msg::Stop))?,
        on(app, dom::element::<EventTarget>("new-seed")?, "click", |_| new_seed())?,
        on(app, dom::element::<HtmlInputElement>("special-tokens")?, "change", |event| {
            Some(Msg::SetSpecialTokens(target::<HtmlInputElement>(event)?.checked()))
        })?,
        on(app, dom::document()?, "click", clicked)?,
        on(app, dom::element::<Element>("options")?, "input", typed_option)?,
        on(app, dom::element::<Element>("ways")?, "input", |event| {
            let text = event.target()?.dyn_into::<HtmlInputElement>().ok()?.value();
            Some(Msg::Branch(BranchMsg::TypedForce(text)))
        })?,
        on(app, dom::element::<Element>("ways")?, "keydown", search_by_key)?,
        on(app, dom::element::<Element>("text")?, "keydown", walk_tokens)?,
        on(app, dom::element::<Element>("work")?, "keydown", walk_words)?,
        on(app, dom::element::<Element>("nucleus-size")?, "keydown", walk_bars)?,
        closes(app)?,
        on(app, dom::window()?, "pageshow", |event| came_back(event).then_some(Msg::CameBack))?,
    ];
    for (id, control) in FIELDS {
        all.push(on(app, dom::element::<HtmlInputElement>(id)?, "input", move |event| {
            Some(Msg::Typed { control, text: target::<HtmlInputElement>(event)?.value() })
        })?);
    }
    for (id, control) in SLIDERS {
        all.push(on_slider(app, id, control)?);
    }
    all.push(shows_anew(app, dom::window()?, "resize")?);
    all.push(shows_anew(app, dom::element::<Element>("wrong-answers")?, "toggle")?);
    all.extend(link::listen(&dom::document()?)?);
    all.extend(model_events::listen(app)?);
    all.extend(drop::listen(app)?);
    Ok(all)
}

/// Listens on one element.
///
/// # Errors
/// What the browser throws.
pub fn on(
    app: &Rc<App>,
    target: impl AsRef<EventTarget>,
    kind: &'static str,
    msg: impl Fn(&Event) -> Option<Msg> + 'static,
) -> Result<Listener, JsValue> {
    let app = Rc::downgrade(app);
    Listener::new(target.as_ref(), kind, move |event| {
        if event.type_() == "click" && is_impossible(&event) {
            return;
        }
        if let (Some(app), Some(msg)) = (app.upgrade(), msg(&event)) {
            app.dispatch(msg);
            // What is pressed may move the keyboard's focus, and the next key must not reach where it was.
            if matches!(event.type_().as_str(), "click" | "keydown") {
                app.render();
            }
        }
    })
}

/// Whether the button pressed says that it cannot be.
fn is_impossible(event: &Event) -> bool {
    let element = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    element.and_then(|element| element.closest("[aria-disabled=\"true\"]").ok()?).is_some()
}

/// A page that goes is left as it can be found again.
fn closes(app: &Rc<App>) -> Result<Listener, JsValue> {
    let app = Rc::downgrade(app);
    Listener::new(dom::window()?.as_ref(), "pagehide", move |_| app.upgrade().into_iter().for_each(|app| app.close()))
}

/// Figures are laid out for the room they have, and some are worked out only where they are seen.
fn shows_anew(app: &Rc<App>, target: impl AsRef<EventTarget>, kind: &'static str) -> Result<Listener, JsValue> {
    let app = Rc::downgrade(app);
    Listener::new(target.as_ref(), kind, move |_| app.upgrade().into_iter().for_each(|app| app.ask_for_frame()))
}

/// A slider is answered at once, and how long that took is left in the browser's performance timeline as "answer".
fn on_slider(app: &Rc<App>, id: &'static str, control: Control) -> Result<Listener, JsValue> {
    let app = Rc::downgrade(app);
    Listener::new(dom::element::<HtmlInputElement>(id)?.as_ref(), "input", move |event| {
        let (Some(app), Some(slider)) = (app.upgrade(), target::<HtmlInputElement>(&event)) else { return };
        app.timed("answer", || {
            app.dispatch(Msg::MovedSlider { control, position: slider.value_as_number() });
            app.render();
        });
    })
}

/// The element that listens, as the kind that it is.
pub fn target<T: JsCast>(event: &Event) -> Option<T> {
    event.current_target()?.dyn_into().ok()
}

/// A page that is shown for the first time is no page that came back.
fn came_back(event: &Event) -> bool {
    js_sys::Reflect::get(event, &"persisted".into()).is_ok_and(|persisted| persisted == true)
}

fn typed_prompt(event: &Event) -> Option<Msg> {
    Some(Msg::Typed { control: Control::Prompt, text: target::<HtmlTextAreaElement>(event)?.value() })
}

/// A field of a strategy says by its attribute which one it is.
fn typed_option(event: &Event) -> Option<Msg> {
    let element = event.target()?.dyn_into::<Element>().ok()?;
    let key = OptionKey::parse(&element.get_attribute("data-option")?)?;
    let text = match element.dyn_ref::<HtmlTextAreaElement>() {
        Some(area) => area.value(),
        None => match element.dyn_ref::<HtmlSelectElement>() {
            Some(select) => select.value(),
            None => element.dyn_ref::<HtmlInputElement>()?.value(),
        },
    };
    Some(Msg::TypedOption { key, text })
}

/// In the prompt, Enter makes a new line; with Control or Command it generates.
fn submit_by_key(event: &Event) -> Option<Msg> {
    let key = event.dyn_ref::<KeyboardEvent>()?;
    let submits = key.key() == "Enter" && (key.ctrl_key() || key.meta_key());
    submits.then(|| {
        event.prevent_default();
        Msg::Generate
    })
}

fn new_seed() -> Option<Msg> {
    // Small enough to be read aloud and typed again.
    getrandom::u32().ok().map(|bits| Msg::NewSeed(u64::from(bits % 1_000_000)))
}

/// What was drawn says by its attributes what a click on it means.
fn clicked(event: &Event) -> Option<Msg> {
    let element = event.target()?.dyn_into::<Element>().ok()?;
    let element = element
        .closest(
            "[data-step], [data-recording], [data-preset], [data-scroll], [data-zoom], [data-action], button[data-strategy], [data-force], [data-branch]",
        )
        .ok()??;
    let value = |name| element.get_attribute(name);
    if let Some(step) = value("data-step") {
        return step.parse().ok().map(Msg::FocusStep);
    }
    if let Some(name) = value("data-recording") {
        return Some(Msg::ChoseRecording(name));
    }
    if let Some(preset) = value("data-preset") {
        return preset.parse().ok().map(Msg::ChosePreset);
    }
    if let Some(token) = value("data-force") {
        return token.parse().ok().map(|id| Msg::Branch(BranchMsg::Force(TokenId(id))));
    }
    if let Some(place) = value("data-branch") {
        return place.parse().ok().map(|place| Msg::Branch(BranchMsg::Show(place)));
    }
    if let Some(word) = value("data-strategy") {
        return StrategyKind::parse(&word).map(Msg::ChoseStrategy);
    }
    if let Some(rank) = value("data-scroll") {
        return rank.parse().ok().map(Msg::ScrollTable);
    }
    match (value("data-zoom").as_deref(), value("data-action").as_deref()) {
        (Some("whole"), _) => Some(Msg::ZoomDraw(Zoom::Whole)),
        (Some("in"), _) => Some(Msg::ZoomDraw(Zoom::In)),
        (Some("out"), _) => Some(Msg::ZoomDraw(Zoom::Out)),
        (Some("hit"), _) => Some(Msg::ZoomDraw(Zoom::Hit)),
        (_, Some("restart")) => Some(Msg::RestartEngine),
        (_, Some("restart-on-cpu")) => Some(Msg::RestartOnCpu),
        (_, Some("rewind")) => Some(Msg::Branch(BranchMsg::Rewind)),
        (_, Some("write-on")) => Some(Msg::Branch(BranchMsg::WriteOn)),
        (_, Some("open-force")) => Some(Msg::Branch(BranchMsg::OpenForce)),
        (_, Some("close-force")) => Some(Msg::Branch(BranchMsg::CloseForce)),
        (_, Some("next")) => Some(Msg::FocusBy(1)),
        (_, Some("previous")) => Some(Msg::FocusBy(-1)),
        (_, Some("latest")) => Some(Msg::FollowLatest),
        (_, Some(action)) => model_events::action(action, value("data-place").and_then(|place| place.parse().ok())),
        _ => None,
    }
}

/// In the search for a token Enter takes the first, and Escape gives up.
fn search_by_key(event: &Event) -> Option<Msg> {
    let is_field = event.target()?.dyn_into::<HtmlInputElement>().is_ok();
    let msg = match event.dyn_ref::<KeyboardEvent>()?.key().as_str() {
        "Enter" if is_field => BranchMsg::ForceFirst,
        "Escape" => BranchMsg::CloseForce,
        _ => return None,
    };
    event.prevent_default();
    Some(Msg::Branch(msg))
}

/// The words of a text from counts are walked as tokens are.
fn walk_words(event: &Event) -> Option<Msg> {
    let word = event.target()?.dyn_into::<Element>().ok()?;
    word.has_attribute("data-step").then(|| walk_tokens(event)).flatten()
}

/// The bars of the steps are walked as tokens are. They are no buttons of the browser's own, which would take Enter and Space.
fn walk_bars(event: &Event) -> Option<Msg> {
    let step = event.target()?.dyn_into::<Element>().ok()?.get_attribute("data-step")?;
    if !matches!(event.dyn_ref::<KeyboardEvent>()?.key().as_str(), "Enter" | " ") {
        return walk_tokens(event);
    }
    event.prevent_default();
    step.parse().ok().map(Msg::FocusStep)
}

/// Among the tokens the arrow keys walk, Home and End jump: only the token in focus is a stop of the Tab key.
fn walk_tokens(event: &Event) -> Option<Msg> {
    let msg = match event.dyn_ref::<KeyboardEvent>()?.key().as_str() {
        "ArrowRight" | "ArrowDown" => Msg::FocusBy(1),
        "ArrowLeft" | "ArrowUp" => Msg::FocusBy(-1),
        "Home" => Msg::FocusStep(0),
        "End" => Msg::FocusStep(usize::MAX),
        _ => return None,
    };
    event.prevent_default();
    Some(msg)
}
