//! Several rows at once on canned models: the padded grid, batches, and continuous batching.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part of the canned model")]

#[path = "../canned/mod.rs"]
mod canned;
mod common;
mod errors;
mod grid;
mod laws;
mod rows;
mod slot_laws;
mod slots;
mod timeline;
