//! The smallest and the worst inputs of the public functions.
#![cfg(not(target_family = "wasm"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use nucleus_sampler::{
    Draw, Filter, Interval, LogitsError, Ranking, Settings, Temperature, TokenId, TopK, TopP, Unit, double,
    mask_padding, perplexity, step, step_ranked,
};

const MASKED: f32 = f32::NEG_INFINITY;

fn refusal(logits: &[f32]) -> LogitsError {
    step(logits, &Settings::default(), Unit::new(0.5).unwrap()).unwrap_err()
}

#[test]
fn logits_that_allow_no_draw_are_refused() {
    assert_eq!(refusal(&[]), LogitsError::Empty);
    assert_eq!(refusal(&[MASKED; 3]), LogitsError::AllRemoved { n_vocab: 3 });
    let infinite = LogitsError::NotFinite { index: 1, value: f64::INFINITY };
    assert_eq!(refusal(&[0.0, f32::INFINITY]), infinite);
    assert_eq!(
        infinite.to_string(),
        "logit 1 is inf, but must be finite, or -inf for a removed token; the model's weights or \
         its arithmetic are at fault"
    );
    for place in [0, 7, 8, 31] {
        let mut logits = [0.0_f32; 32];
        logits[place] = f32::NAN;
        match refusal(&logits) {
            LogitsError::NotFinite { index, value } => assert!(index == place && value.is_nan()),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn a_ranking_of_another_vocabulary_is_refused() {
    let ranking = Ranking::new(&[1.0_f32, 2.0]);
    let refused = step_ranked(&[1.0_f32], &ranking, &Settings::default(), Unit::new(0.5).unwrap());
    assert_eq!(refused, Err(LogitsError::OtherRanking { n_ranked: 2, n_vocab: 1 }));
}

#[test]
fn one_logit_is_certain() {
    let trace = step(&[-3.0_f32], &Settings::default(), Unit::new(0.99).unwrap()).unwrap();
    assert_eq!(trace.token, TokenId(0));
    assert_eq!(trace.kept[0].probability, 1.0);
    assert_eq!((trace.entropy, trace.log_probability), (0.0, 0.0));
}

#[test]
fn padding_is_removed_before_anything_else() {
    let mut logits = [1.0_f32, 0.0, 50.0, 60.0];
    mask_padding(&mut logits, 2);
    assert_eq!(logits, [1.0, 0.0, MASKED, MASKED]);
    let settings = Settings { top_k: TopK::new(3).unwrap(), ..Settings::default() };
    let trace = step(&logits, &settings, Unit::new(0.9).unwrap()).unwrap();
    assert_eq!(trace.removals.map(|removal| removal.count), [2, 0, 0, 0]);
    assert_eq!([1, 2, 3].map(|rank| trace.removed_by(rank)), [None, Some(Filter::Mask), Some(Filter::Mask)]);
    mask_padding(&mut logits, 9); // a tokenizer with more tokens: there is nothing to remove
    assert_eq!(logits[..2], [1.0, 0.0]);
}

#[test]
fn the_trace_of_temperature_zero_adds_up() {
    let logits = [1.0_f32, MASKED, 5.0, 5.0];
    let (top_k, top_p) = (TopK::new(2).unwrap(), TopP::new(0.5).unwrap());
    let settings = Settings { temperature: Temperature::ZERO, top_k, top_p, ..Settings::default() };
    let trace = step(&logits, &settings, Unit::new(0.9).unwrap()).unwrap();
    assert_eq!(trace.draw, Draw::Argmax);
    assert_eq!(trace.token, TokenId(2));
    let kept = trace.kept[0];
    assert_eq!((kept.logit, kept.scaled, kept.probability), (5.0, 5.0, 1.0));
    assert_eq!(kept.interval, Interval { start: 0.0, end: 1.0 });
    let removals = trace.removals.map(|removal| (removal.filter, removal.count, removal.mass));
    let none = |filter| (filter, 0, 0.0);
    assert_eq!(
        removals,
        [(Filter::Mask, 1, 0.0), none(Filter::Constraint), (Filter::Argmax, 2, 0.0), none(Filter::TopP)]
    );
    let by_rank = [0, 1, 2, 3].map(|rank| trace.removed_by(rank));
    let argmax = Some(Filter::Argmax);
    assert_eq!(by_rank, [None, argmax, argmax, Some(Filter::Mask)]);
}

#[test]
fn if_rounding_leaves_no_interval_the_last_positive_one_is_hit() {
    // Ten times .1 is 1 - 2^-53, and so is u. The last token has a probability of 0.
    let mut logits = [0.0_f32; 11];
    logits[10] = -2000.0;
    let u = Unit::new(1.0_f64.next_down()).unwrap();
    let trace = step(&logits, &Settings::default(), u).unwrap();
    assert_eq!(trace.token, TokenId(9));
    let Draw::Uniform { interval, .. } = trace.draw else { panic!("{:?}", trace.draw) };
    assert!(!interval.contains(u));
}

#[test]
fn masses_are_shares_of_what_reached_the_filter() {
    let logits = [0.4_f64, 0.3, 0.2, 0.1].map(f64::ln);
    let settings = Settings { top_k: TopK::new(3).unwrap(), top_p: TopP::new(0.7).unwrap(), ..Settings::default() };
    let trace = double::step(&logits, &settings, Unit::new(0.0).unwrap()).unwrap();
    let [mask, constraint, k, p] = trace.removals.map(|removal| removal.mass);
    assert_eq!((mask, constraint), (0.0, 0.0));
    assert!((k - 0.1).abs() < 1e-12, "{k}");
    assert!((p - 0.2 / 0.9).abs() < 1e-12, "{p}");
    assert_eq!(trace.kept_by_id(TokenId(1)).map(|(rank, _)| rank), Some(1));
    assert_eq!(trace.kept_by_id(TokenId(2)), None);
}

#[test]
fn log_probabilities_and_perplexity_by_hand() {
    let logits = [3.0_f64.ln(), 0.0, f64::NEG_INFINITY];
    assert!((double::log_softmax_at(&logits, TokenId(0)) - 0.75_f64.ln()).abs() < 1e-15);
    assert_eq!(double::log_softmax_at(&logits, TokenId(2)), f64::NEG_INFINITY);
    assert_eq!(double::log_softmax_at(&logits, TokenId(3)), f64::NEG_INFINITY);
    assert_eq!(perplexity(&[]), None);
    let even = perplexity(&[0.5_f64.ln(), 0.125_f64.ln()]).unwrap();
    assert!((even - 4.0).abs() < 1e-12);
}
