//! CASE 32: the graphics device is lost in the middle of a run. In a worker of its own, since nothing runs on it after.
#![cfg(target_family = "wasm")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../common/mod.rs"]
mod common;

use common::{Page, Server, failure, greedy};
use js_sys::Function;
use nucleus_session::{DevicePreference, Failure, ModelSource, Report, Request};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

/// Keeps every device that is opened from now on, so that a test can take it away.
const KEEP_DEVICES: &str = "
    self.devices = [];
    const original = GPUAdapter.prototype.requestDevice;
    GPUAdapter.prototype.requestDevice = async function (...options) {
        const device = await original.apply(this, options);
        self.devices.push(device);
        return device;
    };";

fn run(script: &str) {
    Function::new_no_args(script).call0(&JsValue::NULL).unwrap();
}

#[wasm_bindgen_test]
async fn a_lost_device_ends_the_run_with_a_message_and_not_with_a_trap() {
    run(KEEP_DEVICES);
    Server::start();
    let page = Page::ready(Request::Load {
        source: ModelSource::parse("gpt2-tiny-random").unwrap(),
        device: DevicePreference::WebGpu,
        weights: None,
    })
    .await;
    page.ask(Request::Generate(greedy(1, "Once", 30)));
    page.until(|report| matches!(report, Report::Step { .. })).await;
    run("self.devices.forEach((device) => device.destroy())");
    let reports = page.end().await;
    assert!(matches!(failure(&reports), Failure::DeviceLost { .. }), "{:?}", failure(&reports));
}
