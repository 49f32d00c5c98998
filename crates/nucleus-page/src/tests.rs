//! The page in a browser, without an engine: what the engine would report is told to the session.

mod form;
mod text;

use std::rc::Rc;

use nucleus_charts::{Element, Node};
use nucleus_sampler::{Draw, Interval, TokenId, Unit};
use nucleus_session::{
    Failure, Keeping, LoadPlan, Loading, ModelInfo, ModelMsg, Msg, Report, RunId, StepReport, StopReason, Vocabulary,
    WeightFormat,
};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{Event, File, HtmlButtonElement, HtmlElement, HtmlInputElement};

use crate::app::App;
use crate::disk::Disk;
use crate::patch::Region;
use crate::{dom, events};

wasm_bindgen_test_configure!(run_in_browser);

const HTML: &str = include_str!("../../../www/index.html");

/// What tokens 0 to 5 stand for: the end mark, two words, a line break, and a character cut in two.
const TOKENS: [&[u8]; 6] = [b"<|endoftext|>", b" king", b"<b>bold", b"\n", b"\xe5\x9c", b"\xb0"];

#[wasm_bindgen_test]
fn a_patch_keeps_what_stays_and_changes_what_differs() {
    let root = dom::document().unwrap().create_element("div").unwrap();
    let mut region = Region::new(root.clone());
    let list = |words: &[&str]| {
        words.iter().map(|word| Element::new("p").class(*word).text(*word).into()).collect::<Vec<Node>>()
    };
    region.show(list(&["one", "two"])).unwrap();
    let first = root.first_element_child().unwrap();
    region.show(list(&["one", "three", "four"])).unwrap();
    assert_eq!(root.text_content().unwrap(), "onethreefour");
    assert!(root.first_element_child().unwrap().is_same_node(Some(&first)));
    assert_eq!(root.children().item(1).unwrap().class_name(), "three");
    region.show(list(&["one"])).unwrap();
    assert_eq!(root.child_element_count(), 1);
    region.show(vec![Node::Text("plain".into())]).unwrap();
    assert_eq!(root.inner_html(), "plain");
}

#[wasm_bindgen_test]
fn of_two_files_that_look_the_same_the_one_that_is_meant_is_found() {
    let disk = Disk::default();
    let [first, second] = ["one", "two"]
        .map(|text| File::new_with_str_sequence(&js_sys::Array::of1(&text.into()), "config.json").unwrap());
    let [one, two] = [disk.keep_one(first.clone()), disk.keep_one(second.clone())];
    assert_eq!(one.file, two.file);
    assert_ne!(one, two);
    let found = disk.find(&[two, one]);
    assert_eq!([found.get(0), found.get(1)], [JsValue::from(second), JsValue::from(first)]);
}

#[wasm_bindgen_test]
fn many_files_are_counted_few_can_be_taken_out_and_a_refusal_stands_under_them() {
    let app = page("");
    let give = |names: &[String]| {
        let file =
            |name: &String| app.disk().keep_one(File::new_with_str_sequence(&js_sys::Array::new(), name).unwrap());
        app.dispatch(Msg::Model(ModelMsg::GaveFiles(names.iter().map(file).collect())));
        app.render();
    };
    app.dispatch(Msg::Model(ModelMsg::OpenChooser));
    give(&["config.json".to_owned(), "notes.txt".to_owned()]);
    app.dispatch(Msg::Model(ModelMsg::Load));
    app.render();
    let error = query("#disk-choice .error").text_content().unwrap();
    assert!(
        error.contains("Still missing") && query("#web-choice .error").text_content().unwrap().is_empty(),
        "{error}"
    );

    click(&app, "#given [aria-label=\"Remove notes.txt\"]");
    assert_eq!(query("#given").child_element_count(), 1);
    give(&(0..11).map(|shard| format!("{shard}.safetensors")).collect::<Vec<_>>());
    let text = query("#given").text_content().unwrap();
    assert!(text.starts_with("12 files") && query("#given").child_element_count() == 1, "{text}");
    let remove: HtmlElement = query("#given button").unchecked_into();
    remove.focus().unwrap();
    click(&app, "#given button");
    assert_eq!(query("#given").child_element_count(), 0);
    assert_eq!(dom::document().unwrap().active_element().unwrap().id(), "files");
    app.dispatch(Msg::Model(ModelMsg::CloseChooser));
    app.render();
}

#[wasm_bindgen_test]
fn what_an_address_cannot_mean_is_one_alert() {
    page("?step=first").render();
    assert_eq!(query("#alert").text_content().unwrap().matches("in the address").count(), 1);
    page("?step=first&special=2").render();
    assert_eq!(query("#alert").child_element_count(), 1);
    assert_eq!(query("#alert ul").child_element_count(), 2);
}

