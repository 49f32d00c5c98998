//! Batches and slots for the tests, put together by hand.

use nucleus_decode::{BatchStep, PaddedGrid, Request, RowStep, RowToken, SlotStep, SlotsStep, StopReason, Timeline};
use nucleus_sampler::TokenId;

pub const PAD: TokenId = TokenId(2);

/// A token with log-probability -0.5.
pub fn token(id: u32, n_before: usize, done: Option<StopReason>) -> RowToken {
    let sum = -0.5 * (n_before + 1) as f64;
    RowToken { token: TokenId(id), log_probability: -0.5, sum, done }
}

/// Prompts of these lengths; row `i` draws `n_new[i]` tokens in `n_steps` steps, the last of which ends the text.
pub fn grid(n_prompts: &[usize], n_new: &[usize], n_steps: usize) -> PaddedGrid {
    let prompt = |&n: &usize| (0..n as u32).map(TokenId).collect();
    let mut grid = PaddedGrid::new(&n_prompts.iter().map(prompt).collect::<Vec<_>>(), PAD);
    for index in 0..n_steps {
        let row = |&n: &usize| match index < n {
            true => RowStep::Drawn(token(3, index, (index + 1 == n).then_some(StopReason::EndOfText))),
            false => RowStep::Frozen { pad: PAD, sum: -0.5 * n as f64, reason: StopReason::EndOfText },
        };
        grid.push(&BatchStep { index, rows: n_new.iter().map(row).collect() });
    }
    grid
}

/// Requests that arrive at these steps.
pub fn requests(arrivals: &[usize]) -> Vec<Request> {
    let request = |&arrives_at: &usize| Request { prompt: vec![TokenId(0)], max_new_tokens: 9, arrives_at };
    arrivals.iter().map(request).collect()
}

/// A timeline of blocks: request, slot, start, length.
pub fn timeline(n_slots: usize, blocks: &[(usize, usize, usize, usize)]) -> Timeline {
    let end = blocks.iter().map(|block| block.2 + block.3).max().unwrap_or_default();
    let mut timeline = Timeline::new(n_slots);
    for index in 0..end {
        let slot = |slot: usize| {
            let has = |block: &&(usize, usize, usize, usize)| {
                block.1 == slot && (block.2..block.2 + block.3).contains(&index)
            };
            match blocks.iter().find(has) {
                None => SlotStep::Idle,
                Some(&(request, _, start, _)) if start == index => {
                    SlotStep::Prefill { request, n_prompt: 1, token: token(0, 0, None) }
                }
                Some(&(request, ..)) => SlotStep::Decode { request, token: token(0, 0, None) },
            }
        };
        let slots = (0..n_slots).map(slot).collect();
        timeline.push(&SlotsStep { index, arrivals: Vec::new(), slots, queue: Vec::new() });
    }
    timeline
}
