//! Self-consistency: samples that do not depend on their number, answers found in texts, and the vote.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod answers;
#[allow(dead_code, reason = "each test crate uses a part of the canned model")]
#[path = "../canned/mod.rs"]
mod canned;
mod samples;
mod tally;
