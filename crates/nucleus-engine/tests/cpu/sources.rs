//! The forms in which a model lies on a server or on the reader's disk, the plan, and the reader's consent.

use js_sys::{Array, Uint8Array};
use nucleus_session::{
    DevicePreference, Failure, GivenFile, Keeping, LoadPlan, Loading, ModelSource, Report, Request, WeightFormat,
};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::File;

use crate::common::{Answer, Body, Page, Server, TALES, failure, file, greedy, last, load, tokens};

/// `vocab.json` and `merges.txt` of a `tokenizer.json`.
fn pair(tokenizer: &[u8]) -> [Vec<u8>; 2] {
    let json: serde_json::Value = serde_json::from_slice(tokenizer).unwrap();
    let rule = |rule: &serde_json::Value| match rule.as_array() {
        Some(pair) => format!("{} {}", pair[0].as_str().unwrap(), pair[1].as_str().unwrap()),
        None => rule.as_str().unwrap().to_owned(),
    };
    let rules: Vec<String> = json["model"]["merges"].as_array().unwrap().iter().map(rule).collect();
    let merges = format!("#version: 0.2\n{}\n", rules.join("\n"));
    [serde_json::to_vec(&json["model"]["vocab"]).unwrap(), merges.into_bytes()]
}

/// A safetensors file in two, with their index.
fn shards(whole: &[u8]) -> [(&'static str, Vec<u8>); 3] {
    let data = 8 + u64::from_le_bytes(whole[..8].try_into().unwrap()) as usize;
    let header: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(&whole[8..data]).unwrap();
    let names = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"];
    let mut map = serde_json::Map::new();
    let mut files = [(serde_json::Map::new(), Vec::new()), (serde_json::Map::new(), Vec::new())];
    for (i, (name, entry)) in header.iter().filter(|(name, _)| *name != "__metadata__").enumerate() {
        let (header, bytes) = &mut files[i % 2];
        let offset = |k: usize| data + entry["data_offsets"][k].as_u64().unwrap() as usize;
        let begin = bytes.len();
        bytes.extend_from_slice(&whole[offset(0)..offset(1)]);
        let mut entry = entry.clone();
        entry["data_offsets"] = serde_json::json!([begin, bytes.len()]);
        header.insert(name.clone(), entry);
        map.insert(name.clone(), names[i % 2].into());
    }
    let file = |(header, bytes): &(serde_json::Map<_, _>, Vec<u8>)| {
        let header = serde_json::to_vec(header).unwrap();
        [&(header.len() as u64).to_le_bytes(), &header[..], bytes].concat()
    };
    let index = serde_json::to_vec(&serde_json::json!({ "weight_map": map })).unwrap();
    [(names[0], file(&files[0])), (names[1], file(&files[1])), ("model.safetensors.index.json", index)]
}

fn tales(name: &str) -> &'static [u8] {
    file(&format!("models/tales/{name}"))
}

/// What the model of the page writes.
async fn text(page: &Page) -> Vec<nucleus_sampler::TokenId> {
    page.ask(Request::Generate(greedy(1, "Once upon a time", 12)));
    tokens(&page.end().await)
}

fn plan(reports: &[(Report, Option<Vec<f32>>)]) -> LoadPlan {
    reports
        .iter()
        .find_map(|(report, _)| if let Report::Plan(plan) = report { Some(plan.clone()) } else { None })
        .unwrap()
}

#[wasm_bindgen_test]
async fn vocabulary_and_merges_and_shards_stand_in_for_whole_files() {
    let server = Server::start();
    let page = Page::ready(load(TALES)).await;
    let whole = text(&page).await;
    let missing = || Answer::status(404, "not here");
    server.put("models/tales/tokenizer.json", missing());
    server.put("models/tales/model.safetensors", missing());
    let [vocab, merges] = pair(tales("tokenizer.json"));
    server.put("models/tales/vocab.json", Answer::ok(&vocab));
    server.put("models/tales/merges.txt", Answer::ok(&merges));
    let parts = shards(tales("model.safetensors"));
    parts.iter().for_each(|(name, bytes)| server.put(&format!("models/tales/{name}"), Answer::ok(bytes)));
    page.ask(load(TALES));
    let reports = page.end().await;
    assert!(matches!(last(&reports), Report::Ready { .. }), "{:?}", last(&reports));
    assert_eq!(plan(&reports).files, (parts[0].1.len() + parts[1].1.len()) as u64);
    assert_eq!(text(&page).await, whole);
}

