//! The text of a run: its tokens as buttons.

use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

use super::{click, page, query, write};
use crate::dom;

#[wasm_bindgen_test]
fn the_text_is_the_text_and_every_token_a_button() {
    let app = page("?prompt=The&new=6");
    write(&app, &[1, 3, 2, 4, 5, 0]);
    let text = dom::element::<HtmlElement>("text").unwrap();
    assert_eq!(text.text_content().unwrap(), "The king\n<b>bold\u{5730}");
    let buttons = text.query_selector_all("button.token").unwrap();
    assert_eq!(buttons.length(), 6);
    assert!(text.query_selector("b").unwrap().is_none(), "token text became markup");
    assert_eq!(text.query_selector_all("[tabindex=\"0\"]").unwrap().length(), 1);
    click(&app, "#text [data-step=\"1\"]");
    let current = text.query_selector("[aria-current=\"step\"]").unwrap().unwrap();
    assert_eq!(current.get_attribute("aria-label").unwrap(), "line break");
    let title = query("#focus-head h2").text_content().unwrap();
    assert!(title.starts_with("Step 2 of 6"), "{title}");
}

#[wasm_bindgen_test]
fn a_stop_string_is_not_in_the_text_but_its_tokens_are() {
    let app = page("?prompt=The&new=6&stop=bold");
    write(&app, &[1, 2]);
    let text = query("#text");
    assert_eq!(text.text_content().unwrap(), "The king<b>");
    assert_eq!(text.query_selector_all("button.token").unwrap().length(), 2);
    click(&app, "#text [data-step=\"1\"]");
    assert!(query("#focus-head h2").text_content().unwrap().starts_with("Step 2 of 2"));
}

#[wasm_bindgen_test]
fn every_token_of_a_stop_string_that_spans_tokens_is_marked_as_cut() {
    let app = page("?prompt=The&new=6&stop=d+king%5Cn");
    write(&app, &[1, 2, 1, 3]);
    assert_eq!(query("#text").text_content().unwrap(), "The king<b>bol");
    let mark = |step: usize| query(&format!("#text [data-step=\"{step}\"]")).get_attribute("data-mark");
    assert_eq!([0, 1, 2, 3].map(mark), [None, None, Some("✂".to_owned()), Some("✂".to_owned())]);
    assert_eq!(query("#text [data-step=\"1\"]").text_content().unwrap(), "<b>bol");
}
