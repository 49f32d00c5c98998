//! Who waits, and who has which slot.

use std::collections::VecDeque;

use nucleus_sampler::TokenId;

use super::{SlotStep, SlotsPlan, SlotsStep};
use crate::batch::{Row, Rules};
use crate::{BatchError, LanguageModel, Outcome, RowToken};

/// The clock, the queue, and the slots.
pub(super) struct Desk<'p> {
    plan: &'p SlotsPlan,
    rules: Rules,
    /// One for each request.
    rows: Vec<Row>,
    /// Those that have not arrived, the next one first.
    coming: VecDeque<usize>,
    /// Those that have arrived and wait, the next one first.
    queue: VecDeque<usize>,
    /// Which request each slot has.
    slots: Vec<Option<usize>>,
    /// The time of the step that runs.
    clock: usize,
    /// Those that have arrived since the last step that was reported.
    arrivals: Vec<usize>,
}

impl<'p> Desk<'p> {
    pub(super) fn new(plan: &'p SlotsPlan, model: &impl LanguageModel) -> Self {
        let rules = plan.rules(model);
        let requests = plan.requests.iter().enumerate();
        let rows = requests.map(|(i, request)| Row::new(&rules, i, &request.prompt, request.max_new_tokens));
        let rows = rows.collect();
        let mut coming: Vec<usize> = (0..plan.requests.len()).collect();
        coming.sort_by_key(|&request| plan.requests[request].arrives_at); // stable: ties stay in the plan's order
        Self {
            plan,
            rules,
            rows,
            coming: coming.into(),
            queue: VecDeque::new(),
            slots: vec![None; plan.slots],
            clock: 0,
            arrivals: Vec::new(),
        }
    }

    /// Whether any request can have a token.
    pub(super) fn has_work(&self) -> bool {
        self.rows.iter().any(Row::is_live)
    }

    /// Moves the clock to the next step in which a slot has a request, and fills the slots for it. `false` when all is
    /// done.
    pub(super) fn advance(&mut self) -> bool {
        while self.has_work() {
            if let (true, Some(at)) = (self.is_idle(), self.next_arrival()) {
                self.clock = at; // not before the clock: who has come by now is not among those to come
            }
            self.receive();
            self.admit();
            if !self.is_idle() {
                return true;
            }
        }
        false
    }

    fn is_idle(&self) -> bool {
        self.queue.is_empty() && self.slots.iter().all(Option::is_none)
    }

    fn next_arrival(&self) -> Option<usize> {
        self.coming.front().map(|&request| self.plan.requests[request].arrives_at)
    }

    /// Lets those in whose time has come. Who can have no token does not wait for one.
    fn receive(&mut self) {
        while self.next_arrival().is_some_and(|at| at <= self.clock)
            && let Some(request) = self.coming.pop_front()
        {
            self.arrivals.push(request);
            if self.rows[request].is_live() {
                self.queue.push_back(request);
            }
        }
    }

    fn admit(&mut self) {
        for slot in self.slots.iter_mut().filter(|slot| slot.is_none()) {
            *slot = self.queue.pop_front();
        }
    }

    /// Which request each slot has in this step.
    pub(super) fn slots(&self) -> &[Option<usize>] {
        &self.slots
    }

    /// Whether the request was taken in this step: its prompt has not been read.
    pub(super) fn is_new(&self, request: usize) -> bool {
        self.rows[request].to_feed().is_none()
    }

    pub(super) fn prompt(&self, request: usize) -> &'p [TokenId] {
        &self.plan.requests[request].prompt
    }

    /// The slots that decode in this step, and the token that each has to read.
    pub(super) fn to_feed(&self) -> Vec<(usize, TokenId)> {
        let slots = self.slots.iter().enumerate();
        slots.filter_map(|(slot, &request)| Some((slot, self.rows[request?].to_feed()?))).collect()
    }

    pub(super) fn draw<E: std::error::Error + 'static>(
        &mut self,
        request: usize,
        logits: Vec<f32>,
    ) -> Result<RowToken, BatchError<E>> {
        self.rows[request].draw(&self.rules, logits).map_err(BatchError::request(request))
    }

    /// The step that has just been run.
    pub(super) fn step(&mut self, slots: Vec<SlotStep>) -> SlotsStep {
        let arrivals = std::mem::take(&mut self.arrivals);
        SlotsStep { index: self.clock, arrivals, slots, queue: self.queue.iter().copied().collect() }
    }

    /// The caller wants no more.
    pub(super) fn stop(&mut self) {
        self.rows.iter_mut().for_each(Row::stop);
    }

    /// The step is over.
    pub(super) fn free_slots(&mut self) {
        for slot in &mut self.slots {
            *slot = slot.filter(|&request| self.rows[request].is_live());
        }
        self.clock += 1;
    }

    pub(super) fn into_outcomes(self) -> Vec<Outcome> {
        self.rows.into_iter().map(Row::into_outcome).collect()
    }
}
