//! The engine on the CPU, in a worker: parity with Hugging Face, the protocol, and what goes wrong.
#![cfg(target_family = "wasm")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod broken;
#[path = "../common/mod.rs"]
mod common;
mod keeping;
mod loading;
mod model;
mod runs;
mod sources;
mod strategies;
mod transfers;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_dedicated_worker);
