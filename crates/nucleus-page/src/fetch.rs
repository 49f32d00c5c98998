//! Small files from beside the page: the list of recordings and the recordings.

use js_sys::Uint8Array;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Response, Window};

/// The bytes of a file, or a sentence that names it and says what came instead.
pub async fn bytes(window: &Window, url: &str) -> Result<Vec<u8>, String> {
    let failed = |error: JsValue| format!("{url} could not be fetched: {}", message(&error));
    let response: Response = JsFuture::from(window.fetch_with_str(url)).await.map_err(failed)?.unchecked_into();
    if !response.ok() {
        return Err(format!("{url} could not be fetched: the server answered with status {}", response.status()));
    }
    let buffer = JsFuture::from(response.array_buffer().map_err(failed)?).await.map_err(failed)?;
    Ok(Uint8Array::new(&buffer).to_vec())
}

/// What a thrown value says of itself.
pub fn message(thrown: &JsValue) -> String {
    match thrown.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => thrown.as_string().unwrap_or_else(|| format!("{thrown:?}")),
    }
}
