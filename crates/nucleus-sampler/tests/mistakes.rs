//! What holds for the five mistakes at any step, and their draws beside NumPy's.
#![cfg(not(target_family = "wasm"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use nucleus_sampler::{
    Mistake, Mistaken, RepetitionPenalty, Settings, StepContext, StepTrace, Temperature, TokenId, TokenSet, TopK, TopP,
    Uniforms, mistakes, step_in,
};
use proptest::prelude::*;

fn settings(temperature: f64, top_k: u32, top_p: f64) -> Settings {
    Settings {
        temperature: Temperature::new(temperature).unwrap(),
        top_k: TopK::from(top_k),
        top_p: TopP::new(top_p).unwrap(),
        ..Settings::default()
    }
}

fn of(all: &[Mistaken], mistake: Mistake) -> &Mistaken {
    all.iter().find(|mistaken| mistaken.mistake == mistake).unwrap()
}

fn sorted(ids: impl Iterator<Item = TokenId>) -> Vec<TokenId> {
    let mut ids: Vec<TokenId> = ids.collect();
    ids.sort_unstable();
    ids
}

/// Whether a mistake goes unnoticed: it keeps and draws the same.
fn hides(right: &StepTrace, wrong: &Mistaken) -> bool {
    let kept = sorted(right.kept.iter().map(|kept| kept.id)) == sorted(wrong.kept.iter().copied());
    kept && wrong.token == Some(right.token)
}

/// A stream whose first number is within the limits.
fn first_within(least: f64, below: f64) -> Uniforms {
    (0..).map(Uniforms::new).find(|stream| (least..below).contains(&stream.peek().get())).unwrap()
}

/// `rng = numpy.random.default_rng(seed); rng.random(skipped); u = rng.random(4)`, then
/// `numpy.argmin(-numpy.log(1 - u) / p)` and `numpy.searchsorted(numpy.cumsum(p), u[0], side="right")`: numpy 2.4.6.
#[test]
fn the_race_is_won_by_the_token_that_numpy_finds() {
    let logits = [0.4_f32, 0.3, 0.2, 0.1].map(f32::ln);
    let numpy = [(1, 0, 2, 1), (1, 3, 1, 3), (4, 0, 3, 3), (5, 0, 3, 2), (5, 3, 1, 0), (7, 3, 3, 0), (8, 3, 2, 2)];
    for (seed, skipped, race, cumulative) in numpy {
        let mut uniforms = Uniforms::new(seed);
        uniforms.advance(skipped);
        let context = StepContext::default();
        let all = mistakes(&logits, &context, &Settings::default(), &uniforms).unwrap();
        let right = step_in(&logits, &context, &Settings::default(), uniforms.peek()).unwrap();
        let found = (of(&all, Mistake::OtherDraw).token, right.token);
        assert_eq!(found, (Some(TokenId(race)), TokenId(cumulative)), "seed {seed} after {skipped}");
    }
}

/// Of .4 .3 .2 .1 with p = .8 three stay with a mass of .9: the first should reach up to .444, and ends at .4.
#[test]
fn without_renormalising_intervals_are_too_short() {
    let logits = [0.4_f32, 0.3, 0.2, 0.1].map(f32::ln);
    let at = |least, below| {
        let uniforms = first_within(least, below);
        let all = mistakes(&logits, &StepContext::default(), &settings(1.0, 0, 0.8), &uniforms).unwrap();
        of(&all, Mistake::NotRenormalised).token.map(|token| token.0)
    };
    assert_eq!([at(0.0, 0.39), at(0.41, 0.44), at(0.71, 0.77), at(0.91, 1.0)], [Some(0), Some(1), Some(2), None]);
}

/// Case 5: at T = .5 the first of 3 2 1 has .88, so that a u above that draws the token that should have gone.
#[test]
fn a_token_that_should_have_gone_can_be_drawn() {
    let all =
        mistakes(&[3.0, 2.0, 1.0], &StepContext::default(), &settings(0.5, 0, 0.8), &first_within(0.9, 1.0)).unwrap();
    assert_eq!(of(&all, Mistake::TemperatureAfterFilter).token, Some(TokenId(1)));
}

