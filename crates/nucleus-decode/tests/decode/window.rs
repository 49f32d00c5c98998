use nucleus_decode::Plan;
use nucleus_sampler::TokenId;

use crate::canned::{Call, Canned, ids, mixed, plan, run, tokens};

/// Every step's logits are those of a fresh model on the last `n_ctx` ids before it.
fn assert_steps_equal_uncached(n_ctx: usize, n_prompt: usize, max_new_tokens: usize) {
    let prompt: Vec<u32> = (0..n_prompt).map(|index| index as u32 * 5 % 11).collect();
    let plan = Plan { max_new_tokens, ..plan(&prompt) };
    let (steps, outcome) = run(&mut Canned::new(n_ctx, mixed), &plan);
    assert_eq!(steps.len(), max_new_tokens);
    assert_eq!(outcome.unwrap().tokens, tokens(&steps));
    let mut history = plan.prompt;
    for step in steps {
        let window_start = history.len().saturating_sub(n_ctx);
        assert_eq!(step.window_start, window_start, "new token {}", step.index);
        assert_eq!(step.logits, mixed(&history[window_start..]), "new token {}", step.index);
        history.push(step.trace.token);
    }
}

#[test]
fn a_prompt_one_longer_than_the_context_loses_its_oldest_token() {
    assert_steps_equal_uncached(8, 9, 3);
}

#[test]
fn ten_tokens_after_a_prompt_of_four_less_than_the_context() {
    assert_steps_equal_uncached(8, 4, 10);
    assert_steps_equal_uncached(256, 252, 10);
}

#[test]
fn every_length_around_the_context() {
    for n_ctx in 1..6 {
        for n_prompt in 1..10 {
            assert_steps_equal_uncached(n_ctx, n_prompt, 7);
        }
    }
}

#[test]
fn the_window_is_encoded_anew_for_each_token_past_the_context() {
    let mut model = Canned::new(4, mixed);
    let (steps, _) = run(&mut model, &plan(&[1, 2, 3]));
    let new = tokens(&steps);
    let last_four = |ids: &[TokenId]| Call::Prefill(ids[ids.len() - 4..].to_vec());
    let history = [ids(&[1, 2, 3]), new.clone()].concat();
    let expected = [
        Call::Prefill(ids(&[1, 2, 3])),
        Call::Step(new[0]),
        last_four(&history[..5]),
        last_four(&history[..6]),
        last_four(&history[..7]),
    ];
    assert_eq!(model.calls, expected);
    assert_eq!(steps.iter().map(|step| step.window_start).collect::<Vec<_>>(), [0, 0, 1, 2, 3]);
}

#[test]
fn what_is_fed_back_are_the_ids_that_were_drawn() {
    let mut model = Canned::new(64, mixed);
    let (steps, _) = run(&mut model, &plan(&[1]));
    let fed: Vec<Call> = tokens(&steps)[..4].iter().map(|&id| Call::Step(id)).collect();
    assert_eq!(model.calls[1..], fed);
}

#[test]
fn a_second_run_forgets_the_first() {
    let mut model = Canned::new(8, mixed);
    let first = run(&mut model, &plan(&[1, 2, 3]));
    let second = run(&mut model, &plan(&[1, 2, 3]));
    assert_eq!(first, second);
}