#[wasm_bindgen_test]
fn a_text_too_long_for_the_link_is_noted_and_the_page_that_opens_the_link_asks_for_it() {
    let long = "a".repeat(2001);
    page(&format!("?prompt={long}")).render();
    assert!(query("#link-note").text_content().unwrap().contains("(2001 characters, 2001 in the address)"));
    page("?without=prompt").render();
    assert_eq!(query("#link-note").text_content().unwrap(), "");
    assert!(query("#alert").text_content().unwrap().contains("does not hold \u{201c}Prompt\u{201d}"));
}

#[wasm_bindgen_test]
fn a_button_that_goes_with_its_alert_leaves_the_focus_at_the_model() {
    let app = page("?model=gone");
    let failure = Failure::Fetch { address: "models/gone/config.json".to_owned(), status: Some(404) };
    report(&app, Report::Failed { run: None, failure }, None);
    app.render();
    let back: HtmlElement = query("#alert [data-action=\"go-back\"]").unchecked_into();
    back.focus().unwrap();
    back.click();
    app.render();
    assert_eq!(query("#alert").child_element_count(), 0);
    assert_eq!(dom::document().unwrap().active_element().unwrap().id(), "choose-model");
}

#[wasm_bindgen_test]
fn a_page_that_comes_back_starts_its_engine() {
    let app = page("");
    let status = || query("#status").text_content().unwrap();
    let window = dom::window().unwrap();
    let show = |persisted: bool| {
        let event = Event::new("pageshow").unwrap();
        js_sys::Reflect::set(&event, &"persisted".into(), &persisted.into()).unwrap();
        window.dispatch_event(&event).unwrap();
        app.render();
    };
    window.dispatch_event(&Event::new("pagehide").unwrap()).unwrap();
    show(false);
    assert!(status().contains("not running"), "{}", status());
    show(true);
    assert!(status().contains("Starting the engine"), "{}", status());
}

#[wasm_bindgen_test]
fn a_run_that_waits_for_an_answer_is_said_beside_the_question() {
    let app = page("?model=owner/name&prompt=Once");
    let plan = LoadPlan {
        name: "name".into(),
        parameters: 20,
        stored: "F32".into(),
        weights: WeightFormat::F32,
        download: 100_000_000,
        files: 100_000_000,
        device_memory: 100_000_000,
        largest_tensor: 80,
        largest_binding: 1000,
        room_to_keep: None,
        waits: true,
    };
    report(&app, Report::Plan(plan), None);
    app.render();
    assert!(query("#loading").text_content().unwrap().contains("Writing starts as soon as"));
    click(&app, "#loading [data-action=\"download\"]");
    let weights = Loading::Weights { done: 50_000_000, total: 100_000_000, fetched: 100_000_000 };
    report(&app, Report::Loading(weights), None);
    app.render();
    let text = query("#loading").text_content().unwrap();
    assert!(text.contains("50.0 of 100.0 MB") && text.contains("Writing starts as soon as"), "{text}");
    click(&app, "#stop");
    assert!(!query("#loading").text_content().unwrap().contains("Writing starts"));
}

#[wasm_bindgen_test]
fn a_patch_drops_attributes_and_makes_svg_in_its_namespace() {
    let root = dom::document().unwrap().create_element("div").unwrap();
    let mut region = Region::new(root.clone());
    region.show(vec![Element::new("svg").child(Element::new("rect").with("width", 3_u32)).into()]).unwrap();
    let rect = root.query_selector("rect").unwrap().unwrap();
    assert_eq!(rect.namespace_uri().unwrap(), nucleus_charts::SVG_NAMESPACE);
    region.show(vec![Element::new("svg").child(Element::new("rect")).into()]).unwrap();
    assert!(!rect.has_attribute("width"));
}

#[wasm_bindgen_test]
fn words_from_counts_are_buttons_and_the_one_in_focus_has_its_row() {
    let app = page("?strategy=bigram&prompt=Say+a&text=a+b+a+b&new=3&seed=1");
    app.render();
    assert_eq!(query("#work .text").text_content().unwrap(), "Say a b a b");
    click(&app, "#work [data-step=\"1\"]");
    assert!(query("#work h2").text_content().unwrap().starts_with("Word 2 of 3"));
    assert_eq!(query("#work [aria-current=\"step\"]").text_content().unwrap(), "a");
    assert!(query("#work figure").text_content().unwrap().contains("In the counted text 'b'"));
}

#[wasm_bindgen_test]
fn sliders_and_fields_answer_at_once() {
    let app = page("?prompt=The&temperature=1&top_k=0&top_p=1");
    write(&app, &[1]);
    let rows = || query("#logits").query_selector_all("tr.kept").unwrap().length();
    assert_eq!(rows(), 6);
    set("top-k-value", "2");
    app.render();
    assert_eq!(rows(), 2);
    set("top-p", "0.01");
    app.render();
    assert_eq!(rows(), 1);
    let answers = dom::window().unwrap().performance().unwrap().get_entries_by_name("answer");
    assert!(answers.length() > 0, "a slider's answer is not timed");
}

