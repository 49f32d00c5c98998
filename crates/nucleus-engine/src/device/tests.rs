#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::*;

fn card() -> Adapter {
    Adapter {
        name: "acme rocket".into(),
        fallback: false,
        has_feature: true,
        limits: LIMITS.map(|(_, needed)| needed),
        opens: Ok(()),
    }
}

fn found(adapter: Adapter) -> Probe {
    Probe { secure: true, adapter: Ok(adapter) }
}

fn nothing(secure: bool, why: NoAdapter) -> Probe {
    Probe { secure, adapter: Err(why) }
}

#[test]
fn a_real_adapter_is_taken_and_named() {
    let report = decide(DevicePreference::Auto, &found(card()));
    assert_eq!((report.kind, report.reason), (DeviceKind::WebGpu, DeviceReason::Adapter));
    assert_eq!((report.adapter.as_str(), report.software), ("acme rocket", false));
}

/// CASE 30: no `navigator.gpu`, an insecure origin, null and a rejection are four reasons with four sentences.
#[test]
fn each_way_of_having_no_adapter_has_its_own_reason_forced_or_not() {
    let rejected = Adapter { opens: Err("no".into()), ..card() };
    let cases = [
        (nothing(true, NoAdapter::NoWebGpu), DeviceReason::NoWebGpu),
        (nothing(false, NoAdapter::NoWebGpu), DeviceReason::InsecureOrigin),
        (nothing(true, NoAdapter::Null), DeviceReason::NoAdapter),
        (found(rejected), DeviceReason::DeviceRejected { message: "no".into() }),
    ];
    for (probe, reason) in &cases {
        for preference in [DevicePreference::Auto, DevicePreference::WebGpu] {
            assert_eq!(decide(preference, probe), on_the_cpu(reason.clone()));
        }
    }
    let sentences: std::collections::HashSet<_> = cases.iter().map(|(_, reason)| reason.to_string()).collect();
    assert_eq!(sentences.len(), cases.len());
}

#[test]
fn software_is_passed_over_unless_it_is_asked_for() {
    let marked = Adapter { fallback: true, ..card() };
    let named = Adapter { name: "google SwiftShader Device".into(), ..card() };
    for adapter in [marked, named] {
        let auto = decide(DevicePreference::Auto, &found(adapter.clone()));
        assert_eq!(auto, on_the_cpu(DeviceReason::SoftwareAdapter));
        let forced = decide(DevicePreference::WebGpu, &found(adapter));
        assert_eq!(
            (forced.kind, forced.software, forced.reason),
            (DeviceKind::WebGpu, true, DeviceReason::ForcedWebGpu)
        );
    }
}

#[test]
fn the_cpu_is_taken_when_asked_for_although_there_is_an_adapter() {
    assert_eq!(decide(DevicePreference::Cpu, &found(card())), on_the_cpu(DeviceReason::ForcedCpu));
}

/// CASES 28 and 31: what is absent or too low is found here, before any download.
#[test]
fn a_missing_feature_and_each_low_limit_are_named() {
    let plain = Adapter { has_feature: false, ..card() };
    let reason = decide(DevicePreference::Auto, &found(plain)).reason;
    assert_eq!(reason, DeviceReason::MissingFeature { feature: "timestamp-query".into() });
    for (index, (name, needed)) in LIMITS.into_iter().enumerate() {
        let mut low = card();
        low.limits[index] = needed - 1;
        let reason = decide(DevicePreference::WebGpu, &found(low)).reason;
        assert_eq!(reason, DeviceReason::LimitTooLow { limit: name.into(), value: needed - 1, needed });
    }
}

#[test]
fn the_largest_tensor_must_fit_into_a_buffer_and_into_a_binding() {
    for (buffer, binding, largest) in [(1 << 30, 1 << 31, 1 << 30), (1 << 32, 1 << 31, 1 << 31)] {
        let limits = LIMITS.map(|(name, needed)| match name {
            "maxBufferSize" => buffer,
            "maxStorageBufferBindingSize" => binding,
            _ => needed,
        });
        assert_eq!(Adapter { limits, ..card() }.max_tensor_bytes(), largest);
    }
}
