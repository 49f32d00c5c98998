//! Constraints: what the subset of JSON Schema and regular expressions allow, what is refused, and that every run ends
//! with a text that satisfies them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../canned/mod.rs"]
#[allow(dead_code, reason = "each test uses a part of the canned model")]
mod canned;
mod forms;
mod laws;
mod refused;
mod runs;
mod tokens;
mod valid;
mod walk;
