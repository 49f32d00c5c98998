//! One step line with its scale and its name.

use super::scale::Scale;
use crate::Element;
use crate::shapes::{Anchor, Frame, label, line, path};
use crate::words::{count, logit};

/// More than the longest name is wide, in CSS pixels.
const NAME_WIDTH: f64 = 110.0;

/// A step line over the run in a frame of its own.
pub(super) struct Panel {
    pub name: &'static str,
    pub class: &'static str,
    pub frame: Frame,
    pub scale: Scale,
    pub values: Vec<f64>,
    /// 0 for counts, else decimals.
    pub decimals: usize,
}

impl Panel {
    /// Name, ticks, line, and the mark on the step in focus.
    pub(super) fn nodes(&self, focus: Option<usize>) -> Element {
        let group = Element::new("g").class(format!("panel {}", self.class)).child(self.name(focus));
        let group = group.children(self.ticks()).child(path(&self.points(), false).class("run"));
        match focus {
            Some(i) => group.children(self.mark(i)),
            None => group,
        }
    }

    /// The name stands at the left, or at the right where the number at the focus would cover it.
    fn name(&self, focus: Option<usize>) -> Element {
        let is_covered = focus.is_some_and(|i| self.slot(i).0 < NAME_WIDTH);
        let (x, anchor) = if is_covered { (self.frame.right(), Anchor::End) } else { (0.0, Anchor::Start) };
        label(x, self.frame.y - 12.0, anchor, self.name).class("name")
    }

    /// Where a step starts and ends.
    pub(super) fn slot(&self, i: usize) -> (f64, f64) {
        let n = self.values.len() as f64;
        let x = |i: f64| self.frame.x + self.frame.width * i / n;
        (x(i as f64), x(i as f64 + 1.0))
    }

    fn y(&self, value: f64) -> f64 {
        self.frame.bottom() - self.scale.share(value) * self.frame.height
    }

    fn points(&self) -> Vec<(f64, f64)> {
        let step = |(i, value): (usize, &f64)| {
            let (start, end) = self.slot(i);
            [(start, self.y(*value)), (end, self.y(*value))]
        };
        self.values.iter().enumerate().flat_map(step).collect()
    }

    fn ticks(&self) -> Vec<Element> {
        let tick = |value: f64| {
            let y = self.y(value);
            let rule = line((self.frame.x, y), (self.frame.right(), y)).class("rule");
            [rule, label(self.frame.x - 8.0, y + 4.0, Anchor::End, count(value as usize)).class("tick")]
        };
        self.scale.ticks().into_iter().flat_map(tick).collect()
    }

    fn mark(&self, i: usize) -> Vec<Element> {
        let (start, end) = self.slot(i);
        let (x, y) = (f64::midpoint(start, end), self.y(self.values[i]));
        let text = match self.decimals {
            0 => count(self.values[i] as usize),
            _ => logit(self.values[i]),
        };
        let (text_x, anchor) = Anchor::near(x, 24.0, self.frame);
        vec![
            line((x, self.frame.y), (x, self.frame.bottom())).class("focus"),
            Element::new("circle").with("cx", x).with("cy", y).with("r", 3.0_f64).class("focus"),
            label(text_x, self.frame.y - 6.0, anchor, text).class("focus"),
        ]
    }
}
