//! Past the context length the model sees the declared window and nothing else (case 21).
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use common::{load, wait};
use nucleus_decode::sampler::{Settings, Temperature, TokenId};
use nucleus_decode::{LanguageModel, Outcome, PastContext, Plan, Script, Step, StopReason, generate};
use nucleus_gpt2::Gpt2;

fn plan(model: &Gpt2, prompt: usize, max_new_tokens: usize, past_context: PastContext) -> Plan {
    Plan {
        prompt: (0..prompt).map(|i| TokenId(((i * 37 + 11) % model.n_vocab()) as u32)).collect(),
        settings: Settings { temperature: Temperature::ZERO, ..Settings::default() },
        seed: 0,
        stream: None,
        script: Script::default(),
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

/// Text and logits, to the bit, within the context and past its end; and whatever another branch has left in the cache.
#[test]
fn a_run_goes_on_from_any_of_its_tokens_as_it_went() {
    let mut model = load("gpt2-tiny-random");
    let sampled = Settings::default();
    let plan = Plan { settings: sampled, seed: 7, ..plan(&model, model.n_ctx() - 8, 12, PastContext::Slide) };
    let (whole, steps) = run(&mut model, &plan);
    for n in [0, 1, 5, 8, 9, 11] {
        let other = TokenId((whole.tokens[n].0 + 1) % model.n_vocab() as u32);
        let given = whole.tokens[..n].to_vec();
        let forced = Script { given: given.clone(), forced: BTreeMap::from([(n, other)]) };
        let (branch, _) = run(&mut model, &Plan { script: forced, ..plan.clone() });
        assert_eq!((&branch.tokens[..n], branch.tokens[n]), (&given[..], other));
        let script = Script { given, ..Script::default() };
        let (again, rest) = run(&mut model, &Plan { script, ..plan.clone() });
        assert_eq!(again, whole, "from token {n}");
        assert!(rest == steps[n..], "from token {n} the logits differ");
    }
}
