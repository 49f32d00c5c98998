//! What holds for any logits and any settings.
#![cfg(not(target_family = "wasm"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use nucleus_sampler::{
    Draw, Ranking, RepetitionPenalty, Settings, StepContext, StepTrace, Temperature, TokenId, TokenSet, TopK, TopP,
    Uniforms, Unit, log_softmax_at, step, step_in, step_ranked, step_ranked_in,
};
use proptest::prelude::*;

/// Half are of a coarse grid, so that ties are common; a few are removed beforehand.
fn logits() -> impl Strategy<Value = Vec<f32>> {
    let logit = prop_oneof![
        4 => (-12_i8..=12).prop_map(|half| f32::from(half) / 2.0),
        4 => -30.0_f32..30.0,
        1 => Just(f32::NEG_INFINITY),
    ];
    let some = |logits: &Vec<f32>| logits.iter().any(|logit| logit.is_finite());
    prop::collection::vec(logit, 1..150).prop_filter("all removed", some)
}

fn settings() -> impl Strategy<Value = Settings> {
    (temperature(), 0_u32..60, top_p()).prop_map(|(temperature, top_k, top_p)| Settings {
        temperature: Temperature::new(temperature).unwrap(),
        top_k: TopK::from(top_k),
        top_p: TopP::new(top_p).unwrap(),
        ..Settings::default()
    })
}

fn temperature() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1.0), 0.05..3.0, (-320.0..300.0).prop_map(|power| 10_f64.powf(power))]
}

fn top_p() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1.0), 1e-9..1.0, 0.9..1.0]
}

fn u() -> impl Strategy<Value = Unit> {
    (0.0..1.0).prop_map(|u| Unit::new(u).unwrap())
}

fn penalty() -> impl Strategy<Value = RepetitionPenalty> {
    prop_oneof![1.0..2.0, (0.0..300.0).prop_map(|power| 10_f64.powf(power))]
        .prop_map(|penalty| RepetitionPenalty::new(penalty).unwrap())
}

/// Some ids more than once, and some beyond the vocabulary.
fn seen() -> impl Strategy<Value = Vec<TokenId>> {
    prop::collection::vec((0_u32..160).prop_map(TokenId), 0..40)
}

/// About half of the vocabulary, and the likeliest token, so that something is left.
fn allowed(logits: &[f32], seed: u64) -> TokenSet {
    let mut uniforms = Uniforms::new(seed);
    let mut set = TokenSet::none(logits.len());
    set.extend((0..logits.len() as u32).filter(|_| uniforms.draw().get() < 0.5).map(TokenId));
    set.insert(Ranking::new(logits).ids()[0]);
    set
}

fn ids(trace: &StepTrace) -> Vec<TokenId> {
    trace.kept.iter().map(|kept| kept.id).collect()
}

