use nucleus_decode::{Block, SlotsPlan, Timeline, Utilization};

use crate::common::{counting, serve, served};
use crate::slots::four;

fn both(plan: &SlotsPlan) -> [Timeline; 2] {
    let (steps, outcomes) = serve(&mut counting(16), plan);
    let mut continuous = Timeline::new(plan.slots);
    steps.iter().for_each(|step| continuous.push(step));
    let n_tokens: Vec<usize> = outcomes.unwrap().iter().map(|outcome| outcome.tokens.len()).collect();
    [continuous, Timeline::static_batches(plan.slots, &plan.requests, &n_tokens)]
}

fn block(request: usize, slot: usize, start: usize, len: usize) -> Block {
    Block { request, slot, start, len }
}

#[test]
fn slots_are_filled_where_static_batches_wait() {
    let [continuous, by_batch] = both(&four());
    assert_eq!(continuous.blocks(), [block(0, 0, 0, 3), block(1, 1, 0, 5), block(2, 0, 3, 2), block(3, 0, 9, 1)]);
    // The second batch has to wait for its last request, which comes at step 9.
    assert_eq!(by_batch.blocks(), [block(0, 0, 0, 3), block(1, 1, 0, 5), block(2, 0, 9, 2), block(3, 1, 9, 1)]);
    assert_eq!(continuous.utilization(), Utilization { busy: 11, total: 20 });
    assert_eq!(by_batch.utilization(), Utilization { busy: 11, total: 22 });
    assert_eq!(continuous.utilization().share(), Some(0.55));
    assert_eq!(by_batch.utilization().share(), Some(0.5));
}

#[test]
fn a_static_batch_waits_for_its_longest_row() {
    let plan = served(2, &[(&[6], 5, 0), (&[0], 5, 0), (&[7], 5, 1)]);
    let [continuous, by_batch] = both(&plan);
    assert_eq!(continuous.utilization(), Utilization { busy: 10, total: 10 });
    assert_eq!(by_batch.blocks()[2], block(2, 0, 5, 2));
    assert_eq!(by_batch.utilization(), Utilization { busy: 10, total: 14 });
}

#[test]
fn one_slot_is_the_same_for_both() {
    let plan = served(1, &[(&[6], 5, 2), (&[0], 5, 0), (&[7], 5, 1)]);
    let [continuous, by_batch] = both(&plan);
    assert_eq!(continuous, by_batch);
}

#[test]
fn a_request_without_a_token_is_in_no_batch() {
    let plan = served(2, &[(&[6], 5, 0), (&[0], 0, 0), (&[7], 5, 0)]);
    assert_eq!(both(&plan)[1].blocks(), [block(0, 0, 0, 3), block(2, 1, 0, 2)]);
}

#[test]
fn of_nothing_there_is_no_share() {
    let nothing = Timeline::new(4);
    assert_eq!((nothing.n_slots(), nothing.n_steps()), (4, 0));
    assert_eq!(nothing.utilization().share(), None);
    assert_eq!(Timeline::static_batches(0, &[], &[]).n_steps(), 0);
}
