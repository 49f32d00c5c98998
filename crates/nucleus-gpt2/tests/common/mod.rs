//! What the integration tests share.
#![allow(dead_code, reason = "each test file uses a part")]

pub mod rows;
pub mod tiny;

use std::path::Path;

use burn::tensor::Device;
use nucleus_gpt2::{Config, Gpt2};

/// A file of `www/models`.
pub fn model_file(model: &str, file: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../www/models").join(model).join(file);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The configuration of a model of `www/models`.
pub fn config(model: &str) -> Config {
    Config::from_json(&model_file(model, "config.json")).unwrap()
}

/// A model of `www/models` on the CPU.
pub fn load(model: &str) -> Gpt2 {
    Gpt2::from_safetensors(&config(model), &model_file(model, "model.safetensors"), &Device::flex()).unwrap()
}

/// Runs a future to its end: on the CPU every one is ready at once.
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    burn::tensor::read_sync(future)
}
