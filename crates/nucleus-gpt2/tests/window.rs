//! Past the context length the model sees the declared window and nothing else (case 21).
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use std::ops::ControlFlow;

use common::{load, wait};
use nucleus_decode::sampler::{Settings, Temperature, TokenId};
use nucleus_decode::{LanguageModel, Outcome, PastContext, Plan, Step, StopReason, generate};
use nucleus_gpt2::Gpt2;

fn plan(model: &Gpt2, prompt: usize, max_new_tokens: usize, past_context: PastContext) -> Plan {
    Plan {
        prompt: (0..prompt).map(|i| TokenId(((i * 37 + 11) % model.n_vocab()) as u32)).collect(),
        settings: Settings { temperature: Temperature::ZERO, ..Settings::default() },
        seed: 0,
        stream: None,
        script: nucleus_decode::Script::default(),
        max_new_tokens,
        end_of_text: None,
        n_tokenizer: model.n_vocab(),
        past_context,
    }
}

fn run(model: &mut Gpt2, plan: &Plan) -> (Outcome, Vec<Step>) {
    let mut steps = Vec::new();
    let outcome = wait(generate(model, plan, async |step: Step| {
        steps.push(step);
        ControlFlow::Continue(())
    }));
    (outcome.unwrap(), steps)
}

/// Each step's logits are those of the last `n_ctx` ids, encoded without a cache.
fn check_windows(model: &Gpt2, plan: &Plan, outcome: &Outcome, steps: &[Step]) {
    let all: Vec<TokenId> = plan.prompt.iter().chain(&outcome.tokens).copied().collect();
    for step in steps {
        let end = plan.prompt.len() + step.index;
        assert_eq!(step.window_start, end.saturating_sub(model.n_ctx()), "step {}", step.index);
        let full = wait(model.logits_at_every_position(&all[step.window_start..end])).unwrap();
        let pairs = step.logits.iter().zip(full.last().unwrap());
        let distance = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(distance <= 2e-5, "step {}: {distance}", step.index);
    }
}

#[test]
fn ten_new_tokens_four_before_the_end() {
    let mut model = load("gpt2-tiny-random");
    let plan = plan(&model, model.n_ctx() - 4, 10, PastContext::Slide);
    let (outcome, steps) = run(&mut model, &plan);
    assert_eq!((outcome.reason, steps.len()), (StopReason::TokenLimit, 10));
    assert_eq!(steps.last().unwrap().window_start, 5);
    check_windows(&model, &plan, &outcome, &steps);
}

#[test]
fn a_prompt_one_too_long() {
    let mut model = load("gpt2-tiny-random");
    let plan = plan(&model, model.n_ctx() + 1, 3, PastContext::Slide);
    let (outcome, steps) = run(&mut model, &plan);
    assert_eq!(steps.iter().map(|step| step.window_start).collect::<Vec<_>>(), [1, 2, 3]);
    check_windows(&model, &plan, &outcome, &steps);
}

#[test]
fn stopping_at_the_end_of_the_context() {
    let mut model = load("gpt2-tiny-random");
    let plan = plan(&model, model.n_ctx() - 4, 10, PastContext::Stop);
    let (outcome, steps) = run(&mut model, &plan);
    assert_eq!(outcome.reason, StopReason::Context);
    check_windows(&model, &plan, &outcome, &steps);
}
