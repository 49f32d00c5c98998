//! A step in its place in a text: what is forbidden, and what was seen before. Numbers by hand.
#![cfg(not(target_family = "wasm"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use nucleus_sampler::{
    Filter, LogitsError, Ranking, RepetitionPenalty, Settings, StepContext, StepTrace, Temperature, TokenId, TokenSet,
    TopK, TopP, Unit, log_softmax_at, step, step_in, step_ranked_in,
};

const MASKED: f32 = f32::NEG_INFINITY;

fn penalty(penalty: f64) -> Settings {
    Settings { repetition_penalty: RepetitionPenalty::new(penalty).unwrap(), ..Settings::default() }
}

fn ids<const N: usize>(ids: [u32; N]) -> [TokenId; N] {
    ids.map(TokenId)
}

fn set<const N: usize>(n_vocab: usize, allowed: [u32; N]) -> TokenSet {
    let mut set = TokenSet::none(n_vocab);
    set.extend(ids(allowed));
    set
}

fn run(logits: &[f32], context: &StepContext<'_>, settings: &Settings) -> StepTrace {
    step_in(logits, context, settings, Unit::new(0.5).unwrap()).unwrap()
}

fn kept(trace: &StepTrace) -> Vec<u32> {
    trace.kept.iter().map(|kept| kept.id.0).collect()
}

fn lowered(trace: &StepTrace) -> Vec<(u32, f32, f64)> {
    trace
        .lowering
        .iter()
        .flat_map(|lowering| &lowering.tokens)
        .map(|token| (token.id.0, token.from, token.to))
        .collect()
}

/// Case 9: the logits of GPT-2 are almost all negative, and dividing would make them likelier.
#[test]
fn a_positive_logit_is_divided_and_a_negative_one_multiplied() {
    let logits = [3.0, -2.0, 0.0, -0.0, 1.5, MASKED];
    let trace = run(&logits, &StepContext { seen: &ids([1, 0, 2, 3, 5, 0, 1, 99]), allowed: None }, &penalty(1.5));
    assert_eq!(lowered(&trace), [(0, 3.0, 2.0), (1, -2.0, -3.0)]);
    assert_eq!(kept(&trace), [0, 4, 2, 3, 1], "by the lowered logits: 2, 1.5, 0, 0, -3");
    let at = |rank: usize| (trace.kept[rank].logit, trace.kept[rank].scaled);
    assert_eq!([at(0), at(1), at(4)], [(3.0, 2.0), (1.5, 1.5), (-2.0, -3.0)]);
    assert_eq!(trace.removals.map(|removal| removal.count), [1, 0, 0, 0]);
    assert_eq!(trace.lowered(TokenId(4)), None);
}

#[test]
fn the_mass_moved_is_what_the_lowered_tokens_lost() {
    // Weights 4 and 1 become 2 and 1: 4/5 of the probability becomes 2/3.
    let logits = [4.0_f32.ln(), 0.0];
    let trace = run(&logits, &StepContext { seen: &ids([0]), allowed: None }, &penalty(2.0));
    let mass = trace.lowering.unwrap().mass;
    assert!((mass - (4.0 / 5.0 - 2.0 / 3.0)).abs() < 1e-7, "{mass}");
    assert!((trace.kept[0].probability - 2.0 / 3.0).abs() < 1e-7);

    // One token has it all, and loses it all to one that was 200 nats below.
    let trace = run(&[100.0, -100.0], &StepContext { seen: &ids([0]), allowed: None }, &penalty(1e6));
    assert_eq!(trace.lowering.unwrap().mass, 0.0, "1e-4 is still above -100");
    let trace = run(&[-1.0, -200.0], &StepContext { seen: &ids([0]), allowed: None }, &penalty(1e6));
    assert_eq!(trace.lowering.unwrap().mass, 1.0);
}

#[test]
fn greedy_leaves_a_token_that_the_penalty_lowers_below_the_next() {
    let greedy = Settings { temperature: Temperature::ZERO, ..penalty(1.3) };
    let seen = ids([1]);
    let context = StepContext { seen: &seen, allowed: None };
    let trace = run(&[1.0, 1.25, -7.0], &context, &greedy);
    assert_eq!((trace.token, trace.kept[0].scaled), (TokenId(0), 1.0), "1.25 / 1.3 is below 1");
    let trace = run(&[1.0, 1.31, -7.0], &context, &greedy);
    assert_eq!((trace.token, trace.kept[0].logit), (TokenId(1), 1.31));
    assert!((trace.kept[0].scaled - f64::from(1.31_f32) / 1.3).abs() < 1e-15);
}

#[test]
fn the_penalty_comes_before_temperature_and_filters() {
    let settings =
        Settings { temperature: Temperature::new(0.5).unwrap(), top_k: TopK::new(2).unwrap(), ..penalty(2.0) };
    let trace = run(&[3.0, 2.0, 1.0], &StepContext { seen: &ids([0, 1]), allowed: None }, &settings);
    // 1.5, 1, 1 after the penalty: top-k keeps the first two, ties by lower id.
    assert_eq!(kept(&trace), [0, 1]);
    assert_eq!([trace.kept[0].scaled, trace.kept[1].scaled], [3.0, 2.0]);
    assert_eq!(trace.removed_by(2), Some(Filter::TopK));
}

