//! Reading JavaScript objects for which there are no typed bindings: web-sys keeps WebGPU behind an unstable flag.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// A property; `undefined` where there is none, or where the object is none.
pub(crate) fn get(object: &JsValue, key: &str) -> JsValue {
    Reflect::get(object, &JsValue::from_str(key)).unwrap_or(JsValue::UNDEFINED)
}

/// A property that is text; empty where it is not.
pub(crate) fn text(object: &JsValue, key: &str) -> String {
    get(object, key).as_string().unwrap_or_default()
}

/// Whether a property is true in JavaScript's sense.
pub(crate) fn flag(object: &JsValue, key: &str) -> bool {
    get(object, key).is_truthy()
}

/// Calls `object.method(argument)`.
///
/// # Errors
/// What JavaScript threw.
pub(crate) fn call(object: &JsValue, method: &str, argument: &JsValue) -> Result<JsValue, JsValue> {
    get(object, method).dyn_into::<Function>()?.call1(object, argument)
}

/// Calls `object.method(argument)` and waits for what it promises.
///
/// # Errors
/// What JavaScript threw, or the promise was rejected with.
pub(crate) async fn call_async(object: &JsValue, method: &str, argument: &JsValue) -> Result<JsValue, JsValue> {
    let promise = call(object, method, argument)?;
    JsFuture::from(Promise::resolve(&promise)).await
}

/// What an error says: its `message`, or itself as text.
pub(crate) fn message(error: &JsValue) -> String {
    let said = text(error, "message");
    if said.is_empty() { error.as_string().unwrap_or_else(|| format!("{error:?}")) } else { said }
}
