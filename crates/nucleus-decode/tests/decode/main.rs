//! The decoding loop on canned models: what it asks of them, what it draws, and when it stops.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod bigram;
#[path = "../canned/mod.rs"]
mod canned;
mod draws;
mod errors;
mod perplexity;
mod script;
mod stop_strings;
mod stops;
mod window;
