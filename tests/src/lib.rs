//! Tests of the whole: vectors, parity, replay, layering, browser, end to end.
//!
//! The library is what they share: with the feature `e2e`, a browser on a stage and the page as its reader sees it, and
//! [`peers`], which measures the engine beside others.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking"))]

#[cfg(feature = "e2e")]
pub mod e2e;
#[cfg(feature = "e2e")]
pub mod peers;
pub mod recorder;