/// Constraint and penalty are right in all of them: the logits 3 2 1 9 -1, of which 3 and 1 were seen and 9 is forbidden.
#[test]
fn constraint_and_penalty_come_before_the_mistakes() {
    let penalty = RepetitionPenalty::new(3.0).unwrap();
    let settings = Settings { repetition_penalty: penalty, ..settings(0.7, 0, 0.6) };
    let mut allowed = TokenSet::all(5);
    allowed.remove(TokenId(3));
    let seen = [0, 2, 0].map(TokenId);
    let context = StepContext { seen: &seen, allowed: Some(&allowed) };
    let uniforms = Uniforms::new(1);
    let found = mistakes(&[3.0, 2.0, 1.0, 9.0, -1.0], &context, &settings, &uniforms).unwrap();
    let lowered = [1.0, 2.0, 1.0_f32 / 3.0, f32::NEG_INFINITY, -1.0];
    let plain = mistakes(&lowered, &StepContext::default(), &settings, &uniforms).unwrap();
    let answers = |all: &[Mistaken]| all.iter().map(|one| (one.kept.clone(), one.token)).collect::<Vec<_>>();
    assert_eq!(answers(&found), answers(&plain));
}

prop_compose! {
    fn any_step()(
        logits in prop::collection::vec(prop_oneof![(-6_i8..=6).prop_map(f32::from), -9.0_f32..9.0], 1..60),
        temperature in prop_oneof![Just(1.0), 0.1..4.0],
        top_k in 0_u32..20,
        top_p in prop_oneof![Just(1.0), 0.01..1.0],
        seed in any::<u64>(),
    ) -> (Vec<f32>, Settings, Uniforms) {
        (logits, settings(temperature, top_k, top_p), Uniforms::new(seed))
    }
}

proptest! {
    #[test]
    fn what_is_drawn_was_kept_and_without_filters_only_the_draw_can_differ((logits, settings, uniforms) in any_step()) {
        let context = StepContext::default();
        let right = step_in(&logits, &context, &settings, uniforms.peek()).unwrap();
        let all = mistakes(&logits, &context, &settings, &uniforms).unwrap();
        prop_assert!(all.iter().map(|wrong| wrong.mistake).eq(Mistake::ALL));
        let has_no_filter = settings.top_k.limit(logits.len()) == logits.len() && settings.top_p.is_off();
        for wrong in &all {
            prop_assert!(wrong.token.is_none_or(|token| wrong.kept.contains(&token)));
            prop_assert!(wrong.token.is_some() || wrong.mass < 1.0);
            prop_assert!(!has_no_filter || wrong.mistake == Mistake::OtherDraw || hides(&right, wrong), "{:?}", wrong);
        }
        prop_assert!(of(&all, Mistake::ExclusiveCut).kept.len() <= right.nucleus_size());
        let keeps = |mistake| sorted(of(&all, mistake).kept.iter().copied());
        let kept = sorted(right.kept.iter().map(|kept| kept.id));
        prop_assert_eq!(keeps(Mistake::NotRenormalised), kept.clone());
        prop_assert_eq!(keeps(Mistake::OtherDraw), kept);
        prop_assert!(settings.temperature.get() != 1.0 || hides(&right, of(&all, Mistake::TemperatureAfterFilter)));
    }

    /// With logits of which no two are equal, the order of equals is no matter.
    #[test]
    fn a_reversed_sort_shows_only_where_logits_are_equal(
        (logits, settings, uniforms) in any_step(), noise in prop::collection::vec(0.0_f32..0.001, 60)
    ) {
        let mut logits: Vec<f32> = logits.iter().zip(&noise).map(|(logit, noise)| logit + noise).collect();
        logits.sort_by(f32::total_cmp);
        logits.dedup();
        let context = StepContext::default();
        let right = step_in(&logits, &context, &settings, uniforms.peek()).unwrap();
        let all = mistakes(&logits, &context, &settings, &uniforms).unwrap();
        prop_assert!(hides(&right, of(&all, Mistake::ReversedSort)));
    }
}
