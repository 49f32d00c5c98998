//! The model on burn's WebGPU runtime. The runtime can be opened once in a page's life, so all tests share it.

use std::cell::RefCell;

use nucleus_decode::LanguageModel;
use nucleus_engine::device::{Chosen, Devices};
use nucleus_engine::selftest::{self, SelfTestError};
use nucleus_gpt2::parity::{Extent, Report, compare_within, tolerance};
use nucleus_gpt2::{Config, Gpt2, LoadOptions, WeightFormat, Workgroups};
use nucleus_sampler::TokenId;
use nucleus_session::{DeviceKind, DevicePreference};
use wasm_bindgen_test::{console_log, wasm_bindgen_test};

use crate::common::{file, fixture};

thread_local! {
    static OPEN: RefCell<Option<Chosen>> = const { RefCell::new(None) };
}

async fn webgpu() -> Chosen {
    if let Some(chosen) = OPEN.with_borrow(Option::clone) {
        return chosen;
    }
    let chosen = Devices::default().choose(DevicePreference::WebGpu).await;
    assert_eq!(chosen.report.kind, DeviceKind::WebGpu, "{}", chosen.report.reason);
    OPEN.replace(Some(chosen.clone()));
    chosen
}

/// The model in `folder`, held and computed as `options` say.
async fn load(folder: &str, options: &LoadOptions) -> Gpt2 {
    let config = Config::from_json(file(&format!("models/{folder}/config.json"))).unwrap();
    let weights = file(&format!("models/{folder}/model.safetensors"));
    Gpt2::from_safetensors_with(&config, weights, &webgpu().await.device, options).unwrap()
}

async fn parity(folder: &str, options: LoadOptions, extent: Extent) -> Report {
    let mut model = load(folder, &options).await;
    let reference = file(&format!("models/{folder}/reference.json"));
    let report = compare_within(&mut model, reference, extent, tolerance(options.weights)).await.unwrap();
    console_log!("{folder} {options:?}: {report:?}");
    report
}

#[wasm_bindgen_test]
async fn both_models_agree_with_transformers() {
    let options = webgpu().await.options();
    for (folder, expected) in [("gpt2-tiny-random", (90, 103, 18)), ("tales", (150, 166, 18))] {
        let report = parity(folder, options, Extent::ALL).await;
        assert_eq!((report.greedy_tokens, report.batch_tokens, report.beams), expected);
    }
}

/// The shape for graphics processors, in which threads wait for each other: slow on this adapter, and right.
#[wasm_bindgen_test]
async fn kernels_of_the_other_shape_agree_with_transformers() {
    let options = LoadOptions { workgroups: Workgroups::Tiled, ..webgpu().await.options() };
    let extent = Extent { prompts: 1, new_tokens: 4, beams: 0, window: false };
    assert_eq!(parity("gpt2-tiny-random", options, extent).await.greedy_tokens, 4);
}

/// burn's operations, which compute what the kernels are not written for.
#[wasm_bindgen_test]
async fn burns_operations_agree_with_transformers() {
    let options = LoadOptions { own_kernels: false, ..webgpu().await.options() };
    let extent = Extent { prompts: 1, new_tokens: 4, beams: 0, window: false };
    assert_eq!(parity("gpt2-tiny-random", options, extent).await.greedy_tokens, 4);
}

#[wasm_bindgen_test]
async fn packed_weights_stay_within_their_tolerances() {
    for weights in [WeightFormat::F16, WeightFormat::Int8] {
        let options = LoadOptions { weights, ..webgpu().await.options() };
        parity("gpt2-tiny-random", options, Extent { new_tokens: 10, ..Extent::ALL }).await;
    }
}

/// Same kernels, same device: the same bits.
#[wasm_bindgen_test]
async fn two_runs_give_the_same_bits() {
    let options = webgpu().await.options();
    let mut runs = Vec::new();
    for _ in 0..2 {
        let mut model = load("gpt2-tiny-random", &options).await;
        let mut logits = model.prefill(&[TokenId(46), TokenId(77), TokenId(3)]).await.unwrap();
        logits.extend(model.step(TokenId(317)).await.unwrap());
        runs.push(logits.into_iter().map(f32::to_bits).collect::<Vec<_>>());
    }
    assert_eq!(runs[0], runs[1]);
}

/// CASE 27: whatever makes a kernel's result wrong shows here, before a model is loaded.
#[wasm_bindgen_test]
async fn the_self_test_passes_and_notices_one_wrong_weight() {
    let chosen = webgpu().await;
    let (device, options) = (&chosen.device, chosen.options());
    let difference = selftest::check(&fixture(), device, &options).await.unwrap();
    console_log!("largest difference of a logit: {difference:.2e}");
    let mut broken = fixture();
    let end = broken.weights.len();
    broken.weights[end - 2..].copy_from_slice(&[0x80, 0x43]);
    assert!(matches!(selftest::check(&broken, device, &options).await, Err(SelfTestError::Mismatch { .. })));
}

/// CASE 34, the graphics side: the pool that tensors come from is the same after each of fifty generations of 64 tokens.
#[wasm_bindgen_test]
async fn fifty_generations_leave_the_pool_flat() {
    let chosen = webgpu().await;
    let mut model = load("gpt2-tiny-random", &chosen.options()).await;
    let mut usages = Vec::new();
    for _ in 0..50 {
        model.prefill(&[TokenId(46)]).await.unwrap();
        for id in 0..63 {
            model.step(TokenId(id)).await.unwrap();
        }
        usages.push(chosen.device.memory_pool_usage().unwrap());
    }
    console_log!("{:?} to {:?}", usages[1], usages[49]);
    assert!(usages[1].bytes_in_use > 0);
    for usage in &usages[2..] {
        assert_eq!((usage.bytes_in_use, usage.bytes_reserved), (usages[1].bytes_in_use, usages[1].bytes_reserved));
    }
}
