//! What the browser tests share: a server inside the worker, and a page that only listens.
#![allow(dead_code, unused_imports, reason = "each test file uses a part")]

mod page;
mod server;

use js_sys::{Function, Promise, Reflect};
use nucleus_engine::selftest::Fixture;
use nucleus_sampler::{Settings, Temperature, TokenId};
use nucleus_session::{DevicePreference, Failure, GenerateRequest, ModelSource, Report, Request, RunId};
use wasm_bindgen::{JsCast, JsValue};

pub use page::{Page, Told};
pub use server::{Answer, Body, Server};

macro_rules! files {
    ($folder:literal: $($file:literal),+) => {
        &[$((concat!("models/", $folder, "/", $file), include_bytes!(concat!("../../../../www/models/", $folder, "/", $file)))),+]
    };
}

/// The embedded model's folder.
pub const TALES: &str = "tales";

/// Address and bytes of all files that the server has.
const FILES: [&[(&str, &[u8])]; 2] = [TINY_FILES, TALES_FILES];

const TINY_FILES: &[(&str, &[u8])] =
    files!("gpt2-tiny-random": "config.json", "model.safetensors", "reference.json", "tokenizer.json");

const TALES_FILES: &[(&str, &[u8])] =
    files!("tales": "config.json", "model.safetensors", "reference.json", "tokenizer.json");

/// One of the files above.
pub fn file(address: &str) -> &'static [u8] {
    FILES.into_iter().flatten().find(|(name, _)| *name == address).map(|(_, bytes)| *bytes).unwrap()
}

/// A request to load a model onto the CPU.
pub fn load(model: &str) -> Request {
    Request::Load { source: ModelSource::parse(model).unwrap(), device: DevicePreference::Cpu, weights: None }
}

/// A run at temperature 0.
pub fn greedy(run: u32, prompt: &str, new_tokens: u32) -> GenerateRequest {
    let settings = Settings { temperature: Temperature::ZERO, ..Settings::default() };
    GenerateRequest {
        run: RunId(run),
        prompt: prompt.into(),
        special_tokens: false,
        settings,
        seed: 0,
        new_tokens,
        stop: nucleus_decode::StopStrings::default(),
        script: nucleus_decode::Script::default(),
        constraint: None,
    }
}

/// The tokens of the steps among some reports.
pub fn tokens(reports: &[Told]) -> Vec<TokenId> {
    let token = |(report, _): &Told| {
        if let Report::Step { step, .. } = report { Some(step.token) } else { None }
    };
    reports.iter().filter_map(token).collect()
}

/// The last report.
pub fn last(reports: &[Told]) -> &Report {
    &reports.last().unwrap().0
}

/// What the last report says went wrong.
pub fn failure(reports: &[Told]) -> &Failure {
    let Report::Failed { failure, .. } = last(reports) else { panic!("{:?}", last(reports)) };
    failure
}

/// The self-test's files.
pub fn fixture() -> Fixture {
    let tiny = |name: &str| file(&format!("models/gpt2-tiny-random/{name}")).to_vec();
    Fixture { config: tiny("config.json"), weights: tiny("model.safetensors"), reference: tiny("reference.json") }
}

/// A promise of `value` in some milliseconds, and not before the event loop has run.
fn after(milliseconds: i32, value: JsValue) -> Promise {
    let timer: Function = Reflect::get(&js_sys::global(), &"setTimeout".into()).unwrap().unchecked_into();
    Promise::new(&mut |resolve, _| {
        let give = resolve.bind1(&JsValue::NULL, &value);
        timer.call2(&JsValue::UNDEFINED, &give, &milliseconds.into()).unwrap();
    })
}
