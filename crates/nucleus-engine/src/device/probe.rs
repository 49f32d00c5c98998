//! Looking at the browser's WebGPU without opening burn's runtime.

use js_sys::{Array, Object, Reflect};
use wasm_bindgen::JsValue;

use super::{Adapter, FEATURE, LIMITS, NoAdapter, Probe};
use crate::js;

/// Asks the browser for an adapter as burn will ask for it, and tries to open it.
pub async fn probe() -> Probe {
    let global = js_sys::global();
    let gpu = js::get(&js::get(&global, "navigator"), "gpu");
    let secure = js::flag(&global, "isSecureContext");
    let adapter = if gpu.is_object() { adapter(&gpu).await } else { Err(NoAdapter::NoWebGpu) };
    Probe { secure, adapter }
}

async fn adapter(gpu: &JsValue) -> Result<Adapter, NoAdapter> {
    let options = object(&[("powerPreference", JsValue::from_str("high-performance"))]);
    let answer = js::call_async(gpu, "requestAdapter", &options).await;
    let adapter = answer.map_err(|error| NoAdapter::Rejected(format!("requestAdapter: {}", js::message(&error))))?;
    if !adapter.is_object() {
        return Err(NoAdapter::Null);
    }
    let info = js::get(&adapter, "info");
    let features = js::get(&adapter, "features");
    let has_feature = js::call(&features, "has", &JsValue::from_str(FEATURE)).is_ok_and(|has| has.is_truthy());
    let limits = js::get(&adapter, "limits");
    Ok(Adapter {
        name: name(&info),
        // The flag moved from the adapter to its info in 2024; older browsers have it in the old place.
        fallback: js::flag(&info, "isFallbackAdapter") || js::flag(&adapter, "isFallbackAdapter"),
        has_feature,
        limits: LIMITS.map(|(name, _)| js::get(&limits, name).as_f64().unwrap_or(0.0) as u64),
        opens: opens(&adapter, &features, &limits).await,
    })
}

/// Opens a device with the features and the limits that the adapter has, as burn's runtime does, and closes it again.
async fn opens(adapter: &JsValue, features: &JsValue, limits: &JsValue) -> Result<(), String> {
    let wanted: Vec<(&str, JsValue)> = LIMITS.iter().map(|(name, _)| (*name, js::get(limits, name))).collect();
    let descriptor = object(&[("requiredFeatures", Array::from(features).into()), ("requiredLimits", object(&wanted))]);
    let device = js::call_async(adapter, "requestDevice", &descriptor).await.map_err(|error| js::message(&error))?;
    // A device that cannot be closed is the browser's to collect.
    let _ = js::call(&device, "destroy", &JsValue::UNDEFINED);
    Ok(())
}

/// What the browser tells of vendor, architecture and product, without repetition.
fn name(info: &JsValue) -> String {
    let mut words: Vec<String> = Vec::new();
    for key in ["vendor", "architecture", "device", "description"] {
        let word = js::text(info, key);
        if !word.is_empty() && !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(" ")
}

fn object(entries: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (key, value) in entries {
        // Setting a property of a plain object cannot fail.
        let _ = Reflect::set(&object, &JsValue::from_str(key), value);
    }
    object.into()
}