#[test]
fn an_extreme_penalty_removes_nothing() {
    let logits = [f32::MAX, f32::MIN, -1.0, 1e-40];
    let seen = ids([0, 1, 2, 3]);
    for value in [1.0_f64.next_up(), 1e300, f64::MAX] {
        for temperature in [0.0, 1e-320, 1.0] {
            let settings = Settings { temperature: Temperature::new(temperature).unwrap(), ..penalty(value) };
            let trace = run(&logits, &StepContext { seen: &seen, allowed: None }, &settings);
            assert!(trace.lowering.iter().flat_map(|lowering| &lowering.tokens).all(|token| token.to.is_finite()));
            assert!(trace.entropy.is_finite() && trace.kept.iter().all(|kept| kept.scaled.is_finite()));
        }
    }
}

#[test]
fn forbidden_tokens_go_first_with_the_mass_that_the_model_gave_them() {
    // .4 .3 .2 .1; the likeliest and the least likely are forbidden.
    let logits = [0.4_f32, 0.3, 0.2, 0.1].map(f32::ln);
    let allowed = set(4, [1, 2]);
    let context = StepContext { seen: &[], allowed: Some(&allowed) };
    let settings = Settings { temperature: Temperature::new(0.25).unwrap(), ..Settings::default() };
    let trace = run(&logits, &context, &settings);
    assert_eq!(kept(&trace), [1, 2]);
    let [_, constraint, ..] = trace.removals;
    assert_eq!((constraint.filter, constraint.count), (Filter::Constraint, 2));
    assert!((constraint.mass - 0.5).abs() < 1e-7, "at temperature 1: {}", constraint.mass);
    assert_eq!(
        [1, 2, 3, 4].map(|rank| trace.removed_by(rank)),
        [None, Some(Filter::Constraint), Some(Filter::Constraint), None]
    );
    assert_eq!(trace.log_probability, log_softmax_at(&logits, trace.token), "of the raw logits");

    let ranking = Ranking::in_context(&logits, &context, RepetitionPenalty::OFF).unwrap();
    assert_eq!(ranking.ids(), ids([1, 2, 0, 3]));
}

#[test]
fn mask_constraint_penalty_and_filters_compose() {
    let logits = [5.0, 4.0, 3.5, 3.0, 1.0, MASKED];
    let allowed = set(6, [1, 2, 3, 4, 5]);
    let seen = ids([0, 1, 5]);
    let settings = Settings { top_k: TopK::new(3).unwrap(), top_p: TopP::new(0.7).unwrap(), ..penalty(2.0) };
    let trace = run(&logits, &StepContext { seen: &seen, allowed: Some(&allowed) }, &settings);
    // Left after constraint and penalty: 3.5, 3, 2 (was 4), 1; k leaves three; .55 + .33 reaches .7.
    assert_eq!(kept(&trace), [2, 3]);
    assert_eq!(trace.removals.map(|removal| removal.count), [1, 1, 1, 1]);
    assert_eq!(lowered(&trace), [(1, 4.0, 2.0)], "0 is forbidden, 5 is masked");
    let by_rank = [1, 2, 3, 4, 5].map(|rank| trace.removed_by(rank));
    let (k, p) = (Some(Filter::TopK), Some(Filter::TopP));
    assert_eq!(by_rank, [None, p, k, Some(Filter::Constraint), Some(Filter::Mask)]);
}

#[test]
fn a_constraint_that_leaves_nothing_is_an_error() {
    let logits = [1.0, 2.0, MASKED];
    for allowed in [TokenSet::none(3), set(3, [2]), set(99, [42]), TokenSet::none(0)] {
        let context = StepContext { seen: &[], allowed: Some(&allowed) };
        let refused = step_in(&logits, &context, &Settings::default(), Unit::new(0.5).unwrap()).unwrap_err();
        assert_eq!(refused, LogitsError::AllForbidden { live: 2, allowed: allowed.len() });
    }
    let text = LogitsError::AllForbidden { live: 2, allowed: 0 }.to_string();
    assert!(text.starts_with("none of the 2 tokens that could be drawn is among the 0 that"), "{text}");
}

#[test]
fn bad_logits_are_refused_even_where_they_are_forbidden() {
    let allowed = set(2, [0]);
    let context = StepContext { seen: &[], allowed: Some(&allowed) };
    let bad = |logits: &[f32]| step_in(logits, &context, &penalty(1.5), Unit::new(0.5).unwrap()).unwrap_err();
    assert!(matches!(bad(&[1.0, f32::NAN]), LogitsError::NotFinite { index: 1, .. }));
    assert_eq!(bad(&[]), LogitsError::Empty);
    assert_eq!(bad(&[MASKED, MASKED]), LogitsError::AllRemoved { n_vocab: 2 });
    let other = Ranking::new(&[1.0]);
    let refused = step_ranked_in(&[1.0, 2.0], &other, &context, &penalty(1.5), Unit::new(0.5).unwrap());
    assert_eq!(refused.unwrap_err(), LogitsError::OtherRanking { n_ranked: 1, n_vocab: 2 });
}

/// Without a context the setting has nothing to lower.
#[test]
fn a_plain_step_lowers_nothing() {
    let trace = step(&[1.0, 2.0], &penalty(1.5), Unit::new(0.5).unwrap()).unwrap();
    assert_eq!(trace.lowering, None);
    let trace = run(&[1.0, 2.0], &StepContext::default(), &penalty(1.5));
    assert_eq!(lowered(&trace), []);
    assert_eq!(trace.lowering.unwrap().mass, 0.0);
}
