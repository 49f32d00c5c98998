//! The form, and the address that keeps what stands in it.

use js_sys::Promise;
use nucleus_session::{Control, Msg, OptionKey, StrategyKind};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{Event, HtmlElement};

use super::page;
use crate::app::App;
use crate::dom;

fn type_prompt(app: &App, text: &str) {
    app.dispatch(Msg::Typed { control: Control::Prompt, text: text.to_owned() });
}

fn search() -> String {
    dom::window().unwrap().location().search().unwrap()
}

async fn sleep(ms: i32) {
    let window = dom::window().unwrap();
    let promise = Promise::new(&mut |resolve, _| {
        window.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, ms).unwrap();
    });
    JsFuture::from(promise).await.unwrap();
}

#[wasm_bindgen_test]
async fn the_address_is_written_at_once_and_then_at_most_every_350_ms() {
    let app = page("");
    sleep(500).await;
    type_prompt(&app, "first");
    assert!(search().contains("prompt=first&"), "{}", search());
    type_prompt(&app, "second");
    type_prompt(&app, "third");
    assert!(search().contains("prompt=first&"), "{}", search());
    sleep(500).await;
    assert!(search().contains("prompt=third&"), "{}", search());
}

#[wasm_bindgen_test]
fn a_page_that_goes_has_written_its_address() {
    let app = page("");
    type_prompt(&app, "almost");
    type_prompt(&app, "gone");
    assert!(!search().contains("prompt=gone&"), "{}", search());
    dom::window().unwrap().dispatch_event(&Event::new("pagehide").unwrap()).unwrap();
    assert!(search().contains("prompt=gone&"), "{}", search());
}

#[wasm_bindgen_test]
fn how_the_end_mark_is_read_is_asked_for_the_prompts_of_a_batch_too() {
    let app = page("");
    let is_asked = || {
        app.render();
        !dom::element::<HtmlElement>("special").unwrap().hidden()
    };
    app.dispatch(Msg::ChoseStrategy(StrategyKind::Batch));
    assert!(!is_asked());
    app.dispatch(Msg::TypedOption { key: OptionKey::Prompts, text: "Once<|endoftext|>".to_owned() });
    assert!(is_asked());
    app.dispatch(Msg::ChoseStrategy(StrategyKind::Sample));
    assert!(!is_asked());
}
