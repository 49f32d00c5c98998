//! Large vocabularies, where selections, steps and blocks take other paths than in small ones,
//! against a plain transcription of the definition.
#![cfg(not(target_family = "wasm"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use nucleus_sampler::{Ranking, Settings, Temperature, TopK, TopP, Uniforms, Unit, step, step_ranked};
use proptest::prelude::*;

/// What the definition gives, each part in the plainest way.
struct Plain {
    /// By rank.
    kept: Vec<usize>,
    /// By id.
    probabilities: Vec<f64>,
    /// How far the running total at the last entry, and at the one before, is from p.
    margin: f64,
    token: usize,
    entropy: f64,
    /// The share of the probability that top-k removed.
    cut_by_k: f64,
}

fn plain(logits: &[f32], settings: &Settings, u: f64) -> Plain {
    let scaled: Vec<f64> = logits.iter().map(|&logit| f64::from(logit) / settings.temperature.get()).collect();
    let mut order: Vec<usize> = (0..logits.len()).filter(|&id| scaled[id] > f64::NEG_INFINITY).collect();
    order.sort_by(|&a, &b| scaled[b].partial_cmp(&scaled[a]).unwrap()); // stable: lower ids come first
    let weights: Vec<f64> = order.iter().map(|&id| (scaled[id] - scaled[order[0]]).exp()).collect();
    let after_k = match settings.top_k.get() as usize {
        0 => order.len(),
        k => k.min(order.len()),
    };
    let total: f64 = weights[..after_k].iter().sum();
    let (mut cut, mut running, mut margin) = (after_k, 0.0, f64::INFINITY);
    for (rank, weight) in weights[..after_k].iter().enumerate() {
        running += weight / total;
        if settings.top_p.is_off() {
            break;
        }
        margin = margin.min((running - settings.top_p.get()).abs());
        if running >= settings.top_p.get() {
            cut = rank + 1;
            break;
        }
    }
    let mass: f64 = weights[..cut].iter().sum();
    let mut probabilities = vec![0.0; logits.len()];
    for (&id, weight) in order[..cut].iter().zip(&weights) {
        probabilities[id] = weight / mass;
    }
    let mut end = 0.0;
    let mut hit = |p: &f64| {
        end += p;
        u < end
    };
    Plain {
        token: probabilities.iter().position(&mut hit).unwrap(),
        entropy: -probabilities.iter().filter(|&&p| p > 0.0).map(|p| p * p.ln()).sum::<f64>(),
        cut_by_k: weights[after_k..].iter().sum::<f64>() / weights.iter().sum::<f64>(),
        kept: order[..cut].to_vec(),
        probabilities,
        margin,
    }
}

/// Bell-shaped, every other time with ties, every third time with masked columns.
fn logits(n: usize, spread: f64, seed: u64) -> Vec<f32> {
    let mut uniforms = Uniforms::new(seed);
    let mut logit = |id: usize| {
        let bell = (0..6).map(|_| uniforms.draw().get()).sum::<f64>() - 3.0;
        let logit = (bell * spread) as f32;
        match (seed % 2, seed.is_multiple_of(3) && id.is_multiple_of(5)) {
            (_, true) => f32::NEG_INFINITY,
            (0, _) => logit.round(),
            _ => logit,
        }
    };
    (0..n).map(&mut logit).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_step_is_its_definition(
        n in 200_usize..6000, spread in 0.5..8.0, seed: u64, temperature in prop_oneof![Just(1.0), 0.3..3.0],
        top_k in prop_oneof![Just(0_u32), 1_u32..60, 1_u32..6000], top_p in prop_oneof![Just(1.0), 0.05..0.9999],
        u in 0.0..0.999_999,
    ) {
        let logits = logits(n, spread, seed);
        let settings = Settings {
            temperature: Temperature::new(temperature).unwrap(),
            top_k: TopK::from(top_k),
            top_p: TopP::new(top_p).unwrap(),
            ..Settings::default()
        };
        let unit = Unit::new(u).unwrap();
        let trace = step(&logits, &settings, unit).unwrap();
        prop_assert_eq!(&trace, &step_ranked(&logits, &Ranking::new(&logits), &settings, unit).unwrap());

        let plain = plain(&logits, &settings, u);
        prop_assume!(plain.margin > 1e-12); // else rounding decides
        let kept: Vec<usize> = trace.kept.iter().map(|kept| kept.id.index()).collect();
        prop_assert_eq!(kept, plain.kept);
        for kept in &trace.kept {
            let expected = plain.probabilities[kept.id.index()];
            prop_assert!((kept.probability / expected - 1.0).abs() < 1e-12);
        }
        prop_assert!((trace.entropy - plain.entropy).abs() < 1e-11);
        prop_assert!((trace.removals[2].mass - plain.cut_by_k).abs() < 1e-12);
        let interval = trace.kept_by_id(trace.token).unwrap().1.interval;
        if (u - interval.start).min(interval.end - u) > 1e-12 {
            prop_assert_eq!(trace.token.index(), plain.token);
        }
    }
}
