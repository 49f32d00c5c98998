use core::cmp::Ordering;

use nucleus_sampler::{StepTrace, TokenId};

/// One continuation of one beam, before it is judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Continuation {
    /// Which of the live beams.
    pub(super) beam: usize,
    pub(super) token: TokenId,
    pub(super) log_probability: f64,
    pub(super) sum: f64,
}

impl Continuation {
    /// The larger sum first; of equal ones that of the better beam, then that of the lower id.
    fn order(&self, other: &Self) -> Ordering {
        let places = (self.beam, self.token).cmp(&(other.beam, other.token));
        other.sum.total_cmp(&self.sum).then(places)
    }
}

/// The best `count` of all `continuations`, the best first.
pub(super) fn best(mut continuations: Vec<Continuation>, count: usize) -> Vec<Continuation> {
    continuations.sort_unstable_by(Continuation::order);
    continuations.truncate(count);
    continuations
}

/// The best `count` continuations of one beam, in no order; masked columns are none. `greedy` is the step at temperature
/// 0 on the same logits: its token has the largest, and its log-probability is minus the logarithm of the softmax's sum.
pub(super) fn of_beam(beam: usize, sum: f64, logits: &[f32], greedy: &StepTrace, count: usize) -> Vec<Continuation> {
    let mut ids: Vec<u32> = (0..logits.len() as u32).filter(|&id| logits[id as usize] > f32::NEG_INFINITY).collect();
    // Adding 0 makes both zeros equal.
    let logit = |id: u32| logits[id as usize] + 0.0;
    let by_logit = |&a: &u32, &b: &u32| logit(b).total_cmp(&logit(a)).then(a.cmp(&b));
    if ids.len() > count {
        ids.select_nth_unstable_by(count - 1, by_logit);
        ids.truncate(count);
    }
    let largest = f64::from(logits[greedy.token.index()]);
    let continuation = |id: u32| {
        let log_probability = f64::from(logits[id as usize]) - largest + greedy.log_probability;
        Continuation { beam, token: TokenId(id), log_probability, sum: sum + log_probability }
    };
    ids.into_iter().map(continuation).collect()
}
