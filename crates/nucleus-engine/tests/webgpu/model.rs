//! The model on burn's WebGPU runtime. The runtime can be opened once in a page's life, so all tests share it.

use std::cell::RefCell;

use nucleus_decode::LanguageModel;
use nucleus_engine::device::{Chosen, Devices};
use nucleus_engine::selftest::{self, SelfTestError};
use nucleus_gpt2::parity::{Extent, compare};
use nucleus_gpt2::{Config, Device, Gpt2};
use nucleus_sampler::TokenId;
use nucleus_session::{DeviceKind, DevicePreference};
use wasm_bindgen_test::{console_log, wasm_bindgen_test};

use crate::common::{file, fixture};

thread_local! {
    static OPEN: RefCell<Option<Chosen>> = const { RefCell::new(None) };
}

async fn webgpu() -> Device {
    if let Some(chosen) = OPEN.with_borrow(Option::clone) {
        return chosen.device;
    }
    let chosen = Devices::default().choose(DevicePreference::WebGpu).await;
    assert_eq!(chosen.report.kind, DeviceKind::WebGpu, "{}", chosen.report.reason);
    OPEN.replace(Some(chosen.clone()));
    chosen.device
}

fn tiny(device: &Device) -> Gpt2 {
    let config = Config::from_json(file("models/gpt2-tiny-random/config.json")).unwrap();
    Gpt2::from_safetensors(&config, file("models/gpt2-tiny-random/model.safetensors"), device).unwrap()
}

#[wasm_bindgen_test]
async fn the_tiny_model_agrees_with_transformers() {
    let mut model = tiny(&webgpu().await);
    let extent = Extent { prompts: 1, new_tokens: 4, window: false };
    let report = compare(&mut model, file("models/gpt2-tiny-random/reference.json"), extent).await.unwrap();
    console_log!("{report:?}");
    assert_eq!((report.prompts, report.greedy_tokens), (1, 4));
}

/// CASE 27: whatever makes a kernel's result wrong shows here, before a model is loaded.
#[wasm_bindgen_test]
async fn the_self_test_passes_and_notices_one_wrong_weight() {
    let device = webgpu().await;
    let difference = selftest::check(&fixture(), &device).await.unwrap();
    console_log!("largest difference of a logit: {difference:.2e}");
    let mut broken = fixture();
    let end = broken.weights.len();
    broken.weights[end - 2..].copy_from_slice(&[0x80, 0x43]);
    assert!(matches!(selftest::check(&broken, &device).await, Err(SelfTestError::Mismatch { .. })));
}

/// CASE 34, the graphics side: the pool that tensors come from is the same after each round of the same work.
#[wasm_bindgen_test]
async fn repeated_runs_leave_the_pool_flat() {
    let device = webgpu().await;
    let mut model = tiny(&device);
    let mut usages = Vec::new();
    for _ in 0..5 {
        model.prefill(&[TokenId(46), TokenId(77)]).await.unwrap();
        for id in [317, 264, 236] {
            model.step(TokenId(id)).await.unwrap();
        }
        usages.push(device.memory_pool_usage().unwrap());
    }
    console_log!("{usages:?}");
    assert!(usages[1].bytes_in_use > 0);
    assert!(usages[1..].iter().all(|usage| *usage == usages[1]), "{usages:?}");
}
