//! Plans, and what a prompt says alone.

use std::ops::ControlFlow;

use nucleus_decode::{
    BatchError, BatchPlan, BatchStep, Outcome, PastContext, Plan, Request, SlotsPlan, SlotsStep, generate_batch,
    generate_slots,
};
use nucleus_sampler::{RepetitionPenalty, Settings, Temperature, TokenId};
use proptest::prelude::{Strategy, prop_oneof};
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

/// What a prompt says alone, on [`mixed`], by stream `stream`.
pub fn alone(prompt: &[TokenId], max_new_tokens: usize, stream: u32, terms: Terms) -> Outcome {
    let plan = Plan {
        prompt: prompt.to_vec(),
        settings: terms.settings,
        seed: terms.seed,
        stream: Some(stream),
        script: nucleus_decode::Script::default(),
        max_new_tokens,
        end_of_text: terms.end_of_text,
        n_tokenizer: N_VOCAB,
        past_context: PastContext::Stop,
    };
    crate::canned::run(&mut Canned::new(terms.n_ctx, mixed), &plan).1.unwrap()
}

pub fn prompt() -> impl Strategy<Value = Vec<TokenId>> {
    proptest::collection::vec((0..N_VOCAB as u32).prop_map(TokenId), 1..7)
}

pub fn terms() -> impl Strategy<Value = Terms> {
    let temperature = prop_oneof![Just(0.0), Just(0.5), Just(1.0), Just(3.0)];
    let penalty = prop_oneof![Just(1.0), Just(2.5)];
    let settings = (temperature, penalty).prop_map(|(temperature, penalty)| Settings {
        temperature: Temperature::new(temperature).unwrap(),
        repetition_penalty: RepetitionPenalty::new(penalty).unwrap(),
        ..Settings::default()
    });
    let end_of_text = proptest::option::of((0..N_VOCAB as u32).prop_map(TokenId));
    (settings, proptest::num::u64::ANY, end_of_text, 3..12_usize)
        .prop_map(|(settings, seed, end_of_text, n_ctx)| Terms { settings, seed, end_of_text, n_ctx })
}
