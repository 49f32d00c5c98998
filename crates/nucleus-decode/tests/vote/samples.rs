use std::ops::ControlFlow;

use nucleus_decode::{DecodeError, LanguageModel, Outcome, Plan, SampleStep, StopReason, sample_many};
use nucleus_sampler::{Draw, TokenId, Uniforms};

use crate::canned::{Call, Canned, DeviceLost, block_on, greedy, ids, mixed, plan, run};

fn samples(model: &mut Canned, plan: &Plan, n: u32) -> Vec<Outcome> {
    block_on(sample_many(model, plan, n, async |_| ControlFlow::Continue(()))).unwrap()
}

#[test]
fn sample_i_does_not_depend_on_n() {
    let plan = Plan { end_of_text: Some(TokenId(4)), max_new_tokens: 12, ..plan(&[1, 2]) };
    let ten = samples(&mut Canned::new(64, mixed), &plan, 10);
    assert_eq!(ten.len(), 10);
    for n in 0..10 {
        assert_eq!(samples(&mut Canned::new(64, mixed), &plan, n), ten[..n as usize]);
    }
    for (index, sample) in ten.iter().enumerate() {
        assert!(!ten[..index].contains(sample), "sample {index} repeats an earlier one");
    }
}

/// To the bit, also where the window slides and the prompt has to be read again.
#[test]
fn sample_i_is_a_fresh_run_with_stream_i() {
    for n_ctx in [2, 3, 5, 9, 64] {
        let plan = Plan { max_new_tokens: 8, ..plan(&[1, 2]) };
        let mut steps: Vec<SampleStep> = Vec::new();
        let mut model = Canned::new(n_ctx, mixed);
        let outcomes = block_on(sample_many(&mut model, &plan, 4, async |step: SampleStep| {
            steps.push(step);
            ControlFlow::Continue(())
        }));
        for (stream, outcome) in (0..).zip(outcomes.unwrap()) {
            let alone = run(&mut Canned::new(n_ctx, mixed), &Plan { stream: Some(stream), ..plan.clone() });
            assert_eq!(Ok(outcome), alone.1);
            let of_sample = steps.iter().filter(|step| step.sample == stream).map(|step| step.step.clone());
            assert_eq!(of_sample.collect::<Vec<_>>(), alone.0, "sample {stream} of a window of {n_ctx}");
        }
    }
}

#[test]
fn token_j_of_sample_i_is_drawn_with_number_j_of_stream_i() {
    let plan = Plan { seed: 42, stream: Some(3), max_new_tokens: 6, ..plan(&[1]) };
    let mut uniforms = Uniforms::spawned(42, 3);
    for step in run(&mut Canned::new(64, mixed), &plan).0 {
        assert!(matches!(step.trace.draw, Draw::Uniform { u, .. } if u == uniforms.draw()));
    }
}

#[test]
fn the_prompt_is_read_once() {
    let mut model = Canned::new(64, mixed);
    let outcomes = samples(&mut model, &Plan { max_new_tokens: 3, ..plan(&[4, 6]) }, 3);
    let fed = |outcome: &Outcome| outcome.tokens[..2].iter().map(|&id| Call::Step(id)).collect::<Vec<_>>();
    let expected: Vec<Call> = outcomes.iter().flat_map(fed).collect();
    assert_eq!(model.calls[0], Call::Prefill(ids(&[4, 6])));
    assert_eq!(model.calls[1..], expected);
    assert_eq!(model.len(), 4);
}

#[test]
fn at_temperature_zero_all_samples_are_the_same() {
    let outcomes = samples(&mut Canned::new(64, mixed), &Plan { settings: greedy(), ..plan(&[1]) }, 3);
    assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]));
}

#[test]
fn a_break_ends_the_sample_at_hand_and_all_after_it() {
    let mut model = Canned::new(64, mixed);
    let outcomes = block_on(sample_many(&mut model, &plan(&[1]), 9, async |step: SampleStep| {
        if step.sample == 2 && step.step.index == 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }));
    let outcomes = outcomes.unwrap();
    let reasons: Vec<StopReason> = outcomes.iter().map(|outcome| outcome.reason).collect();
    assert_eq!(reasons, [StopReason::TokenLimit, StopReason::TokenLimit, StopReason::User]);
    assert_eq!(outcomes[2].tokens.len(), 2);
    assert_eq!(outcomes[2].tokens, samples(&mut Canned::new(64, mixed), &plan(&[1]), 3)[2].tokens[..2]);
}

#[test]
fn nothing_to_draw_is_no_work() {
    let mut model = Canned::new(64, mixed);
    let outcomes = samples(&mut model, &Plan { max_new_tokens: 0, ..plan(&[1]) }, 2);
    assert!(outcomes.iter().all(|outcome| outcome.tokens.is_empty() && outcome.reason == StopReason::TokenLimit));
    assert_eq!(model.calls, []);
}

#[test]
fn a_model_that_fails_ends_all() {
    let mut model = Canned::new(64, mixed).failing_at_call(7);
    let mut n_steps = 0;
    let outcomes = block_on(sample_many(&mut model, &plan(&[1]), 9, async |_| {
        n_steps += 1;
        ControlFlow::Continue(())
    }));
    assert_eq!(outcomes, Err(DecodeError::Model(DeviceLost)));
    // The first sample takes five calls; of the second, whose first token costs none, three tokens came.
    assert_eq!(n_steps, 8);
}
