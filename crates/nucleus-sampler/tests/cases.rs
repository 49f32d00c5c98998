//! How other samplers have failed, each with the smallest input that shows it.
#![cfg(not(target_family = "wasm"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use nucleus_sampler::{
    Filter, SettingError, Settings, StepTrace, Temperature, TokenId, TopK, TopP, Uniforms, Unit, double, step,
};

fn settings(temperature: f64, top_k: u32, top_p: f64) -> Settings {
    Settings {
        temperature: Temperature::new(temperature).unwrap(),
        top_k: TopK::from(top_k),
        top_p: TopP::new(top_p).unwrap(),
        ..Settings::default()
    }
}

fn trace(logits: &[f64], settings: Settings) -> StepTrace {
    double::step(logits, &settings, Unit::new(0.5).unwrap()).unwrap()
}

fn kept(trace: &StepTrace) -> Vec<u32> {
    trace.kept.iter().map(|kept| kept.id.0).collect()
}

fn logits_of(probabilities: &[f64]) -> Vec<f64> {
    probabilities.iter().map(|p| p.ln()).collect()
}

/// As many numbers of about a normal distribution with a standard deviation of 3.
fn many_logits(n: usize) -> Vec<f32> {
    let mut uniforms = Uniforms::new(20_261_129);
    let mut normal = || (0..12).map(|_| uniforms.draw().get()).sum::<f64>() - 6.0;
    (0..n).map(|_| 3.0 * normal() as f32).collect()
}

#[test]
fn a_running_total_equal_to_p_is_enough() {
    let logits = logits_of(&[0.5, 0.25, 0.125, 0.125]);
    assert_eq!(kept(&trace(&logits, settings(1.0, 0, 0.75))), [0, 1]);
    assert_eq!(kept(&trace(&logits, settings(1.0, 0, 0.75_f64.next_up()))), [0, 1, 2]);
}

#[test]
fn the_token_that_crosses_p_is_kept() {
    let trace_of = |probabilities: &[f64], p| trace(&logits_of(probabilities), settings(1.0, 0, p));
    let three = trace_of(&[0.4, 0.3, 0.2, 0.1], 0.8);
    assert_eq!(kept(&three), [0, 1, 2]);
    assert!((three.removals[3].mass - 0.1).abs() < 1e-12);
    assert_eq!(kept(&trace_of(&[0.5, 0.41, 0.09], 0.9)), [0, 1]);
}

#[test]
fn no_p_removes_everything() {
    let refused = TopP::new(0.0).unwrap_err();
    assert_eq!(refused, SettingError::TopP { value: 0.0 });
    assert_eq!(refused.to_string(), "top-p is 0, but must be above 0 and at most 1; 1 turns top-p off");
    for p in [1e-8, f64::MIN_POSITIVE, 5e-324] {
        assert_eq!(kept(&trace(&[0.0, 0.1, 0.2], settings(1.0, 0, p))), [2]);
        assert_eq!(kept(&trace(&[0.0; 9], settings(1.0, 0, p))), [0]);
    }
}

#[test]
fn p_of_one_is_off_to_the_bit() {
    // The running total reaches 1 by rounding after the second entry, and the last entry's
    // probability is 0 by underflow: they stay nevertheless.
    let logits = [0.0, -1.0, -40.0, -50.0, -2000.0];
    let trace = trace(&logits, settings(1.0, 0, 1.0));
    assert_eq!(kept(&trace), [0, 1, 2, 3, 4]);
    let total: f64 = logits.iter().map(|&logit| libm::exp(logit)).sum();
    for (kept, &logit) in trace.kept.iter().zip(&logits) {
        assert_eq!(kept.probability.to_bits(), (libm::exp(logit) / total).to_bits());
    }
}

#[test]
fn seeds_give_differing_texts_at_temperature_one() {
    let logits = many_logits(1000);
    let text = |seed| -> Vec<TokenId> {
        let mut uniforms = Uniforms::new(seed);
        let mut next = || step(&logits, &Settings::default(), uniforms.draw()).unwrap().token;
        (0..20).map(|_| next()).collect()
    };
    let texts: Vec<_> = (1..=5).map(text).collect();
    for (i, one) in texts.iter().enumerate() {
        assert!(texts[..i].iter().all(|other| one != other));
        assert!(one.iter().any(|&token| token != one[0]), "the generator stands still");
    }
}

#[test]
fn temperature_comes_before_truncation() {
    assert_eq!(kept(&trace(&[3.0, 2.0, 1.0], settings(0.5, 0, 0.8))), [0]);
    assert_eq!(kept(&trace(&[3.0, 2.0, 1.0], settings(1.0, 0, 0.8))), [0, 1]);
}