#[wasm_bindgen_test]
async fn a_folder_with_weights_in_another_format_only_is_told_from_one_without() {
    let server = Server::start();
    let page = Page::open();
    server.put("models/tales/model.safetensors", Answer::status(404, "not here"));
    page.ask(load(TALES));
    let address = "models/tales/model.safetensors".to_owned();
    assert_eq!(failure(&page.end().await), &Failure::Fetch { address, status: Some(404) });
    server.put("models/tales/pytorch_model.bin", Answer::ok(b"PK\x03\x04"));
    page.ask(load(TALES));
    let (folder, found) = ("models/tales/".to_owned(), "pytorch_model.bin".to_owned());
    assert_eq!(failure(&page.end().await), &Failure::OtherFormat { folder, found });
}

fn given(files: &[(&str, &[u8])]) -> (ModelSource, Vec<File>) {
    let source = files.iter().map(|(name, bytes)| GivenFile { name: (*name).to_owned(), bytes: bytes.len() as u64 });
    let file = |(name, bytes): &(&str, &[u8])| {
        File::new_with_u8_array_sequence(&Array::of1(&Uint8Array::from(*bytes)), name).unwrap()
    };
    (ModelSource::Files(source.collect()), files.iter().map(file).collect())
}

fn ask_for(page: &Page, files: &[(&str, &[u8])]) {
    let (source, files) = given(files);
    page.ask_with_files(Request::Load { source, device: DevicePreference::Cpu, weights: None }, files);
}

#[wasm_bindgen_test]
async fn files_of_the_reader_make_a_model_in_any_order() {
    let server = Server::start();
    let page = Page::ready(load(TALES)).await;
    let whole = text(&page).await;
    let [vocab, merges] = pair(tales("tokenizer.json"));
    let parts = shards(tales("model.safetensors"));
    let one = [
        ("README.md", &b"#"[..]),
        ("model.safetensors", tales("model.safetensors")),
        ("tokenizer.json", tales("tokenizer.json")),
        ("config.json", tales("config.json")),
    ];
    let other = [
        ("merges.txt", &merges[..]),
        (parts[1].0, &parts[1].1),
        (parts[2].0, &parts[2].1),
        ("config.json", tales("config.json")),
        ("vocab.json", &vocab),
        (parts[0].0, &parts[0].1),
    ];
    server.asked();
    for files in [&one[..], &other] {
        ask_for(&page, files);
        let reports = page.end().await;
        let Report::Ready { model, .. } = last(&reports) else { panic!("{:?}", last(&reports)) };
        assert_eq!((&model.keeping, plan(&reports).download), (&Keeping::NotNeeded, 0));
        assert_eq!(text(&page).await, whole);
    }
    assert_eq!(server.asked(), Vec::<String>::new());
    ask_for(&page, &one[..3]);
    assert!(failure(&page.end().await).to_string().contains("config.json is missing"));
    ask_for(&page, &other[..5]);
    assert!(failure(&page.end().await).to_string().contains("model-00001-of-00002.safetensors is missing"));
    let pickle = [one[2], one[3], ("model.safetensors", &b"PK\x03\x04\0\0\x08\x08\0\0"[..])];
    ask_for(&page, &pickle);
    assert!(failure(&page.end().await).to_string().contains("PyTorch"));
}

#[wasm_bindgen_test]
async fn a_large_file_of_the_reader_needs_neither_consent_nor_keeping() {
    Server::start();
    let page = Page::open();
    let (config, weights) = large();
    let (source, mut files) = given(&[("config.json", &config), ("tokenizer.json", tales("tokenizer.json"))]);
    files.push(weights.file("model.safetensors"));
    page.ask_with_files(Request::Load { source, device: DevicePreference::Cpu, weights: None }, files);
    let reports = page.end().await;
    let Report::Ready { model, .. } = last(&reports) else { panic!("{:?}", last(&reports)) };
    assert_eq!((&model.keeping, plan(&reports).waits), (&Keeping::NotNeeded, false));
}

