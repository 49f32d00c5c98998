//! What holds for every continuous batch.

use std::collections::HashMap;

use nucleus_decode::{Request, SlotStep, SlotsPlan, SlotsStep, Timeline};
use proptest::collection::vec;
use proptest::prelude::{Strategy, prop_assert, prop_assert_eq, proptest};

use crate::canned::{Canned, N_VOCAB, mixed};
use crate::common::{Terms, alone, prompt, serve, terms};

fn plans() -> impl Strategy<Value = (SlotsPlan, Terms)> {
    let request = (prompt(), 0..7_usize, 0..20_usize).prop_map(|(prompt, max_new_tokens, arrives_at)| Request {
        prompt,
        max_new_tokens,
        arrives_at,
    });
    (1..5_usize, vec(request, 1..9), terms()).prop_map(|(slots, requests, terms)| {
        let Terms { settings, seed, end_of_text, .. } = terms;
        (SlotsPlan { slots, requests, settings, seed, end_of_text, n_tokenizer: N_VOCAB }, terms)
    })
}

fn steps_of(plan: &SlotsPlan, terms: Terms) -> Vec<SlotsStep> {
    serve(&mut Canned::new(terms.n_ctx, mixed), plan).0
}

/// The requests by arrival, ties in the order of the plan.
fn by_arrival(plan: &SlotsPlan) -> Vec<usize> {
    let mut order: Vec<usize> = (0..plan.requests.len()).collect();
    order.sort_by_key(|&request| plan.requests[request].arrives_at);
    order
}

proptest! {
    #[test]
    fn every_request_is_what_it_is_alone((plan, terms) in plans()) {
        let outcomes = serve(&mut Canned::new(terms.n_ctx, mixed), &plan).1.unwrap();
        for (index, (request, outcome)) in plan.requests.iter().zip(outcomes).enumerate() {
            let expected = alone(&request.prompt, request.max_new_tokens, index as u32, terms);
            prop_assert_eq!(outcome, expected, "request {}", index);
        }
    }

    #[test]
    fn a_request_has_one_slot_from_its_prefill_to_its_end((plan, terms) in plans()) {
        let (steps, outcomes) = serve(&mut Canned::new(terms.n_ctx, mixed), &plan);
        let mut places: HashMap<usize, Vec<(usize, usize)>> = HashMap::new();
        let mut tokens: HashMap<usize, Vec<_>> = HashMap::new();
        for step in &steps {
            prop_assert_eq!(step.slots.len(), plan.slots);
            for (slot, state) in step.slots.iter().enumerate() {
                let Some(request) = state.request() else { continue };
                let before = places.entry(request).or_default();
                match state {
                    SlotStep::Prefill { n_prompt, .. } => {
                        prop_assert!(before.is_empty(), "a second prefill");
                        prop_assert_eq!(*n_prompt, plan.requests[request].prompt.len());
                    }
                    _ => prop_assert_eq!(before.last(), Some(&(slot, step.index - 1)), "the same slot, a step on"),
                }
                before.push((slot, step.index));
                tokens.entry(request).or_default().push(state.token().unwrap().token);
            }
        }
        for (request, outcome) in outcomes.unwrap().into_iter().enumerate() {
            prop_assert_eq!(tokens.remove(&request).unwrap_or_default(), outcome.tokens);
        }
    }

    #[test]
    fn requests_start_in_the_order_of_arrival_and_no_earlier((plan, terms) in plans()) {
        let mut started = Vec::new();
        for step in steps_of(&plan, terms) {
            for state in &step.slots {
                if let SlotStep::Prefill { request, .. } = state {
                    prop_assert!(plan.requests[*request].arrives_at <= step.index);
                    started.push(*request);
                }
            }
        }
        let order = by_arrival(&plan);
        let expected: Vec<usize> = order.into_iter().filter(|request| started.contains(request)).collect();
        prop_assert_eq!(started, expected);
    }

    #[test]
    fn no_slot_is_idle_while_a_request_waits((plan, terms) in plans()) {
        let mut clock = None;
        let mut arrived = Vec::new();
        for step in steps_of(&plan, terms) {
            prop_assert!(clock < Some(step.index), "time goes on");
            clock = Some(step.index);
            arrived.extend(step.arrivals);
            let idle = step.slots.contains(&SlotStep::Idle);
            prop_assert!(!idle || step.queue.is_empty());
            prop_assert!(step.slots.iter().any(|state| *state != SlotStep::Idle), "a step of nothing");
            let in_time = |request: &&usize| plan.requests[**request].arrives_at <= step.index;
            let expected: Vec<usize> = by_arrival(&plan).iter().filter(in_time).copied().collect();
            prop_assert_eq!(&arrived, &expected);
        }
    }

    /// Nobody starts later than in static batches, so all is over no later; the work is the same.
    #[test]
    fn static_batches_are_never_faster((plan, terms) in plans()) {
        let (steps, outcomes) = serve(&mut Canned::new(terms.n_ctx, mixed), &plan);
        let mut continuous = Timeline::new(plan.slots);
        steps.iter().for_each(|step| continuous.push(step));
        let n_tokens: Vec<usize> = outcomes.unwrap().iter().map(|outcome| outcome.tokens.len()).collect();
        let by_batch = Timeline::static_batches(plan.slots, &plan.requests, &n_tokens);
        prop_assert_eq!(continuous.utilization().busy, n_tokens.iter().sum::<usize>());
        prop_assert_eq!(by_batch.utilization().busy, continuous.utilization().busy);
        prop_assert_eq!(continuous.blocks().len(), by_batch.blocks().len());
        for block in continuous.blocks() {
            prop_assert_eq!(block.len, n_tokens[block.request]);
            let other = by_batch.blocks().iter().find(|other| other.request == block.request).unwrap();
            prop_assert!(block.start <= other.start, "{:?} {:?}", block, other);
            prop_assert!(plan.requests[block.request].arrives_at <= block.start);
        }
        prop_assert!(continuous.n_steps() <= by_batch.n_steps());
    }
}
