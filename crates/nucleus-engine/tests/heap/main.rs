//! Loading GPT-2's 548 MB onto WebGPU: the file is never in wasm's memory. In a worker of its own, where no other test has
//! left room to grow into.
#![cfg(target_family = "wasm")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../common/mod.rs"]
mod common;

use nucleus_session::{DevicePreference, Loading, ModelSource, Report, Request};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::{console_log, wasm_bindgen_test, wasm_bindgen_test_configure};

use common::{Answer, Body, Page, Server, last};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

/// The bound of growth, in bytes.
const BOUND: u32 = 64 << 20;

/// Bytes of wasm's memory. It never shrinks, so growth is all there is to see.
fn heap() -> u32 {
    let memory: js_sys::WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
    memory.buffer().unchecked_into::<js_sys::ArrayBuffer>().byte_length()
}

/// The header of GPT-2 as it was published, causal masks included, and zeros for its numbers.
fn gpt2() -> Body {
    let mut entries = Vec::new();
    let mut end = 0;
    let mut add = |name: &str, shape: &[usize]| {
        let begin = end;
        end += 4 * shape.iter().product::<usize>();
        entries.push(format!(r#""{name}": {{"dtype": "F32", "shape": {shape:?}, "data_offsets": [{begin}, {end}]}}"#));
    };
    add("wte.weight", &[50_257, 768]);
    add("wpe.weight", &[1024, 768]);
    for layer in 0..12 {
        add(&format!("h.{layer}.attn.bias"), &[1, 1, 1024, 1024]);
        for (name, rows, columns) in
            [("attn.c_attn", 768, 2304), ("attn.c_proj", 768, 768), ("mlp.c_fc", 768, 3072), ("mlp.c_proj", 3072, 768)]
        {
            add(&format!("h.{layer}.{name}.weight"), &[rows, columns]);
            add(&format!("h.{layer}.{name}.bias"), &[columns]);
        }
        for norm in ["ln_1", "ln_2"] {
            add(&format!("h.{layer}.{norm}.weight"), &[768]);
            add(&format!("h.{layer}.{norm}.bias"), &[768]);
        }
    }
    add("ln_f.weight", &[768]);
    add("ln_f.bias", &[768]);
    let header = format!("{{{}}}", entries.join(", ")).into_bytes();
    let start = [&(header.len() as u64).to_le_bytes(), &header[..]].concat();
    let length = (start.len() + end) as u64;
    Body::zeros_after(start, length)
}

#[wasm_bindgen_test]
async fn gpt2_passes_through_64_megabytes() {
    let server = Server::start();
    let source = || ModelSource::parse("gpt2").unwrap();
    let load = |name: &str| Request::Load {
        source: ModelSource::parse(name).unwrap(),
        device: DevicePreference::WebGpu,
        weights: None,
    };
    server.copy("models/tales/", "models/gpt2/");
    server.put("models/gpt2/config.json", Answer::ok(br#"{"model_type": "gpt2", "eos_token_id": 50256}"#));
    let weights = gpt2();
    let size = weights.length;
    assert!(size > 547_000_000, "{size}");
    server.put("models/gpt2/model.safetensors", Answer::body(weights));

    // Device, kernels and tokenizer have taken what they need before the count begins.
    let page = Page::ready(load("gpt2-tiny-random")).await;
    page.ask(Request::DeleteKept { source: source() });
    page.until(|report| matches!(report, Report::Kept(_))).await;
    let before = heap();
    page.ask(load("gpt2"));
    page.until(|report| matches!(report, Report::Plan(plan) if plan.waits)).await;
    page.ask(Request::Download);
    page.until(|report| matches!(report, Report::Loading(Loading::Weights { done, .. }) if *done == size)).await;
    let reports = page.end().await;
    assert!(matches!(last(&reports), Report::Ready { .. }), "{:?}", last(&reports));
    let grown = heap() - before;
    console_log!("heap: {before} bytes before, {grown} more after loading {size} bytes");
    assert!(grown < BOUND, "the heap grew by {grown} bytes");
    page.ask(Request::DeleteKept { source: source() });
    page.until(|report| matches!(report, Report::Kept(_))).await;
}
