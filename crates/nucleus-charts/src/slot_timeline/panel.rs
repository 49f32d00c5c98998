//! One timeline: a lane for each slot, and the axis.

use nucleus_decode::{Block, Request, Timeline};

use super::{SlotRun, busy};
use crate::shapes::{Anchor, Frame, estimated_width, label, line};
use crate::words::count;
use crate::{Element, Size};

/// Room for the names of the lanes, in CSS pixels, and for a number at the right edge.
const NAMES: f64 = 58.0;
pub(super) const RIGHT: f64 = 14.0;
/// Heights: the title, the lane of arrivals, that of those who wait, the axis, and the space between two panels.
const TITLE: f64 = 24.0;
pub(super) const ARRIVALS: f64 = 20.0;
pub(super) const WAITING: f64 = 16.0;
const AXIS: f64 = 20.0;
const BETWEEN: f64 = 22.0;
/// The height of a slot's lane, where there is room for all of them.
const LANE: f64 = 22.0;
/// Two panels of so many pixels of lanes are still within the largest figure.
const ALL_LANES: f64 = 1800.0;

/// A timeline and where it stands.
pub(super) struct Panel<'a> {
    title: String,
    class: &'static str,
    pub(super) requests: &'a [Request],
    pub(super) timeline: &'a Timeline,
    /// The plane of the slots: its top is the first lane's.
    pub(super) frame: Frame,
    /// How many steps the width is.
    pub(super) n_steps: usize,
}

impl<'a> Panel<'a> {
    /// Continuous batching above static batching, with the same width for a step.
    pub(super) fn pair(run: &SlotRun<'a>, size: Size) -> [Self; 2] {
        let n_steps = run.continuous.n_steps().max(run.by_batch.n_steps());
        let panel = |name: &str, class, timeline: &'a Timeline, y: f64| {
            let n_slots = timeline.n_slots() as f64;
            let frame = Frame {
                x: NAMES,
                y: y + TITLE + ARRIVALS + WAITING,
                width: size.width() - NAMES - RIGHT,
                height: (LANE * n_slots).min(ALL_LANES),
            };
            Self {
                title: format!("{name}: {}", busy(timeline)),
                class,
                requests: run.requests,
                timeline,
                frame,
                n_steps,
            }
        };
        let upper = panel("continuous", "continuous", run.continuous, 0.0);
        let y = upper.bottom() + BETWEEN;
        [upper, panel("static", "static", run.by_batch, y)]
    }

    pub(super) fn bottom(&self) -> f64 {
        self.frame.bottom() + AXIS
    }

    pub(super) fn nodes(&self) -> Element {
        let top = self.frame.y - WAITING - ARRIVALS - TITLE;
        Element::new("g")
            .class(format!("panel {}", self.class))
            .child(label(0.0, top + 14.0, Anchor::Start, self.title.as_str()).class("title"))
            .children(self.arrivals())
            .children(self.waiting())
            .children(self.lanes())
            .children(self.timeline.blocks().iter().map(|block| self.block(block)))
            .children(self.axis())
    }

    pub(super) fn x(&self, step: usize) -> f64 {
        self.frame.x + self.frame.width * step as f64 / self.n_steps.max(1) as f64
    }

    /// A slot from one step to another.
    fn span(&self, slot: usize, start: usize, end: usize) -> Frame {
        let lane = self.frame.height / self.timeline.n_slots().max(1) as f64;
        let x = self.x(start);
        Frame { x, y: self.frame.y + lane * slot as f64 + 1.0, width: self.x(end) - x, height: lane - 2.0 }
    }

    /// The name of each slot, and an outline where it is idle.
    fn lanes(&self) -> Vec<Element> {
        let lane = |slot: usize| {
            let baseline = self.span(slot, 0, 0).middle() + 4.0;
            let name = label(0.0, baseline, Anchor::Start, format!("slot {}", count(slot + 1))).class("name");
            let mut nodes = vec![name];
            for (start, end) in self.gaps(slot) {
                let gap = self.span(slot, start, end);
                nodes.push(gap.rect().class("idle"));
                if estimated_width("idle") <= gap.width {
                    nodes.push(label(gap.x + gap.width / 2.0, baseline, Anchor::Middle, "idle").class("idle"));
                }
            }
            nodes
        };
        (0..self.timeline.n_slots()).flat_map(lane).collect()
    }

    /// The steps in which a slot has no request.
    fn gaps(&self, slot: usize) -> Vec<(usize, usize)> {
        let mut at = 0;
        let mut gaps = Vec::new();
        let end = Block { request: 0, slot, start: self.timeline.n_steps(), len: 0 };
        let blocks = self.timeline.blocks().iter().filter(|block| block.slot == slot);
        for block in blocks.chain([&end]) {
            if block.start > at {
                gaps.push((at, block.start));
            }
            at = block.end();
        }
        gaps
    }

    /// A request: its prefill, what it decoded, and its number.
    fn block(&self, block: &Block) -> Element {
        let whole = self.span(block.slot, block.start, block.end());
        let prefill = self.span(block.slot, block.start, block.start + 1);
        let text = count(block.request + 1);
        let class = if block.request.is_multiple_of(2) { "block" } else { "block odd" };
        let group = Element::new("g")
            .class(class)
            .with("data-request", block.request)
            .child(whole.rect().class("decode"))
            .child(prefill.rect().class("prefill"));
        let rest = Frame { x: prefill.right(), width: whole.width - prefill.width, ..whole };
        let (place, on) = if rest.width > prefill.width { (rest, "on-decode") } else { (prefill, "on-prefill") };
        if estimated_width(&text) > place.width {
            return group;
        }
        group.child(label(place.x + place.width / 2.0, place.middle() + 4.0, Anchor::Middle, text).class(on))
    }

    /// Steps gone by, at no more than six places.
    fn axis(&self) -> Vec<Element> {
        let y = self.frame.bottom();
        let tick = |step: usize| {
            let x = self.x(step);
            [line((x, y), (x, y + 4.0)).class("rule"), label(x, y + 16.0, Anchor::Middle, count(step)).class("tick")]
        };
        let rule = line((self.frame.x, y), (self.frame.right(), y)).class("rule");
        let unit = label(0.0, y + 16.0, Anchor::Start, "steps").class("name");
        [rule, unit].into_iter().chain((0..=self.n_steps).step_by(apart(self.n_steps)).flat_map(tick)).collect()
    }
}

/// How far apart ticks stand: 1, 2, 5, 10, 20, .., so that there are six at most.
fn apart(n_steps: usize) -> usize {
    let powers = (0..9).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_usize.pow(power)));
    let mut powers = powers;
    powers.find(|apart| n_steps / apart <= 5).unwrap_or(n_steps.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_never_more_than_six_ticks() {
        for n_steps in (0..2000).chain([1_000_000, 1_000_006]) {
            let n_ticks = n_steps / apart(n_steps) + 1;
            assert!((1..=6).contains(&n_ticks), "{n_steps}");
        }
        assert_eq!([1, 5, 6, 11, 12, 29, 30].map(apart), [1, 1, 2, 2, 5, 5, 10]);
    }
}
