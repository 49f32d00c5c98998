//! Plans, and what a prompt says alone.

use std::ops::ControlFlow;

use nucleus_decode::{
    BatchError, BatchPlan, BatchStep, Outcome, Request, SlotsPlan, SlotsStep, StopReason, generate_batch,
    generate_slots,
};
use nucleus_sampler::{Settings, Temperature, TokenId, Uniforms, step};
use proptest::prelude::{Strategy, prop_oneof, proptest};
use proptest::strategy::Just;

use crate::canned::{Canned, DeviceLost, N_VOCAB, block_on, greedy, ids, mixed};

pub const END: TokenId = TokenId(9);
pub const PAD: TokenId = TokenId(11);

/// After each id the next one up, with probability one half; else 11. Greedy counts on until 11.
pub fn counting(n_ctx: usize) -> Canned {
    Canned::new(n_ctx, |window| {
        let mut logits = vec![f32::NEG_INFINITY; N_VOCAB];
        logits[(window.last().unwrap().index() + 1).min(10)] = 0.0;
        logits[11] = 0.0;
        logits
    })
}

/// Greedy, at most 4 new tokens, 9 ends a text, 11 is the pad id.
pub fn batch(prompts: &[&[u32]]) -> BatchPlan {
    BatchPlan {
        prompts: prompts.iter().map(|prompt| ids(prompt)).collect(),
        settings: greedy(),
        seed: 1,
        max_new_tokens: 4,
        end_of_text: Some(END),
        pad: PAD,
        n_tokenizer: N_VOCAB,
    }
}

/// Greedy, 9 ends a text. A request is a prompt, how many tokens it wants at most, and when it arrives.
pub fn served(slots: usize, requests: &[(&[u32], usize, usize)]) -> SlotsPlan {
    let request = |&(prompt, max_new_tokens, arrives_at): &(&[u32], usize, usize)| Request {
        prompt: ids(prompt),
        max_new_tokens,
        arrives_at,
    };
    SlotsPlan {
        slots,
        requests: requests.iter().map(request).collect(),
        settings: greedy(),
        seed: 1,
        end_of_text: Some(END),
        n_tokenizer: N_VOCAB,
    }
}

pub type Run<Step> = (Vec<Step>, Result<Vec<Outcome>, BatchError<DeviceLost>>);

/// Runs a batch to its end.
pub fn run(model: &mut Canned, plan: &BatchPlan) -> Run<BatchStep> {
    run_until(model, plan, usize::MAX)
}

/// Breaks at the step with this index.
pub fn run_until(model: &mut Canned, plan: &BatchPlan, last: usize) -> Run<BatchStep> {
    let mut steps = Vec::new();
    let outcomes = block_on(generate_batch(model, plan, async |step| {
        let answer = answer(step.index, last);
        steps.push(step);
        answer
    }));
    (steps, outcomes)
}

/// Runs slots to their end.
pub fn serve(model: &mut Canned, plan: &SlotsPlan) -> Run<SlotsStep> {
    serve_until(model, plan, usize::MAX)
}

/// Breaks at the step with this index.
pub fn serve_until(model: &mut Canned, plan: &SlotsPlan, last: usize) -> Run<SlotsStep> {
    let mut steps = Vec::new();
    let outcomes = block_on(generate_slots(model, plan, async |step| {
        let answer = answer(step.index, last);
        steps.push(step);
        answer
    }));
    (steps, outcomes)
}

fn answer(index: usize, last: usize) -> ControlFlow<()> {
    if index >= last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// What stays the same when a prompt is alone.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    pub settings: Settings,
    pub seed: u64,
    pub end_of_text: Option<TokenId>,
    pub n_ctx: usize,
}

/// What a prompt says alone, on [`mixed`], by stream `stream`: the loop as a learner would write it.
pub fn alone(prompt: &[TokenId], max_new_tokens: usize, stream: u32, terms: Terms) -> Outcome {
    let mut uniforms = Uniforms::spawned(terms.seed, stream);
    let mut text = prompt.to_vec();
    let mut log_probabilities = Vec::new();
    let reason = loop {
        if log_probabilities.len() == max_new_tokens {
            break StopReason::TokenLimit;
        }
        if text.len() > terms.n_ctx {
            break StopReason::Context;
        }
        let trace = step(&mixed(&text), &terms.settings, uniforms.draw()).unwrap();
        text.push(trace.token);
        log_probabilities.push(trace.log_probability);
        if terms.end_of_text == Some(trace.token) {
            break StopReason::EndOfText;
        }
    };
    Outcome { reason, tokens: text.split_off(prompt.len()), log_probabilities }
}

pub fn prompt() -> impl Strategy<Value = Vec<TokenId>> {
    proptest::collection::vec((0..N_VOCAB as u32).prop_map(TokenId), 1..7)
}

pub fn terms() -> impl Strategy<Value = Terms> {
    let temperature = prop_oneof![Just(0.0), Just(0.5), Just(1.0), Just(3.0)];
    let end_of_text = proptest::option::of((0..N_VOCAB as u32).prop_map(TokenId));
    (temperature, proptest::num::u64::ANY, end_of_text, 3..12_usize).prop_map(
        |(temperature, seed, end_of_text, n_ctx)| {
            let settings = Settings { temperature: Temperature::new(temperature).unwrap(), ..Settings::default() };
            Terms { settings, seed, end_of_text, n_ctx }
        },
    )
}

proptest! {
    /// The loop above is the one of `generate`, but for the stream.
    #[test]
    fn greedy_the_loop_of_these_tests_is_generate(prompt in prompt(), terms in terms(), max_new_tokens in 0..9_usize) {
        let plan = nucleus_decode::Plan {
            settings: greedy(),
            end_of_text: terms.end_of_text,
            max_new_tokens,
            past_context: nucleus_decode::PastContext::Stop,
            prompt: prompt.clone(),
            ..crate::canned::plan(&[])
        };
        let outcome = crate::canned::run(&mut Canned::new(terms.n_ctx, mixed), &plan).1.unwrap();
        let terms = Terms { settings: greedy(), ..terms };
        proptest::prop_assert_eq!(alone(&prompt, max_new_tokens, 3, terms), outcome);
    }
}
