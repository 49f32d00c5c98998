//! CASE 34: memory that grows with each generation. In a worker of its own, where no other test has left room to grow into.
#![cfg(target_family = "wasm")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../common/mod.rs"]
mod common;

use nucleus_session::Request;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::{console_log, wasm_bindgen_test, wasm_bindgen_test_configure};

use common::{Page, Server, greedy, load, tokens};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

/// Bytes of wasm's memory. It never shrinks, so growth is all there is to see.
fn heap() -> u32 {
    let memory: js_sys::WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
    memory.buffer().unchecked_into::<js_sys::ArrayBuffer>().byte_length()
}

#[wasm_bindgen_test]
async fn fifty_runs_of_64_tokens_leave_the_heap_flat() {
    Server::start();
    let page = Page::ready(load("gpt2-tiny-random")).await;
    let mut after_five = 0;
    for run in 0..50 {
        page.ask(Request::Generate(greedy(run, "Once upon a time", 64)));
        assert_eq!(tokens(&page.end().await).len(), 64);
        if run == 4 {
            after_five = heap();
        }
    }
    console_log!("heap: {after_five} bytes after 5 runs, {} after 50", heap());
    assert_eq!(heap(), after_five);
}
