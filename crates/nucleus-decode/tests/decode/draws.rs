use nucleus_decode::{Plan, Step};
use nucleus_sampler::{
    Draw, Filter, RepetitionPenalty, Settings, StepContext, Temperature, TokenId, TopK, TopP, Uniforms, log_softmax_at,
    step_in,
};

use crate::canned::{Canned, N_VOCAB, greedy, mixed, plan, run, tokens};

fn settings(temperature: f64, top_k: u32, top_p: f64) -> Settings {
    Settings {
        temperature: Temperature::new(temperature).unwrap(),
        top_k: TopK::from(top_k),
        top_p: TopP::new(top_p).unwrap(),
        ..Settings::default()
    }
}

fn steps(plan: &Plan) -> Vec<Step> {
    run(&mut Canned::new(64, mixed), plan).0
}

fn long(seed: u64, settings: Settings) -> Plan {
    Plan { seed, settings, max_new_tokens: 40, ..plan(&[3, 1]) }
}

#[test]
fn token_i_is_drawn_with_the_ith_uniform_of_the_seed() {
    for settings in [settings(1.0, 0, 1.0), settings(0.7, 5, 0.9), settings(3.0, 1, 1.0)] {
        let mut uniforms = Uniforms::new(42);
        for step in steps(&long(42, settings)) {
            let u = uniforms.draw();
            assert!(matches!(step.trace.draw, Draw::Uniform { u: used, .. } if used == u), "new token {}", step.index);
            assert_eq!(step.trace, nucleus_sampler::step(&step.logits, &settings, u).unwrap());
        }
    }
}

#[test]
fn a_seed_gives_the_same_text_again_and_another_seed_another() {
    let texts: Vec<Vec<TokenId>> = (1..=5).map(|seed| tokens(&steps(&long(seed, Settings::default())))).collect();
    for (index, text) in texts.iter().enumerate() {
        assert_eq!(*text, tokens(&steps(&long(index as u64 + 1, Settings::default()))));
        assert!(!texts[..index].contains(text), "seed {} repeats an earlier one", index + 1);
    }
}

#[test]
fn at_temperature_zero_no_uniform_is_used_and_the_seed_changes_nothing() {
    let first = steps(&long(1, greedy()));
    assert_eq!(first, steps(&long(2, greedy())));
    for step in &first {
        assert_eq!(step.trace.consumed(), 0);
        let likeliest = step.logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        assert_eq!(step.trace.token.index(), step.logits.iter().position(|&logit| logit == likeliest).unwrap());
    }
}

#[test]
fn log_probabilities_are_of_the_raw_logits_whatever_the_settings() {
    for settings in [greedy(), settings(0.3, 0, 0.5), settings(2.0, 3, 1.0)] {
        let mut model = Canned::new(64, mixed);
        let (steps, outcome) = run(&mut model, &long(9, settings));
        let outcome = outcome.unwrap();
        assert_eq!(outcome.log_probabilities.len(), outcome.tokens.len());
        for (step, log_probability) in steps.iter().zip(outcome.log_probabilities) {
            let expected = log_softmax_at(&step.logits, step.trace.token);
            assert!((log_probability - expected).abs() < 1e-12, "{log_probability} is not {expected}");
            assert!(log_probability < -1e-3, "no token of this model is certain");
        }
    }
}

#[test]
fn padded_columns_are_masked_before_anything_else() {
    const N_TOKENIZER: usize = 9;
    for padding in [100.0, f32::INFINITY, f32::NAN] {
        let mut model = Canned::new(64, move |window| {
            let mut logits = mixed(window);
            logits[N_TOKENIZER..].fill(padding);
            logits
        });
        for settings in [greedy(), settings(1.0, 0, 1.0), settings(1.0, 10, 0.9)] {
            let plan = Plan { n_tokenizer: N_TOKENIZER, ..long(3, settings) };
            let (steps, outcome) = run(&mut model, &plan);
            assert_eq!(outcome.unwrap().tokens.len(), 40);
            for step in steps {
                assert!(step.trace.token.index() < N_TOKENIZER);
                assert!(step.logits[N_TOKENIZER..].iter().all(|&logit| logit == f32::NEG_INFINITY));
                assert_eq!(step.logits.len(), N_VOCAB);
                assert_eq!(step.trace.removals[0].filter, Filter::Mask);
                assert_eq!(step.trace.removals[0].count, N_VOCAB - N_TOKENIZER);
            }
        }
    }
}

#[test]
fn a_tokenizer_with_more_ids_than_the_model_has_columns_masks_nothing() {
    for step in steps(&Plan { n_tokenizer: N_VOCAB + 5, ..plan(&[1]) }) {
        assert_eq!(step.trace.removals[0].count, 0);
    }
}

/// Token 3 always leads, at 1.5 before 1.4 of token 7, 1.3 of token 5 and zeros. A penalty of 1.2 brings it to 1.25.
#[test]
fn the_penalty_sees_prompt_and_text() {
    let mut logits = vec![0.0; N_VOCAB];
    (logits[3], logits[7], logits[5]) = (1.5, 1.4, 1.3);
    let penalty = |value| Settings { repetition_penalty: RepetitionPenalty::new(value).unwrap(), ..greedy() };
    let text = |prompt: &[u32], value| {
        let logits = logits.clone();
        let mut model = Canned::new(4, move |_| logits.clone());
        let (steps, _) = run(&mut model, &Plan { settings: penalty(value), max_new_tokens: 4, ..plan(prompt) });
        tokens(&steps).iter().map(|token| token.0).collect::<Vec<_>>()
    };
    assert_eq!(text(&[1], 1.0), [3, 3, 3, 3]);
    assert_eq!(text(&[1], 1.2), [3, 7, 5, 3], "all three seen: the largest leads again");
    assert_eq!(text(&[3], 1.2), [7, 5, 3, 3], "the prompt counts");
    assert_eq!(text(&[3, 1, 1, 1, 1], 1.2), [7, 5, 3, 3], "also what the model no longer sees");
}

#[test]
fn a_step_with_a_penalty_is_the_samplers_own() {
    let settings = Settings { repetition_penalty: RepetitionPenalty::new(1.4).unwrap(), ..settings(0.9, 8, 0.95) };
    let plan = long(5, settings);
    let mut seen = plan.prompt.clone();
    for step in steps(&plan) {
        let u = Uniforms::nth(5, step.index as u64);
        let context = StepContext { seen: &seen, allowed: None };
        assert_eq!(step.trace, step_in(&step.logits, &context, &settings, u).unwrap());
        seen.push(step.trace.token);
    }
}
