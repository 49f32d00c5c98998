use std::f64::consts::LN_2;

use nucleus_decode::{Outcome, RowToken, SlotStep, SlotsPlan, StopReason};
use nucleus_sampler::TokenId;

use crate::canned::{Call, ids};
use crate::common::{counting, serve, serve_until, served};

/// A and B are there from the start, C comes at step 1 and waits for A's slot, D comes when all is over.
pub fn four() -> SlotsPlan {
    served(2, &[(&[6], 5, 0), (&[0], 5, 0), (&[7], 5, 1), (&[8], 5, 9)])
}

fn token(token: u32, n: u32, done: Option<StopReason>) -> RowToken {
    RowToken { token: TokenId(token), log_probability: -LN_2, sum: f64::from(n) * -LN_2, done }
}

fn prefill(request: usize, token: RowToken) -> SlotStep {
    SlotStep::Prefill { request, n_prompt: 1, token }
}

fn decode(request: usize, token: RowToken) -> SlotStep {
    SlotStep::Decode { request, token }
}

#[test]
fn a_request_takes_the_slot_of_the_one_that_ended() {
    let (steps, outcomes) = serve(&mut counting(16), &four());
    let (end, limit) = (Some(StopReason::EndOfText), Some(StopReason::TokenLimit));
    let expected = [
        (0, vec![0, 1], [prefill(0, token(7, 1, None)), prefill(1, token(1, 1, None))], vec![]),
        (1, vec![2], [decode(0, token(8, 2, None)), decode(1, token(2, 2, None))], vec![2]),
        (2, vec![], [decode(0, token(9, 3, end)), decode(1, token(3, 3, None))], vec![2]),
        (3, vec![], [prefill(2, token(8, 1, None)), decode(1, token(4, 4, None))], vec![]),
        (4, vec![], [decode(2, token(9, 2, end)), decode(1, token(5, 5, limit))], vec![]),
        (9, vec![3], [prefill(3, token(9, 1, end)), SlotStep::Idle], vec![]),
    ];
    assert_eq!(steps.len(), expected.len());
    for (step, (index, arrivals, slots, queue)) in steps.into_iter().zip(expected) {
        assert_eq!((step.index, step.arrivals, step.queue), (index, arrivals, queue));
        for (slot, expected) in step.slots.iter().zip(slots) {
            // Sums of equal terms, added one by one, differ from the product in their last place.
            let sum = |slot: &SlotStep| slot.token().map_or(0.0, |token| token.sum);
            assert!((sum(slot) - sum(&expected)).abs() < 1e-12);
            let unsummed =
                |slot: &SlotStep| (slot.request(), slot.token().map(|token| RowToken { sum: 0.0, ..*token }));
            assert_eq!(unsummed(slot), unsummed(&expected));
            assert_eq!(std::mem::discriminant(slot), std::mem::discriminant(&expected));
        }
    }
    let texts: Vec<_> = outcomes.unwrap().into_iter().map(|outcome| outcome.tokens).collect();
    assert_eq!(texts, [ids(&[7, 8, 9]), ids(&[1, 2, 3, 4, 5]), ids(&[8, 9]), ids(&[9])]);
}

#[test]
fn prefill_and_decoding_share_a_step() {
    let mut model = counting(16);
    serve(&mut model, &four()).1.unwrap();
    let fed = |rows: &[(usize, u32)]| Call::StepRows(rows.iter().map(|&(row, id)| (row, TokenId(id))).collect());
    let expected = [
        Call::OpenRows(2),
        Call::PrefillRow(0, ids(&[6])),
        Call::PrefillRow(1, ids(&[0])),
        fed(&[(0, 7), (1, 1)]),
        fed(&[(0, 8), (1, 2)]),
        fed(&[(1, 3)]),
        Call::PrefillRow(0, ids(&[7])),
        fed(&[(0, 8), (1, 4)]),
        Call::PrefillRow(0, ids(&[8])),
    ];
    assert_eq!(model.calls, expected);
}

#[test]
fn those_that_arrive_together_are_served_in_the_order_of_the_plan() {
    let plan = served(1, &[(&[8], 1, 3), (&[7], 1, 0), (&[6], 1, 3), (&[5], 1, 0)]);
    let steps = serve(&mut counting(16), &plan).0;
    let order: Vec<_> = steps.iter().map(|step| step.slots[0].request().unwrap()).collect();
    assert_eq!(order, [1, 3, 0, 2]);
    let arrivals: Vec<_> = steps.iter().map(|step| (step.index, step.arrivals.clone())).collect();
    assert_eq!(arrivals, [(0, vec![1, 3]), (1, vec![]), (3, vec![0, 2]), (4, vec![])]);
}

#[test]
fn a_request_that_can_have_no_token_takes_no_slot() {
    let plan = served(1, &[(&[1], 0, 0), (&[1; 9], 3, 2), (&[7], 3, 4), (&[1], 0, 50)]);
    let mut model = counting(8);
    let (steps, outcomes) = serve(&mut model, &plan);
    let found: Vec<_> = outcomes.unwrap().iter().map(|outcome| (outcome.reason, outcome.tokens.len())).collect();
    let expected = [
        (StopReason::TokenLimit, 0),
        (StopReason::Context, 0),
        (StopReason::EndOfText, 2),
        (StopReason::TokenLimit, 0),
    ];
    assert_eq!(found, expected);
    assert_eq!(steps.iter().map(|step| step.index).collect::<Vec<_>>(), [4, 5]);
    assert_eq!(steps[0].arrivals, [0, 1, 2], "all that have come since there was a step");
    let none = served(1, &[(&[1], 0, 0)]);
    let mut model = counting(8);
    assert_eq!(serve(&mut model, &none).0, []);
    assert_eq!(model.calls, []);
}

#[test]
fn a_break_ends_those_that_run_and_those_that_wait() {
    let (steps, outcomes) = serve_until(&mut counting(16), &four(), 2);
    let found: Vec<_> = outcomes.unwrap().into_iter().map(|Outcome { reason, tokens, .. }| (reason, tokens)).collect();
    let expected = [
        (StopReason::EndOfText, ids(&[7, 8, 9])),
        (StopReason::User, ids(&[1, 2, 3])),
        (StopReason::User, vec![]),
        (StopReason::User, vec![]),
    ];
    assert_eq!(found, expected);
    assert_eq!(steps.len(), 3);
}

#[test]
fn more_slots_than_requests_stay_idle() {
    let steps = serve(&mut counting(16), &served(3, &[(&[7], 5, 0)])).0;
    assert_eq!(steps.len(), 2);
    assert!(steps.iter().all(|step| step.slots[1..] == [SlotStep::Idle, SlotStep::Idle]));
}
