//! The worker: requests go in, reports come out with the time at which the page heard of them.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

use js_sys::{Array, Float32Array, Uint8Array};
use nucleus_session::{Report, Request};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue};
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::error;

/// A running worker; dropping it ends it.
pub struct Link {
    worker: Worker,
    heard: Rc<Heard>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

/// What was heard and not yet read.
#[derive(Default)]
struct Heard {
    queue: RefCell<VecDeque<(f64, Result<Report, String>)>>,
    waker: RefCell<Option<Waker>>,
}

impl Heard {
    fn push(&self, report: Result<Report, String>) {
        self.queue.borrow_mut().push_back((now(), report));
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

impl Link {
    /// Starts the site's worker.
    pub fn start() -> Result<Self, JsValue> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options("worker.js", &options)?;
        let heard = Rc::<Heard>::default();
        let [messages, errors] = [Rc::clone(&heard), Rc::clone(&heard)];
        let on_message = Closure::new(move |event: MessageEvent| messages.push(read(&event.data())));
        let on_error = Closure::new(move |event: ErrorEvent| errors.push(Err(event.message())));
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Self { worker, heard, _on_message: on_message, _on_error: on_error })
    }

    pub fn send(&self, request: &Request) -> Result<(), JsValue> {
        let bytes = request.encode().map_err(error)?;
        self.worker.post_message(&Uint8Array::from(bytes.as_slice()))
    }

    /// The next report and when the page heard of it, milliseconds on the page's clock. A failure is an error.
    pub async fn next(&self) -> Result<(f64, Report), JsValue> {
        let next = poll_fn(|context| match self.heard.queue.borrow_mut().pop_front() {
            Some(next) => Poll::Ready(next),
            None => {
                self.heard.waker.replace(Some(context.waker().clone()));
                Poll::Pending
            }
        });
        match next.await {
            (_, Ok(Report::Failed { failure, .. })) => Err(error(failure)),
            (heard, report) => Ok((heard, report.map_err(error)?)),
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

/// Milliseconds since the page was opened.
pub fn now() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(f64::NAN, |performance| performance.now())
}

/// A message is `[report]` or `[report, logits]`; the logits are taken into this module, as the page takes them.
fn read(data: &JsValue) -> Result<Report, String> {
    let parts = data.dyn_ref::<Array>().ok_or("a message from the worker is not an array")?;
    let bytes = parts.get(0).dyn_into::<Uint8Array>().map_err(|_| "a message from the worker has no bytes")?;
    let report = Report::decode(&bytes.to_vec()).map_err(|error| error.to_string());
    if let Ok(logits) = parts.get(1).dyn_into::<Float32Array>() {
        std::hint::black_box(logits.to_vec());
    }
    report
}
