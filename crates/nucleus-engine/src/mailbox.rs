//! The only place that posts to the page.

use std::rc::Rc;

use js_sys::{Array, Float32Array, Uint8Array};
use nucleus_session::{Failure, Report};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, console};

/// Where reports go: the page, or a test that listens.
#[derive(Clone)]
pub struct Outbox(Rc<dyn Fn(Report, Option<Vec<f32>>)>);

impl Outbox {
    /// Reports go to `receive`, those of steps with the logits `[n_vocab]` they were drawn from.
    pub fn new(receive: impl Fn(Report, Option<Vec<f32>>) + 'static) -> Self {
        Self(Rc::new(receive))
    }

    /// Reports go to the page that started this worker.
    #[must_use]
    pub fn page() -> Self {
        Self::new(|report, logits| post(&report, logits.as_deref()))
    }

    pub(crate) fn send(&self, report: Report) {
        self.0(report, None);
    }

    pub(crate) fn send_with_logits(&self, report: Report, logits: Vec<f32>) {
        self.0(report, Some(logits));
    }
}

/// Posts `[bytes]`, or `[bytes, logits]`. The buffers are transferred: they are copied once, out of wasm's memory.
pub(crate) fn post(report: &Report, logits: Option<&[f32]>) {
    match report.encode() {
        Ok(bytes) => post_bytes(&bytes, logits),
        Err(error) => {
            let failure = Failure::Protocol { message: error.to_string() };
            console::error_1(&JsValue::from_str(&failure.to_string()));
            if let Ok(bytes) = (Report::Failed { run: None, failure }).encode() {
                post_bytes(&bytes, None);
            }
        }
    }
}

fn post_bytes(bytes: &[u8], logits: Option<&[f32]>) {
    let bytes = Uint8Array::from(bytes);
    let (message, buffers) = (Array::of1(&bytes), Array::of1(&bytes.buffer()));
    if let Some(logits) = logits {
        let logits = Float32Array::from(logits);
        message.push(&logits);
        buffers.push(&logits.buffer());
    }
    let page = js_sys::global().unchecked_into::<DedicatedWorkerGlobalScope>();
    if let Err(error) = page.post_message_with_transfer(&message, &buffers) {
        console::error_1(&error);
    }
}
