//! The model itself: parity, and the self-test.

use nucleus_engine::selftest::{self, SelfTestError};
use nucleus_gpt2::parity::{Extent, compare};
use nucleus_gpt2::{Config, Device, Gpt2, LoadOptions};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::common::{file, fixture};

#[wasm_bindgen_test]
async fn both_models_agree_with_transformers() {
    for (folder, new_tokens) in [("models/gpt2-tiny-random/", 90), ("models/tales/", 150)] {
        let config = Config::from_json(file(&format!("{folder}config.json"))).unwrap();
        let weights = file(&format!("{folder}model.safetensors"));
        let mut model = Gpt2::from_safetensors(&config, weights, &Device::flex()).unwrap();
        let report = compare(&mut model, file(&format!("{folder}reference.json")), Extent::ALL).await.unwrap();
        assert_eq!(report.greedy_tokens, new_tokens);
    }
}

#[wasm_bindgen_test]
async fn the_self_test_passes_and_notices_one_wrong_weight() {
    let difference = selftest::check(&fixture(), &Device::flex(), &LoadOptions::default()).await.unwrap();
    assert!(difference < selftest::TOLERANCE / 20.0, "{difference}");
    let mut broken = fixture();
    let end = broken.weights.len();
    broken.weights[end - 2..].copy_from_slice(&[0x80, 0x43]);
    assert!(matches!(
        selftest::check(&broken, &Device::flex(), &LoadOptions::default()).await,
        Err(SelfTestError::Mismatch { .. })
    ));
}
