//! WebGPU in a worker. The adapter here is software: right, but slow, so a few tokens of the tiny model must do.
#![cfg(target_family = "wasm")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod adapters;
#[path = "../common/mod.rs"]
mod common;
mod model;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_dedicated_worker);