#[test]
fn top_p_counts_only_what_top_k_left() {
    let logits = logits_of(&[0.4, 0.3, 0.2, 0.1]);
    for p in [0.1, 0.5, 0.9, 0.999, 1.0] {
        assert!(trace(&logits, settings(1.0, 2, p)).nucleus_size() <= 2);
    }
    // .4 of .7 is above .5, though .4 of 1 is not.
    let trace = trace(&logits, settings(1.0, 2, 0.5));
    assert_eq!(kept(&trace), [0]);
    let by_rank = [0, 1, 2, 3, 4].map(|rank| trace.removed_by(rank));
    let (k, p) = (Some(Filter::TopK), Some(Filter::TopP));
    assert_eq!(by_rank, [None, p, k, k, None]);
}

#[test]
fn cold_steps_take_the_likeliest() {
    let cases: [&[f64]; 6] = [
        &[1.0, 5.0, 4.9, 0.0],
        &[-100.0, -99.0, -98.0],
        &[-3.0, 0.0, -1e30],
        &[3.4e38, -3.4e38],
        &[f64::NEG_INFINITY, -7.0, -9.0],
        &[1e300, -1e300, 1.7e308],
    ];
    for logits in cases {
        let best = (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b])).unwrap();
        for temperature in [0.0, 1e-5, 1e-40, 1e-320, f64::MIN_POSITIVE] {
            for (k, p) in [(0, 1.0), (2, 1.0), (0, 0.9), (2, 0.9)] {
                for u in [0.0, 0.5, 1.0_f64.next_down()] {
                    let settings = settings(temperature, k, p);
                    let trace = double::step(logits, &settings, Unit::new(u).unwrap()).unwrap();
                    assert_eq!(trace.token.index(), best, "{logits:?} at {temperature:e}");
                    assert_eq!(trace.consumed(), u32::from(temperature > 0.0));
                    assert_finite(&trace);
                }
            }
        }
    }
}

fn assert_finite(trace: &StepTrace) {
    assert!(!trace.kept.is_empty());
    assert!(trace.entropy.is_finite() && trace.log_probability.is_finite(), "{trace:?}");
    for kept in &trace.kept {
        assert!(kept.scaled.is_finite() && kept.probability.is_finite(), "{kept:?}");
        assert!(kept.interval.start.is_finite() && kept.interval.end.is_finite(), "{kept:?}");
    }
}

#[test]
fn temperatures_that_are_none_are_refused() {
    for (value, shown) in [(-1.0, "-1"), (f64::NAN, "NaN"), (f64::INFINITY, "inf"), (-1e-300, "-1e-300")] {
        let message = Temperature::new(value).unwrap_err().to_string();
        assert!(message.starts_with(&format!("temperature is {shown}, but must be 0 or more")), "{message}");
    }
}

#[test]
fn a_hot_nucleus_has_thousands_of_tokens() {
    let logits = many_logits(50_257);
    let trace = step(&logits, &settings(10.0, 0, 0.9), Unit::new(0.5).unwrap()).unwrap();
    assert!(trace.nucleus_size() > 30_000, "{}", trace.nucleus_size());
}

#[test]
fn a_seed_matters_unless_the_temperature_is_zero() {
    let logits = many_logits(1000);
    let token = |seed, temperature| {
        let u = Uniforms::new(seed).draw();
        let trace = step(&logits, &settings(temperature, 0, 1.0), u).unwrap();
        (trace.token, trace.consumed())
    };
    assert_ne!(token(1, 1.0).0, token(2, 1.0).0);
    assert_eq!(token(1, 1.0).1, 1);
    assert_eq!(token(1, 0.0), token(2, 0.0));
    assert_eq!(token(1, 0.0).1, 0);
}

#[test]
fn no_setting_changes_a_log_probability() {
    let logits = [-33.0_f64, -31.5, -30.0, -90.0];
    let all = [
        settings(1.0, 0, 1.0),
        settings(0.0, 0, 1.0),
        settings(0.1, 2, 1.0),
        settings(7.0, 0, 0.5),
        settings(1e-5, 1, 1e-8),
    ];
    for settings in all {
        for u in [0.0, 0.3, 0.9] {
            let trace = double::step(&logits, &settings, Unit::new(u).unwrap()).unwrap();
            let logit = logits[trace.token.index()];
            let expected = logit - logits.iter().map(|logit| logit.exp()).sum::<f64>().ln();
            assert!((trace.log_probability - expected).abs() < 1e-13, "{trace:?}");
            assert_eq!(trace.log_probability, double::log_softmax_at(&logits, trace.token));
        }
    }
}