#[wasm_bindgen_test]
fn a_bad_value_stays_and_is_explained() {
    let app = page("?prompt=The&temperature=-1&seed=18446744073709551616");
    app.render();
    let field = dom::element::<HtmlInputElement>("temperature-value").unwrap();
    assert_eq!((field.value().as_str(), field.get_attribute("aria-invalid").as_deref()), ("-1", Some("true")));
    assert!(query("#temperature-error").text_content().unwrap().contains("-1"));
    assert!(query("#seed-error").text_content().unwrap().contains("18446744073709551615"));
    set("temperature-value", "0");
    app.render();
    assert_eq!(query("#temperature-error").text_content().unwrap(), "");
    assert!(query("#seed-note").text_content().unwrap().contains("temperature 0"));
}

#[wasm_bindgen_test]
fn stop_is_possible_only_while_something_runs() {
    let app = page("?prompt=The");
    let can = || ["#generate", "#stop"].map(|id| query(id).get_attribute("aria-disabled").is_none());
    write(&app, &[1]);
    assert_eq!(can(), [true, false]);
    let generate = dom::element::<HtmlButtonElement>("generate").unwrap();
    generate.focus().unwrap();
    click(&app, "#generate");
    assert_eq!(can(), [false, true]);
    assert_eq!(dom::document().unwrap().active_element().unwrap().id(), "generate", "the focus is not lost");
    click(&app, "#stop");
    assert_eq!(can(), [true, false]);
}

/// The page on a fresh copy of its HTML.
fn page(query: &str) -> Rc<App> {
    let body = HTML.split_once("<body>").unwrap().1.split_once("</body>").unwrap().0;
    let document = dom::document().unwrap();
    // The test runner reads its own elements of the same document, which must stay.
    document.get_element_by_id("page").into_iter().for_each(|old| old.remove());
    let root = document.create_element("div").unwrap();
    root.set_id("page");
    root.set_inner_html(body);
    document.body().unwrap().append_child(&root).unwrap();
    let app = App::new().unwrap();
    // Listeners must outlive this function, as on the real page.
    std::mem::forget(events::listen(&app).unwrap());
    app.dispatch(Msg::Opened { query: query.to_owned() });
    app
}

/// Tells the page that the model came and wrote these tokens.
fn write(app: &App, tokens: &[u32]) {
    let run = RunId(1);
    let mut ends = Vec::new();
    let flat: Vec<u8> = TOKENS
        .iter()
        .flat_map(|bytes| {
            ends.push(ends.last().copied().unwrap_or(0) + bytes.len() as u32);
            bytes.iter().copied()
        })
        .collect();
    let vocabulary = Vocabulary::new(flat, ends).unwrap();
    let end_of_text = Some(TokenId(0));
    let model = ModelInfo {
        name: "tiny".into(),
        n_vocab: 6,
        n_ctx: 16,
        n_layer: 1,
        n_head: 1,
        n_embd: 2,
        parameters: 20,
        end_of_text,
        weights: WeightFormat::F32,
        device_memory: 80,
        keeping: Keeping::NotNeeded,
    };
    report(app, Report::Ready { model, vocabulary }, None);
    report(app, Report::Started { run, prompt: vec![TokenId(1)], window_start: 0 }, None);
    for (index, &token) in tokens.iter().enumerate() {
        let interval = Interval { start: 0.0, end: 1.0 };
        let step = StepReport {
            index,
            token: TokenId(token),
            probability: 0.5,
            log_probability: -0.7,
            nucleus_size: 6,
            entropy: 1.0,
            draw: Draw::Uniform { u: Unit::new(0.25).unwrap(), interval },
            window_start: 0,
            elapsed_ms: 1.0 + index as f64,
        };
        report(app, Report::Step { run, step }, Some(vec![0.0, 3.0, 2.0, 1.0, 0.5, 0.25]));
    }
    let finished = Report::Finished {
        run,
        reason: StopReason::TokenLimit,
        log_probabilities_of_prompt: None,
        prefill_ms: 1.0,
        decode_ms: 1.0,
    };
    report(app, finished, None);
    app.render();
}

fn report(app: &App, report: Report, logits: Option<Vec<f32>>) {
    app.dispatch(Msg::Reported { report, logits, at_ms: 0.0 });
}

fn query(selector: &str) -> web_sys::Element {
    dom::document().unwrap().query_selector(selector).unwrap().unwrap()
}

fn click(app: &App, selector: &str) {
    query(selector).unchecked_into::<HtmlElement>().click();
    app.render();
}

fn set(id: &'static str, value: &str) {
    let input = dom::element::<HtmlInputElement>(id).unwrap();
    input.set_value(value);
    input.dispatch_event(&Event::new("input").unwrap()).unwrap();
}
