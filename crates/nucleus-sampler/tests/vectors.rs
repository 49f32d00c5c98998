//! The reference values, made by NumPy: `tests/vectors/make_sampler_vectors.py` and
//! `make_spawn_vectors.py`. The same bodies run natively and in a browser.
//!
//! Uniforms are equal to the bit. The rest is equal to 1e-12: NumPy's `exp` and `libm`'s differ in
//! the last place, and a sum of n such terms in n of them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use nucleus_sampler::{Draw, Settings, StepTrace, Temperature, TokenId, TopK, TopP, Uniforms, Unit, double, step};
use serde::Deserialize;
#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[cfg(target_family = "wasm")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

const TOLERANCE: f64 = 1e-12;

#[derive(Deserialize)]
struct SamplerVectors {
    uniforms: BTreeMap<String, Vec<f64>>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    /// `None` is minus infinity.
    logits: Vec<Option<f64>>,
    temperature: f64,
    top_k: u32,
    top_p: f64,
    u: f64,
    expect: Expected,
}

#[derive(Deserialize)]
struct Expected {
    token: u32,
    /// By id. NumPy keeps removed columns where no filter counts them; they have no probability.
    kept: Vec<u32>,
    /// Only those above 0.
    probs: BTreeMap<String, f64>,
    interval: Option<[f64; 2]>,
    entropy_nats: Option<f64>,
    consumed: u32,
}

#[derive(Deserialize)]
struct SpawnVectors {
    streams: Vec<Stream>,
    far: Vec<Far>,
}

#[derive(Deserialize)]
struct Stream {
    seed: u64,
    index: u32,
    uniforms: Vec<f64>,
}

#[derive(Deserialize)]
struct Far {
    seed: u64,
    step: u64,
    uniform: f64,
}

fn sampler_vectors() -> SamplerVectors {
    serde_json::from_str(include_str!("../../../tests/vectors/sampler_vectors.json")).unwrap()
}

fn spawn_vectors() -> SpawnVectors {
    serde_json::from_str(include_str!("../../../tests/vectors/spawn_vectors.json")).unwrap()
}

#[test]
fn every_case_is_as_numpy_has_it() {
    let cases = sampler_vectors().cases;
    assert!(!cases.is_empty());
    for case in &cases {
        check_case(case);
    }
}

#[test]
fn uniforms_are_numpys_to_the_bit() {
    let streams = sampler_vectors().uniforms;
    assert!(!streams.is_empty());
    for (seed, expected) in streams {
        check_stream(Uniforms::new(seed.parse().unwrap()), &expected);
    }
}

#[test]
fn spawned_streams_are_numpys_to_the_bit() {
    let streams = spawn_vectors().streams;
    assert!(!streams.is_empty());
    for stream in streams {
        check_stream(Uniforms::spawned(stream.seed, stream.index), &stream.uniforms);
    }
}

#[test]
fn a_jump_ahead_lands_where_numpys_does() {
    let far = spawn_vectors().far;
    assert!(!far.is_empty());
    for Far { seed, step, uniform } in far {
        assert_eq!(Uniforms::nth(seed, step).get(), uniform, "seed {seed}, step {step}");
    }
}

/// The digest was made natively, on x86-64; in a browser it has to come out the same.
#[test]
fn a_native_program_and_a_browser_agree_to_the_bit() {
    let mut uniforms = Uniforms::new(7);
    let logits: Vec<f32> = (0..2000).map(|_| (uniforms.draw().get() * 40.0 - 60.0) as f32).collect();
    let mut digest = 0xcbf2_9ce4_8422_2325_u64; // FNV-1a, of whole words
    let mut add = |number: f64| digest = (digest ^ number.to_bits()).wrapping_mul(0x0100_0000_01b3);
    for temperature in [0.3, 1.0, 7.0] {
        let settings = Settings {
            temperature: Temperature::new(temperature).unwrap(),
            top_p: TopP::new(0.99).unwrap(),
            ..Settings::default()
        };
        let trace = step(&logits, &settings, uniforms.draw()).unwrap();
        add(trace.entropy);
        add(trace.log_probability);
        let [mask, _no_constraint, top_k, top_p] = trace.removals;
        [mask, top_k, top_p].iter().for_each(|removal| add(removal.mass));
        for kept in &trace.kept {
            [kept.scaled, kept.probability, kept.interval.start, kept.interval.end].into_iter().for_each(&mut add);
        }
    }
    assert_eq!(digest, 0x8aa3_15dd_d7e4_904a);
}

fn check_stream(mut uniforms: Uniforms, expected: &[f64]) {
    for &number in expected {
        assert_eq!(uniforms.draw().get(), number);
    }
}

fn check_case(case: &Case) {
    let name = &case.name;
    let logits: Vec<f64> = case.logits.iter().map(|logit| logit.unwrap_or(f64::NEG_INFINITY)).collect();
    let settings = Settings {
        temperature: Temperature::new(case.temperature).unwrap(),
        top_k: TopK::from(case.top_k),
        top_p: TopP::new(case.top_p).unwrap(),
        ..Settings::default()
    };
    let u = Unit::new(case.u).unwrap();
    let trace = double::step(&logits, &settings, u).unwrap();
    let again = double::step_ranked(&logits, &double::ranking(&logits), &settings, u).unwrap();
    assert_eq!(trace, again, "{name}: on a ranking");

    let expect = &case.expect;
    assert_eq!(trace.token, TokenId(expect.token), "{name}: token");
    assert_eq!(trace.consumed(), expect.consumed, "{name}: consumed");
    check_kept(case, &trace, &logits);
    match (trace.draw, expect.interval, expect.entropy_nats) {
        (Draw::Argmax, None, None) => assert_eq!(trace.entropy, 0.0, "{name}: entropy"),
        (Draw::Uniform { interval, .. }, Some([start, end]), Some(entropy)) => {
            assert_close(interval.start, start, name);
            assert_close(interval.end, end, name);
            assert_close(trace.entropy, entropy, name);
        }
        (draw, ..) => panic!("{name}: {draw:?}"),
    }
}

fn check_kept(case: &Case, trace: &StepTrace, logits: &[f64]) {
    let name = &case.name;
    let mut kept: Vec<u32> = trace.kept.iter().map(|kept| kept.id.0).collect();
    kept.sort_unstable();
    let live = |id: &&u32| logits[**id as usize] > f64::NEG_INFINITY;
    let expected: Vec<u32> = case.expect.kept.iter().filter(live).copied().collect();
    assert_eq!(kept, expected, "{name}: kept");
    for kept in &trace.kept {
        match case.expect.probs.get(&kept.id.to_string()) {
            Some(&expected) => {
                let error = (kept.probability / expected - 1.0).abs();
                assert!(error < TOLERANCE, "{name}: {kept:?}, but NumPy has {expected:e}");
            }
            None => assert_eq!(kept.probability, 0.0, "{name}: {kept:?}"),
        }
    }
    let positive = trace.kept.iter().filter(|kept| kept.probability > 0.0).count();
    assert_eq!(positive, case.expect.probs.len(), "{name}: positive probabilities");
}

fn assert_close(own: f64, expected: f64, name: &str) {
    assert!((own - expected).abs() < TOLERANCE, "{name}: {own:e}, but NumPy has {expected:e}");
}
