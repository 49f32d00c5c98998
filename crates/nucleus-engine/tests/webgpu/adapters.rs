//! What the browser offers, and what it might offer.

use js_sys::{Function, Object, Promise, Reflect};
use nucleus_engine::device::{LIMITS, NoAdapter, decide, probe};
use nucleus_session::{DeviceKind, DevicePreference, DeviceReason};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::{console_log, wasm_bindgen_test};

/// Puts `gpu` in the place of `navigator.gpu` until it is dropped.
struct Replaced;

impl Replaced {
    fn by(gpu: &JsValue) -> Self {
        let descriptor = object(&[("value", gpu.clone()), ("configurable", JsValue::TRUE)]);
        Reflect::define_property(&navigator(), &"gpu".into(), descriptor.unchecked_ref()).unwrap();
        Self
    }
}

impl Drop for Replaced {
    fn drop(&mut self) {
        Reflect::delete_property(&navigator(), &"gpu".into()).unwrap();
    }
}

fn navigator() -> Object {
    Reflect::get(&js_sys::global(), &"navigator".into()).unwrap().unchecked_into()
}

fn object(entries: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (key, value) in entries {
        Reflect::set(&object, &(*key).into(), value).unwrap();
    }
    object.into()
}

/// A function that promises `Ok`'s value, or rejects with `Err`'s message.
fn promises(result: Result<JsValue, &'static str>) -> JsValue {
    let answer = move || match &result {
        Ok(value) => Promise::resolve(value),
        Err(message) => Promise::reject(&js_sys::Error::new(message).into()),
    };
    Closure::<dyn Fn() -> Promise>::new(answer).into_js_value()
}

/// An adapter with all that is needed, whose device is as given.
fn card(device: Result<JsValue, &'static str>) -> JsValue {
    let limits: Vec<(&str, JsValue)> =
        LIMITS.iter().map(|(name, value)| (*name, JsValue::from_f64(*value as f64))).collect();
    let features: Function = Function::new_no_args("return new Set(['timestamp-query'])");
    object(&[
        ("info", object(&[("vendor", "acme".into()), ("architecture", "rocket".into())])),
        ("features", features.call0(&JsValue::NULL).unwrap()),
        ("limits", object(&limits)),
        ("requestDevice", promises(device)),
    ])
}

#[wasm_bindgen_test]
async fn the_software_adapter_is_found_and_recognised() {
    let found = probe().await;
    let adapter = found.adapter.as_ref().unwrap();
    console_log!("{found:?}");
    assert!(found.secure && adapter.is_software() && adapter.has_feature, "{found:?}");
    assert_eq!(adapter.opens, Ok(()));
    assert!(adapter.max_tensor_bytes() >= 128 << 20);
    assert_eq!(decide(DevicePreference::Auto, &found).reason, DeviceReason::SoftwareAdapter);
    let forced = decide(DevicePreference::WebGpu, &found);
    assert_eq!((forced.kind, forced.software), (DeviceKind::WebGpu, true));
    assert!(forced.adapter.to_lowercase().contains("swiftshader"), "{}", forced.adapter);
}

/// CASE 30, as the browser shows it.
#[wasm_bindgen_test]
async fn a_browser_that_gives_nothing_is_told_apart() {
    let none = Replaced::by(&JsValue::UNDEFINED);
    assert_eq!(probe().await.adapter, Err(NoAdapter::NoWebGpu));
    drop(none);
    let null = Replaced::by(&object(&[("requestAdapter", promises(Ok(JsValue::NULL)))]));
    assert_eq!(probe().await.adapter, Err(NoAdapter::Null));
    drop(null);
    let rejected = Replaced::by(&object(&[("requestAdapter", promises(Err("out of adapters")))]));
    assert_eq!(probe().await.adapter, Err(NoAdapter::Rejected("requestAdapter: out of adapters".into())));
    drop(rejected);
    let locked = Replaced::by(&object(&[("requestAdapter", promises(Ok(card(Err("out of luck")))))]));
    let reason = decide(DevicePreference::Auto, &probe().await).reason;
    assert_eq!(reason, DeviceReason::DeviceRejected { message: "out of luck".into() });
    drop(locked);
    assert!(probe().await.adapter.is_ok());
}

#[wasm_bindgen_test]
async fn a_real_adapter_is_taken_with_its_name() {
    let device = object(&[("destroy", Function::new_no_args("").into())]);
    let _card = Replaced::by(&object(&[("requestAdapter", promises(Ok(card(Ok(device)))))]));
    let report = decide(DevicePreference::Auto, &probe().await);
    assert_eq!((report.kind, report.reason, report.software), (DeviceKind::WebGpu, DeviceReason::Adapter, false));
    assert_eq!(report.adapter, "acme rocket");
}
