//! An edge and its log-probability.

use super::layout::Layout;
use crate::Element;
use crate::shapes::{Anchor, label, path};
use crate::words::logit;

/// Where an edge begins: the depth of a node (0 for the prompt), its height, and its label.
pub(super) struct From {
    pub depth: usize,
    pub y: f64,
    pub label: String,
}

/// From a node to one of the next step at height `to`: along the row, slanted, and flat again, with the log-probability above
/// the last part. `class` says what became of it.
pub(super) fn edge(layout: &Layout, from: &From, to: f64, log_probability: f64, class: &str) -> Element {
    let [start, turn, reached] = layout.way(from.depth, &from.label);
    let end = layout.mark(from.depth + 1) - 6.0;
    let way = path(&[(start, from.y), (turn, from.y), (reached, to), (end, to)], false);
    let text = label(f64::midpoint(reached, end), to - 4.0, Anchor::Middle, logit(log_probability));
    Element::new("g").class(format!("branch {class}")).child(way).child(text)
}
