//! From an address to a model.

use nucleus_sampler::TokenId;
use nucleus_session::{Loading, Report};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::common::{Answer, Page, Server, TALES, file, last, load};

#[wasm_bindgen_test]
async fn loading_tells_each_stage_and_tests_the_device_before_the_model_is_fetched() {
    let server = Server::start();
    let page = Page::open();
    page.ask(load(TALES));
    let reports: Vec<Report> = page.end().await.into_iter().map(|(report, _)| report).collect();
    let mut stages: Vec<String> = reports
        .iter()
        .map(|report| match report {
            Report::Loading(Loading::Weights { .. }) => "weights".into(),
            Report::Loading(stage) => format!("{stage:?}").to_lowercase(),
            Report::Plan(plan) => format!("plan for {}", plan.name),
            Report::Device(device) => format!("{:?}", device.reason).to_lowercase(),
            Report::Ready { .. } => "ready".into(),
            other => format!("{other:?}"),
        })
        .collect();
    stages.dedup();
    assert_eq!(
        stages,
        [
            "choosingdevice",
            "selftest",
            "forcedcpu",
            "config",
            "tokenizer",
            "plan for tales",
            "weights",
            "building",
            "ready"
        ]
    );
    let size = file("models/tales/model.safetensors").len() as u64;
    assert!(reports.contains(&Report::Loading(Loading::Weights { done: size, total: size, fetched: size })));
    let asked = server.asked();
    assert!(
        asked.iter().rposition(|name| name.contains("tiny-random"))
            < asked.iter().position(|name| name.contains("tales"))
    );

    let Some(Report::Ready { model, vocabulary }) = reports.last() else { panic!("not ready") };
    assert_eq!((model.name.as_str(), model.n_vocab, model.n_ctx, model.parameters), ("tales", 4096, 256, 3_505_152));
    assert_eq!((model.n_layer, model.n_head, model.n_embd, model.end_of_text), (6, 6, 192, Some(TokenId(0))));
    assert_eq!(vocabulary.len(), 4096);
    assert_eq!(vocabulary.bytes(TokenId(433)), b" there");
}

#[wasm_bindgen_test]
async fn a_newer_load_takes_the_place_of_the_one_under_way() {
    let server = Server::start();
    let page = Page::open();
    let slow = Answer { milliseconds: 50, ..Answer::status(404, "not here") };
    server.put("models/nowhere/config.json", slow);
    page.ask(load("nowhere"));
    page.until(|report| matches!(report, Report::Loading(Loading::Config))).await;
    page.ask(load(TALES));
    // What became of the old one is nobody's business any more: no failure comes before the new one is ready.
    let reports = page.end().await;
    assert!(matches!(last(&reports), Report::Ready { model, .. } if model.name == "tales"), "{:?}", last(&reports));
}
