//! The figure "Slots": which request had which slot when, by continuous and by static batching.

mod panel;
mod queue;
mod table;

use nucleus_decode::{Request, Timeline};

use crate::figure::{caption, figure};
use crate::sentence::Sentence;
use crate::shapes::picture;
use crate::words::{count, counted, probability};
use crate::{Node, Size};

use panel::Panel;

/// A run of requests in slots, and the same requests by static batching.
#[derive(Clone, Copy, Debug)]
pub struct SlotRun<'a> {
    /// The requests of the plan: what they arrive at is drawn.
    pub requests: &'a [Request],
    /// What happened.
    pub continuous: &'a Timeline,
    /// What [`Timeline::static_batches`] makes of the same requests and lengths.
    pub by_batch: &'a Timeline,
}

/// `<figure aria-label="Slots">`: two timelines, one below the other, on one scale of steps; a table of the requests; and a
/// caption.
///
/// A request is a block with its number, counted from 1: its prefill is the solid first step. Idle slot-steps have a
/// dashed outline. Arrivals are marks above the slots, and below them stands how many requests wait. The numbers on the
/// axis are steps gone by. Of `size` the width is used; the height follows from the number of slots.
pub fn slot_timeline(run: &SlotRun, size: Size) -> Node {
    let figure = figure("slots", "Slots");
    let caption = caption(&sentence(run));
    if run.continuous.blocks().is_empty() {
        return figure.child(caption).into();
    }
    let panels = Panel::pair(run, size);
    let height = panels.iter().map(Panel::bottom).fold(0.0, f64::max);
    let svg = picture(Size::new(size.width(), height), "Slots by step, continuous batching above static batching");
    figure.child(svg.children(panels.iter().map(Panel::nodes))).child(table::table(run)).child(caption).into()
}

/// The run in words: how long each way takes, and how busy its slots are.
pub fn slot_timeline_sentence(run: &SlotRun) -> String {
    sentence(run).text()
}

fn sentence(run: &SlotRun) -> Sentence {
    if run.continuous.blocks().is_empty() {
        return Sentence::default().words("No request has a slot yet.");
    }
    let what = format!(
        "{} in {}, each with its prefill (solid) and then one token a step. ",
        counted(run.continuous.blocks().len(), "request"),
        counted(run.continuous.n_slots(), "slot")
    );
    let ways = [("Continuous batching", run.continuous), ("static batching", run.by_batch)];
    let ways = ways
        .map(|(name, timeline)| format!("{name} takes {}; {}", counted(timeline.n_steps(), "step"), busy(timeline)));
    let waits = match (longest_wait(run.requests, run.continuous), longest_wait(run.requests, run.by_batch)) {
        (ours, theirs) if ours == theirs => {
            format!(" The longest wait for a slot is {} in both.", counted(ours, "step"))
        }
        (ours, theirs) => {
            format!(" The longest wait for a slot is {} against {}.", counted(ours, "step"), count(theirs))
        }
    };
    let [ours, theirs] = ways;
    Sentence::default().words(format!("{what}{ours}. For the same requests {theirs}.{waits}"))
}

/// "11 of 20 slot-steps are busy, 55%".
fn busy(timeline: &Timeline) -> String {
    let used = timeline.utilization();
    let share = used.share().map_or_else(|| "–".to_owned(), probability);
    format!("{} of {} are busy, {share}", count(used.busy), counted(used.total, "slot-step"))
}

/// The most steps that any request waited between its arrival and its prefill.
fn longest_wait(requests: &[Request], timeline: &Timeline) -> usize {
    let wait = |block: &nucleus_decode::Block| block.start.saturating_sub(arrival(requests, block.request));
    timeline.blocks().iter().map(wait).max().unwrap_or_default()
}

/// The step at which a request arrives.
fn arrival(requests: &[Request], request: usize) -> usize {
    requests.get(request).map_or(0, |request| request.arrives_at)
}
