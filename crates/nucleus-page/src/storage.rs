//! Whether the browser keeps what is stored here when it runs short of room.

use nucleus_session::Persistence;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::Window;

/// Asks the browser to keep it or, with `only_look`, whether it does. Some ask the reader before they answer.
pub async fn persistence(window: &Window, only_look: bool) -> Persistence {
    match ask(window, only_look).await {
        Ok(true) => Persistence::Granted,
        // A browser that does not promise unasked may do so when it is asked.
        Ok(false) if only_look => Persistence::Unknown,
        Ok(false) => Persistence::Refused,
        Err(_) => Persistence::Unavailable,
    }
}

async fn ask(window: &Window, only_look: bool) -> Result<bool, JsValue> {
    let storage = window.navigator().storage();
    let answer = if only_look { storage.persisted()? } else { storage.persist()? };
    Ok(JsFuture::from(answer).await?.is_truthy())
}
