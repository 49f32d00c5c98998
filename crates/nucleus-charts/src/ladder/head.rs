//! The column heads of the ladder: the stage, its setting, the tokens left, the mass removed.

use super::layout::Layout;
use super::stages::{Stage, StageKind};
use crate::Element;
use crate::shapes::{Anchor, label, line};
use crate::words::{count, fixed, probability};

/// Base lines of the four lines of text.
const LINES: [f64; 4] = [13.0, 29.0, 47.0, 63.0];

pub(super) fn head(stages: &[Stage; 5], layout: &Layout) -> Vec<Element> {
    let side = |i: usize, text: &str| label(0.0, LINES[i], Anchor::Start, text).class("side");
    let mut nodes = vec![side(2, "tokens left"), side(3, "mass cut")];
    for (i, stage) in stages.iter().enumerate() {
        let (x, anchor) = if i == 4 { (layout.right(), Anchor::End) } else { (layout.columns[i], Anchor::Middle) };
        let at = |line: usize, text: String| label(x, LINES[line], anchor, text);
        let (name, setting) = names(stage.kind, layout.narrow());
        nodes.push(at(0, name.to_owned()).class("stage"));
        nodes.extend(setting.map(|text| at(1, text).class("setting")));
        nodes.push(at(2, count(stage.left)).class("count"));
        if stage.removed > 0 {
            nodes.push(at(3, probability(stage.mass)).class("mass"));
        }
    }
    nodes.push(line((0.0, 72.0), (layout.right(), 72.0)).class("rule"));
    nodes
}

/// A stage's name and its setting; where there is little room, the setting's value alone.
fn names(kind: StageKind, narrow: bool) -> (&'static str, Option<String>) {
    let setting = |name: &str, value: String| {
        if narrow { value } else { format!("{name} = {value}") }
    };
    let or_off = |setting: Option<String>| Some(setting.unwrap_or_else(|| "off".to_owned()));
    match kind {
        StageKind::Logits(_) => ("logits", None),
        StageKind::Temperature(t) => ("/ T", Some(setting("T", fixed(t)))),
        StageKind::TopK(k) => ("top-k", or_off(k.map(|k| setting("k", count(k as usize))))),
        StageKind::TopP(p) => ("top-p", or_off(p.map(|p| setting("p", fixed(p))))),
        StageKind::Softmax => ("softmax", None),
    }
}