/// A made-up checkpoint of one wide block, 84 MB in F16, and its configuration.
fn large() -> (Vec<u8>, Body) {
    let (vocab, width, n_ctx) = (4096, 2048, 256);
    let config = format!(
        r#"{{"model_type": "gpt2", "vocab_size": {vocab}, "n_positions": {n_ctx}, "n_embd": {width}, "n_layer": 1, "n_head": 8, "eos_token_id": [3, 4]}}"#
    );
    let mut entries = Vec::new();
    let mut end = 0;
    let mut add = |name: &str, shape: &[usize]| {
        let begin = end;
        end += 2 * shape.iter().product::<usize>();
        entries.push(format!(r#""{name}": {{"dtype": "F16", "shape": {shape:?}, "data_offsets": [{begin}, {end}]}}"#));
    };
    add("wte.weight", &[vocab, width]);
    add("wpe.weight", &[n_ctx, width]);
    for norm in ["h.0.ln_1", "h.0.ln_2", "ln_f"] {
        add(&format!("{norm}.weight"), &[width]);
        add(&format!("{norm}.bias"), &[width]);
    }
    for (name, rows, columns) in
        [("attn.c_attn", 1, 3), ("attn.c_proj", 1, 1), ("mlp.c_fc", 1, 4), ("mlp.c_proj", 4, 1)]
    {
        add(&format!("h.0.{name}.weight"), &[rows * width, columns * width]);
        add(&format!("h.0.{name}.bias"), &[columns * width]);
    }
    let header = format!("{{{}}}", entries.join(", ")).into_bytes();
    let start = [&(header.len() as u64).to_le_bytes(), &header[..]].concat();
    let length = (start.len() + end) as u64;
    (config.into_bytes(), Body::zeros_after(start, length))
}

fn with_large(server: &Server) -> u64 {
    let (config, weights) = large();
    server.copy("models/tales/", "models/wide/");
    server.put("models/wide/config.json", Answer::ok(&config));
    server.put("models/wide/model.safetensors", Answer::body(weights.clone()));
    weights.length
}

#[wasm_bindgen_test]
async fn a_large_download_waits_for_consent_and_other_requests_are_answered_meanwhile() {
    let server = Server::start();
    let size = with_large(&server);
    let page = Page::open();
    page.ask(load("wide"));
    let reports = page.until(|report| matches!(report, Report::Plan(_))).await;
    let told = plan(&reports);
    let numbers = 4096 * 2048 + 12 * 2048 * 2048 + (256 + 6 + 9) * 2048;
    let vectors = (256 + 6 + 9) * 2048;
    assert_eq!((told.waits, told.download, told.files, told.parameters), (true, size, size, numbers));
    assert_eq!((told.stored.as_str(), told.weights, told.name.as_str()), ("F16", WeightFormat::F16, "wide"));
    assert_eq!(told.device_memory, 2 * (numbers - vectors) + 4 * vectors + 2 * 256 * 2048 * 4);
    assert_eq!(told.largest_tensor, 2 * 4 * 2048 * 2048);
    assert!(told.room_to_keep.is_some_and(|room| room > 0));
    server.asked();
    page.ask(Request::ListKept);
    page.until(|report| matches!(report, Report::Kept(_))).await;
    assert_eq!(server.asked(), Vec::<String>::new(), "nothing is fetched before the reader agrees");
    page.ask(Request::CancelLoading);
    page.until(|report| *report == Report::Cancelled).await;
    assert_eq!(server.asked(), Vec::<String>::new());
}

#[wasm_bindgen_test]
async fn after_consent_the_weights_come_with_progress_and_stop_where_the_reader_gives_up() {
    let server = Server::start();
    let size = with_large(&server);
    let page = Page::open();
    page.ask(Request::DeleteKept { source: ModelSource::parse("wide").unwrap() });
    page.ask(load("wide"));
    page.until(|report| matches!(report, Report::Plan(_))).await;
    page.ask(Request::Download);
    let far = |report: &Report| matches!(report, Report::Loading(Loading::Weights { done, .. }) if *done > 20_000_000);
    page.until(far).await;
    page.ask(Request::CancelLoading);
    let reports = page.until(|report| *report == Report::Cancelled).await;
    let late = |report: &Report| matches!(report, Report::Loading(Loading::Weights { done, .. }) if *done == size);
    assert!(!reports.iter().any(|(report, _)| late(report)), "it was not fetched to its end");

    // What came is not fetched again: less is left than before, and the rest comes.
    page.ask(load("wide"));
    let left = plan(&page.until(|report| matches!(report, Report::Plan(_))).await).download;
    assert!(left <= size - 16_000_000, "{left} of {size}");
    page.ask(Request::Download);
    let reports = page.end().await;
    let Report::Ready { model, .. } = last(&reports) else { panic!("{:?}", last(&reports)) };
    assert_eq!((&model.keeping, model.end_of_text), (&Keeping::Kept, Some(nucleus_sampler::TokenId(3))));
    page.ask(Request::DeleteKept { source: ModelSource::parse("wide").unwrap() });
    page.until(|report| matches!(report, Report::Kept(_))).await;
}