proptest! {
    #[test]
    fn the_kept_set_is_a_prefix_of_the_ranking(
        logits in logits(), settings in settings(), u in u()
    ) {
        let trace = step(&logits, &settings, u).unwrap();
        let ranking = Ranking::new(&logits);
        prop_assert!(!trace.kept.is_empty());
        prop_assert_eq!(&ids(&trace), &ranking.ids()[..trace.kept.len()]);
        let removed: usize = trace.removals.iter().map(|removal| removal.count).sum();
        prop_assert_eq!(trace.kept.len() + removed, logits.len());
    }

    #[test]
    fn a_ranking_made_before_changes_nothing(logits in logits(), settings in settings(), u in u()) {
        let trace = step(&logits, &settings, u).unwrap();
        prop_assert_eq!(trace, step_ranked(&logits, &Ranking::new(&logits), &settings, u).unwrap());
    }

    #[test]
    fn the_nucleus_is_the_smallest_that_reaches_p(
        logits in logits(), settings in settings(), u in u()
    ) {
        let whole = Settings { top_p: TopP::OFF, ..settings };
        let before = step(&logits, &whole, u).unwrap();
        let trace = step(&logits, &settings, u).unwrap();
        let mass = |n: usize| before.kept[..n].iter().map(|kept| kept.probability).sum::<f64>();
        let (n, p) = (trace.kept.len(), settings.top_p.get());
        prop_assert!(mass(n) >= p - 1e-12);
        // Beyond rounding, one entry fewer does not reach p, unless top-p is off.
        prop_assert!(settings.top_p.is_off() || n == 1 || mass(n - 1) < p + 1e-12);
        prop_assert!((trace.removals[3].mass - (1.0 - mass(n))).abs() < 1e-12);
    }

    #[test]
    fn probabilities_sum_to_one_and_descend(logits in logits(), settings in settings(), u in u()) {
        let trace = step(&logits, &settings, u).unwrap();
        let sum: f64 = trace.kept.iter().map(|kept| kept.probability).sum();
        prop_assert!((sum - 1.0).abs() < 1e-12);
        prop_assert!(trace.kept.is_sorted_by(|a, b| a.probability >= b.probability));
        prop_assert!(trace.kept.is_sorted_by(|a, b| a.scaled >= b.scaled));
        let n = trace.kept.len() as f64;
        prop_assert!((0.0..=n.ln() + 1e-12).contains(&trace.entropy));
    }

    #[test]
    fn the_intervals_tile_the_unit_interval_in_vocabulary_order(
        logits in logits(), settings in settings(), u in u()
    ) {
        let trace = step(&logits, &settings, u).unwrap();
        let mut kept = trace.kept.clone();
        kept.sort_by_key(|kept| kept.id);
        prop_assert_eq!(kept[0].interval.start, 0.0);
        prop_assert!(kept.windows(2).all(|pair| pair[0].interval.end == pair[1].interval.start));
        prop_assert!((kept.last().unwrap().interval.end - 1.0).abs() < 1e-12);
        for kept in &kept {
            prop_assert!((kept.interval.width() - kept.probability).abs() < 1e-15);
        }
    }

    #[test]
    fn the_token_is_the_one_that_u_hits(logits in logits(), settings in settings(), u in u()) {
        let trace = step(&logits, &settings, u).unwrap();
        let (_, token) = trace.kept_by_id(trace.token).unwrap();
        prop_assert_eq!(trace.draw, Draw::Uniform { u, interval: token.interval });
        prop_assert!(token.probability > 0.0);
        let end = trace.kept.iter().map(|kept| kept.interval.end).fold(0.0, f64::max);
        prop_assert!(token.interval.contains(u) || u.get() >= end);
        prop_assert_eq!(trace.log_probability, log_softmax_at(&logits, trace.token));
    }

    #[test]
    fn more_k_and_more_p_never_keep_less(
        logits in logits(), temperature in temperature(), k in 1_u32..50, more_k in 0_u32..50,
        p in top_p(), more_p in top_p(), u in u(),
    ) {
        let size = |k, p| {
            let settings = Settings {
                temperature: Temperature::new(temperature).unwrap(),
                top_k: TopK::from(k),
                top_p: TopP::new(p).unwrap(),
                ..Settings::default()
            };
            step(&logits, &settings, u).unwrap().nucleus_size()
        };
        prop_assert!(size(k, 1.0) <= size(k + more_k, 1.0));
        prop_assert!(size(k + more_k, 1.0) <= size(0, 1.0));
        prop_assert!(size(k, p.min(more_p)) <= size(k, p.max(more_p)));
        prop_assert!(size(k, p) <= k as usize);
    }

    #[test]
    fn filters_are_masks(logits in logits(), settings in settings(), u in u()) {
        let trace = step(&logits, &settings, u).unwrap();
        let mut masked = vec![f32::NEG_INFINITY; logits.len()];
        for kept in &trace.kept {
            masked[kept.id.index()] = kept.logit;
        }
        let bare = Settings { top_k: TopK::OFF, top_p: TopP::OFF, ..settings };
        let again = step(&masked, &bare, u).unwrap();
        prop_assert_eq!(ids(&again), ids(&trace));
        for (a, b) in again.kept.iter().zip(&trace.kept) {
            prop_assert!((a.probability - b.probability).abs() <= 1e-14 * b.probability);
        }
    }

    #[test]
    fn the_order_of_the_vocabulary_matters_only_for_ties_and_the_draw(
        logits in logits(), settings in settings(), u in u(), seed: u64
    ) {
        let shuffle = shuffled(logits.len(), seed);
        let moved: Vec<f32> = shuffle.iter().map(|&from| logits[from]).collect();
        let (one, other) = (step(&logits, &settings, u).unwrap(), step(&moved, &settings, u).unwrap());
        // At p's very edge the order of a sum may decide; there the sizes differ by one.
        prop_assert!(one.kept.len().abs_diff(other.kept.len()) <= 1);
        if one.kept.len() == other.kept.len() {
            prop_assert!((one.entropy - other.entropy).abs() < 1e-12);
            for (a, b) in one.kept.iter().zip(&other.kept) {
                prop_assert_eq!(a.logit, b.logit);
                prop_assert!((a.probability - b.probability).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_logits_are_not_written(logits in logits(), settings in settings(), u in u()) {
        let before: Vec<u32> = logits.iter().map(|logit| logit.to_bits()).collect();
        step(&logits, &settings, u).unwrap();
        prop_assert!(logits.iter().map(|logit| logit.to_bits()).eq(before));
    }

    #[test]
    fn a_run_takes_one_uniform_for_each_step_above_temperature_zero(
        logits in logits(), seed: u64, temperatures in prop::collection::vec(0_u8..3, 1..20)
    ) {
        let mut uniforms = Uniforms::new(seed);
        for (nth, &temperature) in temperatures.iter().enumerate() {
            let settings = Settings {
                temperature: Temperature::new(f64::from(temperature)).unwrap(),
                ..Settings::default()
            };
            let trace = step(&logits, &settings, uniforms.peek()).unwrap();
            uniforms.advance(u64::from(trace.consumed()));
            let sampled = temperatures[..=nth].iter().filter(|&&t| t > 0).count();
            prop_assert_eq!(uniforms.peek(), Uniforms::nth(seed, sampled as u64));
        }
    }

    #[test]
    fn a_penalty_lowers_what_was_seen_and_nothing_else(
        logits in logits(), settings in settings(), penalty in penalty(), seen in seen(), u in u()
    ) {
        let settings = Settings { repetition_penalty: penalty, ..settings };
        let trace = step_in(&logits, &StepContext { seen: &seen, allowed: None }, &settings, u).unwrap();
        let lowering = trace.lowering.clone().unwrap();
        prop_assert!((0.0..=1.0).contains(&lowering.mass));
        for token in &lowering.tokens {
            prop_assert!(seen.contains(&token.id));
            prop_assert_eq!(token.from, logits[token.id.index()]);
            prop_assert!(token.to < f64::from(token.from) && token.to.is_finite());
        }
        for kept in &trace.kept {
            prop_assert_eq!(kept.logit, logits[kept.id.index()]);
            let to = trace.lowered(kept.id).map_or(f64::from(kept.logit), |token| token.to);
            prop_assert_eq!(kept.scaled, (to / settings.temperature.get()).clamp(f64::MIN, f64::MAX));
        }
        prop_assert_eq!(trace.log_probability, log_softmax_at(&logits, trace.token));
        prop_assert_eq!(trace.lowered(TokenId(200)), None);
    }

    #[test]
    fn without_penalty_and_constraint_a_context_changes_nothing(
        logits in logits(), settings in settings(), seen in seen(), u in u()
    ) {
        let trace = step(&logits, &settings, u).unwrap();
        let context = StepContext { seen: &seen, allowed: None };
        prop_assert_eq!(&trace, &step_in(&logits, &context, &settings, u).unwrap());
        let whole = TokenSet::all(logits.len());
        let context = StepContext { seen: &seen, allowed: Some(&whole) };
        prop_assert_eq!(trace, step_in(&logits, &context, &settings, u).unwrap());
    }

    #[test]
    fn a_constraint_is_a_mask(logits in logits(), settings in settings(), seed: u64, u in u()) {
        let allowed = allowed(&logits, seed);
        let context = StepContext { seen: &[], allowed: Some(&allowed) };
        let trace = step_in(&logits, &context, &settings, u).unwrap();
        let mut masked = logits.clone();
        for (id, logit) in (0..).map(TokenId).zip(&mut masked) {
            if !allowed.contains(id) {
                *logit = f32::NEG_INFINITY;
            }
        }
        let expected = step(&masked, &settings, u).unwrap();
        prop_assert_eq!(&trace.kept, &expected.kept);
        prop_assert_eq!((trace.draw, trace.entropy), (expected.draw, expected.entropy));
        prop_assert_eq!(trace.removals[0].count + trace.removals[1].count, expected.removals[0].count);
        prop_assert_eq!(&trace.removals[2..], &expected.removals[2..]);
        let held: f64 = (0..logits.len() as u32).map(TokenId).filter(|&id| !allowed.contains(id))
            .map(|id| log_softmax_at(&logits, id).exp()).sum();
        prop_assert!((trace.removals[1].mass - held).abs() < 1e-12);
    }

    #[test]
    fn a_ranking_in_context_changes_nothing(
        logits in logits(), settings in settings(), penalty in penalty(), seen in seen(), seed: u64, u in u()
    ) {
        let settings = Settings { repetition_penalty: penalty, ..settings };
        let allowed = allowed(&logits, seed);
        let context = StepContext { seen: &seen, allowed: Some(&allowed) };
        let trace = step_in(&logits, &context, &settings, u).unwrap();
        let ranking = Ranking::in_context(&logits, &context, penalty).unwrap();
        prop_assert_eq!(&ids(&trace), &ranking.ids()[..trace.kept.len()]);
        let removed: usize = trace.removals.iter().map(|removal| removal.count).sum();
        prop_assert_eq!(trace.kept.len() + removed, logits.len());
        prop_assert_eq!(trace, step_ranked_in(&logits, &ranking, &context, &settings, u).unwrap());
    }
}

/// A permutation of 0..n: each place changes with a random one before it (Fisher and Yates).
fn shuffled(n: usize, seed: u64) -> Vec<usize> {
    let mut uniforms = Uniforms::new(seed);
    let mut places: Vec<usize> = (0..n).collect();
    for place in (1..n).rev() {
        places.swap(place, (uniforms.draw().get() * (place + 1) as f64) as usize);
    }
    places
}
