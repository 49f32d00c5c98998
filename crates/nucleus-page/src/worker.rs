//! The engine's worker as the page sees it: requests go in, reports come out, and it can die.

use js_sys::{Array, Float32Array, Uint8Array};
use nucleus_session::{Failure, Report, Request};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ErrorEvent, Event, MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::listener::Listener;

/// What comes out of the worker.
pub enum FromWorker {
    /// A report, with the logits `[n_vocab]` if it is about a step.
    Report(Report, Option<Vec<f32>>),
    /// The worker threw.
    Died(String),
}

/// A running worker; dropping it ends it.
pub struct Engine {
    worker: Worker,
    _listeners: [Listener; 3],
}

impl Engine {
    /// Starts the worker's script, relative to the page.
    ///
    /// # Errors
    /// When the browser refuses to start a worker.
    pub fn start(script: &str, receive: impl Fn(FromWorker) + Clone + 'static) -> Result<Self, JsValue> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(script, &options)?;
        let [on_message, on_error, on_garbled] = [receive.clone(), receive.clone(), receive];
        let listeners = [
            Listener::new(&worker, "message", move |event| on_message(read(&event)))?,
            Listener::new(&worker, "error", move |event| on_error(died(&event)))?,
            Listener::new(&worker, "messageerror", move |_| {
                on_garbled(FromWorker::Died("a message from the worker could not be read".to_owned()));
            })?,
        ];
        Ok(Self { worker, _listeners: listeners })
    }

    /// Posts a request: its bytes, or `[bytes, files]` when files travel beside it.
    ///
    /// # Errors
    /// What the browser throws; a request that cannot be written.
    pub fn send(&self, request: &Request, files: Option<&Array>) -> Result<(), JsValue> {
        let bytes = request.encode().map_err(|error| js_sys::Error::new(&error.to_string()))?;
        let bytes = Uint8Array::from(bytes.as_slice());
        match files {
            Some(files) => self.worker.post_message(&Array::of2(&bytes, files)),
            None => self.worker.post_message(&bytes),
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

/// A message is `[report]` or `[report, logits]`: bytes, and a `Float32Array`.
fn read(event: &Event) -> FromWorker {
    let data = event.unchecked_ref::<MessageEvent>().data();
    let Ok(parts) = data.dyn_into::<Array>() else {
        return garbled("a message from the worker is not an array");
    };
    let Ok(bytes) = parts.get(0).dyn_into::<Uint8Array>() else {
        return garbled("a message from the worker has no bytes");
    };
    let logits = parts.get(1).dyn_into::<Float32Array>().ok().map(|logits| logits.to_vec());
    match Report::decode(&bytes.to_vec()) {
        Ok(report) => FromWorker::Report(report, logits),
        Err(error) => garbled(&error.to_string()),
    }
}

fn garbled(message: &str) -> FromWorker {
    failed(Failure::Protocol { message: message.to_owned() })
}

fn failed(failure: Failure) -> FromWorker {
    FromWorker::Report(Report::Failed { run: None, failure }, None)
}

/// Browsers give an `ErrorEvent` for what a script throws, and a bare `Event` when the script cannot be loaded.
fn died(event: &Event) -> FromWorker {
    let message = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).filter(|message| !message.is_empty());
    message.map_or_else(|| failed(Failure::NoEngine), FromWorker::Died)
}
