//! The body of an answer, part by part.

use js_sys::Uint8Array;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{ReadableStreamDefaultReader, Response};

use crate::js;

/// What comes next of a body.
#[derive(Debug)]
pub(crate) enum Next {
    /// Some bytes.
    Part(Uint8Array),
    /// The server sent all that it wanted to.
    End,
    /// The connection broke.
    Broken,
}

/// The reader of a body; none where there is no body.
pub(crate) fn of(response: &Response) -> Option<ReadableStreamDefaultReader> {
    response.body().map(|body| body.get_reader().unchecked_into())
}

/// Waits for the next bytes.
pub(crate) async fn next(reader: &ReadableStreamDefaultReader) -> Next {
    match JsFuture::from(reader.read()).await {
        Err(_) => Next::Broken,
        Ok(part) if js::flag(&part, "done") => Next::End,
        Ok(part) => Next::Part(js::get(&part, "value").unchecked_into()),
    }
}

/// Lets the connection go.
pub(crate) fn cancel(reader: &ReadableStreamDefaultReader) {
    let cancelled = JsFuture::from(reader.cancel());
    // Nobody waits for it, but somebody has to take an error, or the browser reports it as a rejected promise.
    spawn_local(async move { drop(cancelled.await) });
}
