use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::*;

fn fixture() -> Fixture {
    macro_rules! file {
        ($name:literal) => {
            include_bytes!(concat!("../../../../www/models/gpt2-tiny-random/", $name)).to_vec()
        };
    }
    Fixture { config: file!("config.json"), weights: file!("model.safetensors"), reference: file!("reference.json") }
}

/// The CPU has its result at once, so there is nothing to wait for.
fn on_the_cpu(fixture: &Fixture) -> Result<f64, SelfTestError> {
    match pin!(check(fixture, &Device::flex(), &LoadOptions::default())).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("the CPU made somebody wait"),
    }
}

#[test]
fn the_cpu_passes_far_inside_the_tolerance() {
    let difference = on_the_cpu(&fixture()).unwrap();
    assert!(difference < TOLERANCE / 20.0, "{difference}");
}

#[test]
fn one_corrupted_weight_is_a_mismatch() {
    let mut broken = fixture();
    // The last tensor's last number, little-endian float32: its exponent becomes that of a large number.
    let end = broken.weights.len();
    broken.weights[end - 2..].copy_from_slice(&[0x80, 0x43]);
    let Err(SelfTestError::Mismatch { difference }) = on_the_cpu(&broken) else { panic!("not noticed") };
    assert!(difference > TOLERANCE);
}

#[test]
fn a_weight_that_is_not_a_number_is_a_mismatch() {
    let mut broken = fixture();
    let end = broken.weights.len();
    broken.weights[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(matches!(on_the_cpu(&broken), Err(SelfTestError::Mismatch { difference }) if difference.is_nan()));
}

#[test]
fn a_corrupted_reference_is_a_mismatch_or_unreadable() {
    let whole = fixture();
    let text = String::from_utf8(whole.reference.clone()).unwrap();
    // The first of the logits.
    let moved = Fixture { reference: text.replacen("-0.969843", "-1.969843", 1).into_bytes(), ..whole.clone() };
    assert!(matches!(on_the_cpu(&moved), Err(SelfTestError::Mismatch { .. })));
    let cut = Fixture { reference: whole.reference[..whole.reference.len() / 2].to_vec(), ..whole };
    assert!(matches!(on_the_cpu(&cut), Err(SelfTestError::Reference(_))));
}

#[test]
fn a_reference_that_does_not_fit_is_refused() {
    for reference in [
        r#"{"prompts": []}"#,
        r#"{"prompts": [{"ids": [1], "last_logits": [0]}]}"#,
        r#"{"prompts": [{"ids": [1, 2], "last_logits": [0]}]}"#,
    ] {
        let unfit = Fixture { reference: reference.as_bytes().to_vec(), ..fixture() };
        assert!(matches!(on_the_cpu(&unfit), Err(SelfTestError::Unfit)), "{reference}");
    }
}

#[test]
fn not_a_number_is_never_passed_over() {
    assert!(largest_difference(&[f32::NAN, 1.0], &[0.0, 0.0]).is_nan());
    assert!(largest_difference(&[1.0, f32::NAN], &[0.0, 0.0]).is_nan());
    assert_eq!(largest_difference(&[1.0, -2.0], &[0.5, 1.0]), 3.0);
}
