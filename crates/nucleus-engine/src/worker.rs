//! What the worker listens to. The only place that makes closures for the browser.

use std::panic::PanicHookInfo;
use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use nucleus_session::{Failure, Loading, Report, Request};
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, EventTarget, File, MessageEvent, PromiseRejectionEvent};

use crate::constructors;
use crate::engine::Engine;
use crate::inbox::Inbox;
use crate::js;
use crate::mailbox::{self, Outbox};

/// Makes this worker the engine: from now on it answers the page, and says so with [`Loading::Starting`].
///
/// `early` are the messages that came before, while the module was on its way: browsers deliver them as soon as the
/// worker's script waits for something, and drop them if nobody listens.
#[wasm_bindgen]
pub fn start(early: &Array) {
    constructors::run();
    std::panic::set_hook(Box::new(panicked));
    let inbox = Rc::new(Inbox::new());
    let engine = Engine::new(Rc::clone(&inbox), Outbox::page());
    mailbox::post(&Report::Loading(Loading::Starting), None);
    early.iter().for_each(|data| receive(&inbox, &data));
    js_sys::global().unchecked_into::<DedicatedWorkerGlobalScope>().set_onmessage(None);
    listen("message", move |event: MessageEvent| receive(&inbox, &event.data()));
    listen("unhandledrejection", |event: PromiseRejectionEvent| rejected(&event.reason()));
    spawn_local(engine.serve());
}

/// Reads a message: the bytes of a request or, where files belong to it, an array of the bytes and an array of the files.
fn receive(inbox: &Inbox, data: &JsValue) {
    let (bytes, files) = match data.dyn_ref::<Array>() {
        Some(parts) => (parts.get(0), files(&parts.get(1))),
        None => (data.clone(), Vec::new()),
    };
    let request = match bytes.dyn_ref::<Uint8Array>() {
        Some(bytes) => Request::decode(&bytes.to_vec()).map_err(|error| error.to_string()),
        None => Err("a message is not a Uint8Array".into()),
    };
    match request {
        Ok(request) => inbox.push_with_files(request, files),
        Err(message) => fail(Failure::Protocol { message }),
    }
}

fn files(list: &JsValue) -> Vec<File> {
    list.dyn_ref::<Array>().map_or_else(Vec::new, |list| list.iter().filter_map(|file| file.dyn_into().ok()).collect())
}

/// A panic ends this instance of the module: the page must hear of it now, and the console may say more.
fn panicked(info: &PanicHookInfo<'_>) {
    let place = info.location().map_or_else(String::new, |place| {
        let file = place.file().rsplit('/').next().unwrap_or_default();
        format!(", at {file}:{}", place.line())
    });
    trapped(format!("{}{place}", info.payload_as_str().unwrap_or("panic without a message")));
    console_error_panic_hook::hook(info);
}

/// The page hears of a trap by itself when it happens in an event or a task, but not when it happens in a promise.
fn rejected(reason: &JsValue) {
    // The second is what browsers throw when the stack is full.
    if reason.is_instance_of::<js_sys::WebAssembly::RuntimeError>() || reason.is_instance_of::<js_sys::RangeError>() {
        trapped(js::message(reason));
    }
}

fn trapped(message: String) {
    fail(Failure::Trap { message });
}

fn fail(failure: Failure) {
    mailbox::post(&Report::Failed { run: None, failure }, None);
}

/// Listens for as long as the worker lives.
fn listen<E: wasm_bindgen::convert::FromWasmAbi + JsCast + 'static>(name: &str, heard: impl FnMut(E) + 'static) {
    let closure = Closure::<dyn FnMut(E)>::new(heard);
    let worker = js_sys::global().unchecked_into::<EventTarget>();
    // Only a listener that is not a function could be refused.
    let _ = worker.add_event_listener_with_callback(name, closure.as_ref().unchecked_ref());
    closure.forget();
}
