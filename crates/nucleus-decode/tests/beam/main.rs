//! Beam search on canned models: what it finds, what it considers, and when it stops.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[allow(dead_code, reason = "each test crate uses a part of the canned model")]
#[path = "../canned/mod.rs"]
mod canned;
mod laws;
mod limits;
mod search;
mod worked;
