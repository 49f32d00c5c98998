//! Files that are broken or of another kind are refused with the reason, and never crash; odd but sound ones are read.

#![cfg(not(target_family = "wasm"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod changed;
mod laws;
mod read;
mod refused;

const TINY: &[u8] = include_bytes!("../../../../www/models/gpt2-tiny-random/tokenizer.json");
const END: &str = "<|endoftext|>";
