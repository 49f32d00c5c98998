//! Which request had which slot when, and how much of the slots' time that was.

use serde::{Deserialize, Serialize};

use super::{Request, SlotStep, SlotsStep};

/// Slots by steps. A step is one turn of the clock, however long the prompts are that are read in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    n_slots: usize,
    blocks: Vec<Block>,
}

/// The steps for which one request had a slot: one for each of its tokens, the first of them the prefill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Which request, by its place in the plan.
    pub request: usize,
    /// Which slot, from 0.
    pub slot: usize,
    /// The step of its prefill.
    pub start: usize,
    /// How many steps, 1 or more: one for each token.
    pub len: usize,
}

impl Block {
    /// The first step after it.
    #[must_use]
    pub fn end(&self) -> usize {
        self.start + self.len
    }
}

/// How much of the slots' time was of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Utilization {
    /// Slot-steps in which a token was drawn: the same number for every way to schedule the same requests.
    pub busy: usize,
    /// All slot-steps: slots times steps, from step 0 to the end of the last block.
    pub total: usize,
}

impl Utilization {
    /// Busy slot-steps / slot-steps: above 0 and at most 1. `None` if there was no step.
    #[must_use]
    pub fn share(self) -> Option<f64> {
        if self.total == 0 { None } else { Some(self.busy as f64 / self.total as f64) }
    }
}

impl Timeline {
    /// Nothing yet.
    #[must_use]
    pub fn new(n_slots: usize) -> Self {
        Self { n_slots, blocks: Vec::new() }
    }

    /// Adds what a step of [`generate_slots`](crate::generate_slots) did. Steps come in their order.
    pub fn push(&mut self, step: &SlotsStep) {
        for (slot, state) in step.slots.iter().enumerate() {
            match *state {
                SlotStep::Idle => {}
                SlotStep::Prefill { request, .. } => {
                    self.blocks.push(Block { request, slot, start: step.index, len: 1 });
                }
                SlotStep::Decode { request, .. } => {
                    if let Some(block) = self.blocks.iter_mut().rfind(|block| block.request == request) {
                        block.len += 1;
                    }
                }
            }
        }
    }

    /// The same requests by static batching, which takes no request in while a batch runs.
    ///
    /// Requests are put into batches of `n_slots` in the order in which they arrive. A batch starts when the one before it
    /// is over and its own last request has arrived; it is over when its longest row is done, and the slots of the other
    /// rows are idle until then. `n_tokens[i]` is how many tokens request `i` got; without any it takes no slot, as in
    /// continuous batching.
    #[must_use]
    pub fn static_batches(n_slots: usize, requests: &[Request], n_tokens: &[usize]) -> Self {
        let arrives_at = |request: usize| requests[request].arrives_at;
        let mut order: Vec<usize> = (0..requests.len().min(n_tokens.len())).collect();
        order.retain(|&request| n_tokens[request] > 0);
        order.sort_by_key(|&request| arrives_at(request));
        let mut timeline = Self::new(n_slots);
        for batch in order.chunks(n_slots.max(1)) {
            let last_arrival = batch.iter().map(|&request| arrives_at(request)).max().unwrap_or_default();
            let start = timeline.n_steps().max(last_arrival);
            let block = |(slot, &request): (usize, &usize)| Block { request, slot, start, len: n_tokens[request] };
            timeline.blocks.extend(batch.iter().enumerate().map(block));
        }
        timeline
    }

    /// The blocks, by their start and then by their slot.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// How many slots there are.
    #[must_use]
    pub fn n_slots(&self) -> usize {
        self.n_slots
    }

    /// How many steps there are, from step 0 to the end of the last block.
    #[must_use]
    pub fn n_steps(&self) -> usize {
        self.blocks.iter().map(Block::end).max().unwrap_or_default()
    }

    /// Busy slot-steps beside all slot-steps.
    #[must_use]
    pub fn utilization(&self) -> Utilization {
        let busy = self.blocks.iter().map(|block| block.len).sum();
        Utilization { busy, total: self.n_slots * self.n_steps() }
    }
}
