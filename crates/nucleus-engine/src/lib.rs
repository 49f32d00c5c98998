//! The worker: it chooses a device, loads a model and generates, and speaks only the protocol of `nucleus_session`.
//!
//! Everything happens in one task, [`Engine::serve`], that takes requests from an [`Inbox`] one after the other and
//! answers through an [`Outbox`]. The worker's `onmessage` only fills the inbox. A long job looks into the inbox between
//! two tokens or two chunks of a download, and gives way when a newer request is there.
//!
//! * [`start`]: what `worker.js` calls.
//! * [`device`]: which device, and why; a pure decision over what was found in the browser.
//! * [`selftest`]: a tiny model with known logits, before anything large is fetched.
//! * [`fetch`]: bytes over HTTP, and names for what they are when they are not what was asked for.
//!
//! Weights are never in memory as a whole: they go from the network, from the reader's disk or from what is kept in the
//! browser to the device in blocks of 4 MB.
//!
//! The crate compiles natively too, for its pure tests, which the browser runs as well; only a browser can run the rest.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking"))]

pub mod device;
pub mod fetch;
pub mod selftest;

mod clock;
mod constraint;
mod constructors;
mod decode;
mod disk;
mod engine;
mod halt;
mod housekeeping;
mod inbox;
mod js;
mod load;
mod mailbox;
mod run;
mod store;
mod worker;

pub use engine::Engine;
pub use halt::Halt;
pub use inbox::Inbox;
pub use mailbox::Outbox;
pub use worker::start;

#[cfg(all(test, target_family = "wasm"))]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_dedicated_worker);
