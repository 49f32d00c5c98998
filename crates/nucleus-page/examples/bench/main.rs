//! The page with which Nucleus takes part in the comparison with other engines: no text box and no charts, but the same worker,
//! the same protocol and all of the engine's work for a token, greedily.
//!
//! `cargo xtask bench peers` builds it and puts `tests/peers/pages/nucleus.html` around it, which makes of the two functions here
//! what the comparison asks of every engine: `window.load()` and `window.bench(prompt_ids, new_tokens)`.

#![forbid(unsafe_code)]

mod link;
mod load;
mod run;

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Error, Object, Reflect};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use load::Loaded;

thread_local! {
    /// The page has one model.
    static LOADED: RefCell<Option<Rc<Loaded>>> = const { RefCell::new(None) };
}

/// Starts a worker and loads a model: a name, an id or an address. `device` is `auto`, `cpu` or `webgpu`; `weights` is `f32`,
/// `f16` or `int8`, or nothing: as in the file.
///
/// Resolves to `{ load_ms, device, reason, weights, device_memory, stages: { name: milliseconds } }`.
///
/// # Errors
/// A word that means nothing, and what the engine says.
#[wasm_bindgen]
pub async fn load(model: String, device: String, weights: Option<String>) -> Result<JsValue, JsValue> {
    let (loaded, facts) = load::load(&model, &device, weights.as_deref()).await?;
    LOADED.set(Some(Rc::new(loaded)));
    Ok(facts)
}

/// Writes `new_tokens` tokens after the prompt, always the likeliest.
///
/// Resolves to `{ ttft_ms, decode_ms, tokens }`: from the request to the first token, and from the first token to the last, both
/// when the page hears of them.
///
/// # Errors
/// Where no model is loaded, the ids are not what the tokenizer makes of their text, or the engine fails.
#[wasm_bindgen]
pub async fn bench(prompt_ids: Vec<u32>, new_tokens: u32) -> Result<JsValue, JsValue> {
    let loaded = LOADED.with_borrow(Clone::clone).ok_or_else(|| error("no model is loaded"))?;
    run::run(&loaded, &prompt_ids, new_tokens).await
}

fn error(message: impl ToString) -> JsValue {
    Error::new(&message.to_string()).into()
}

/// A JavaScript object with these fields.
fn object(fields: impl IntoIterator<Item = (&'static str, JsValue)>) -> Result<JsValue, JsValue> {
    let object = Object::new();
    for (name, value) in fields {
        Reflect::set(&object, &name.into(), &value)?;
    }
    Ok(object.into())
}
