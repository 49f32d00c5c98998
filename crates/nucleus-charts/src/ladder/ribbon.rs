//! The ribbons of the ladder.

use nucleus_sampler::{Draw, Filter};

use super::layout::Layout;
use super::rows::{Others, Rows, TokenRow};
use crate::logits_table::removed_class;
use crate::shapes::{Anchor, estimated_width, label, line, path};
use crate::words::{count, logit, probability};
use crate::{Element, Scene};

/// Around the word at the end of the ribbon of the token drawn: to the ribbon, and to the number, which is bold and wider than
/// is estimated.
const PADDING: (f64, f64) = (5.0, 11.0);

/// Gates, then one group for each token, then one for all others.
pub(super) fn nodes(scene: &Scene, rows: &Rows, layout: &Layout) -> Vec<Element> {
    let n = rows.tokens.len() + usize::from(rows.others.count > 0);
    let (top, bottom) = layout.rows(n);
    let gate = |x: f64| line((x, top), (x, bottom)).class("gate");
    let mut nodes = vec![gate(layout.columns[2]), gate(layout.columns[3])];
    nodes.extend(rows.tokens.iter().enumerate().map(|(i, row)| token(scene, row, layout, layout.row(i))));
    if rows.others.count > 0 {
        nodes.push(others(&rows.others, layout, layout.row(rows.tokens.len())));
    }
    nodes
}

/// A point of a ribbon: where, and how thick as a share of the probability.
type Point = (f64, f64);

/// A ribbon through points, symmetric about `y`.
fn ribbon(points: &[Point], y: f64, layout: &Layout) -> Element {
    let upper = points.iter().map(|(x, share)| (*x, y - layout.half(*share)));
    let lower = points.iter().rev().map(|(x, share)| (*x, y + layout.half(*share)));
    path(&upper.chain(lower).collect::<Vec<_>>(), true).class("ribbon")
}

/// The end of a ribbon at the filter that removes it.
fn stop(x: f64, y: f64, share: f64, layout: &Layout) -> Element {
    let half = layout.half(share).max(3.5);
    line((x, y - half), (x, y + half)).class("stop")
}

fn token(scene: &Scene, row: &TokenRow, layout: &Layout, y: f64) -> Element {
    let hit = row.id == scene.trace.token;
    let class = match row.removed_by {
        None if hit => "row kept hit",
        None => "row kept",
        Some(filter) => return removed(scene, row, filter, layout, y),
    };
    let [_, x1, x2, x3, x4] = layout.columns;
    let [_, s1, s2, s3] = row.shares;
    let word = match scene.trace.draw {
        _ if !hit => None,
        Draw::Argmax => Some("taken"),
        Draw::Uniform { .. } => Some("drawn"),
    };
    let number = probability(s3);
    // The word stands before the number, and the ribbon ends where it begins.
    let word_end = (layout.right() - estimated_width(&number) - PADDING.1).max(x4);
    let end = word.map_or(x4, |word| (word_end - estimated_width(word) - PADDING.0).clamp(x3 + 4.0, x4));
    let way = ribbon(&[(x1 + layout.gap, s1), (x2, s1), (x3, s2), (end, s3)], y, layout);
    let share = label(layout.right(), y + 4.0, Anchor::End, number).class("probability");
    let mark = word.map(|word| label(word_end, y + 4.0, Anchor::End, word).class("drawn"));
    start(scene, row, layout, y).class(class).child(way).children(mark).child(share)
}

fn removed(scene: &Scene, row: &TokenRow, by: Filter, layout: &Layout, y: f64) -> Element {
    let [_, x1, x2, x3, _] = layout.columns;
    let [s0, s1, s2, _] = row.shares;
    let group = start(scene, row, layout, y).class(format!("row {}", removed_class(by)));
    let from = x1 + layout.gap;
    match by {
        Filter::TopK => group.child(ribbon(&[(from, s1), (x2, s1)], y, layout)).child(stop(x2, y, s1, layout)),
        Filter::TopP => {
            group.child(ribbon(&[(from, s1), (x2, s1), (x3, s2)], y, layout)).child(stop(x3, y, s2, layout))
        }
        Filter::Argmax | Filter::Constraint | Filter::Mask => group.child(stop(x1 - layout.gap, y, s0, layout)),
    }
}

/// The part that every token has: label, logit, the ribbon to the temperature, the scaled logit.
fn start(scene: &Scene, row: &TokenRow, layout: &Layout, y: f64) -> Element {
    let [x0, x1, ..] = layout.columns;
    let [s0, s1, ..] = row.shares;
    let end = if row.scaled.is_some() { s1 } else { s0 };
    let name = scene.short(row.id, layout.label_columns);
    let number = |x: f64, text: String| label(x, y + 4.0, Anchor::Middle, text).class("logit");
    let mark = if row.is_lowered { "↓" } else { "" };
    Element::new("g")
        .token(row.id)
        .child(label(0.0, y + 4.0, Anchor::Start, name).class("token"))
        .child(number(x0, format!("{}{mark}", logit(row.logit))))
        .child(ribbon(&[(x0 + layout.gap, s0), (x1 - layout.gap, end)], y, layout))
        .children(row.scaled.map(|scaled| number(x1, logit(scaled))))
}

/// All other tokens: the ribbon loses at each filter what that removes.
fn others(others: &Others, layout: &Layout, y: f64) -> Element {
    let [x0, x1, x2, x3, x4] = layout.columns;
    let [s0, s1, s2, s3] = others.shares;
    let [forbidden, argmax, top_k, top_p] = others.removed;
    let text = |x: f64, anchor: Anchor, text: String| label(x, y + 4.0, anchor, text).class("more");
    let more = text(0.0, Anchor::Start, format!("{} more", count(others.count)));
    let group = Element::new("g").class("row others").child(more);
    let from = x0 + layout.gap;
    // None is left to be divided.
    if forbidden + argmax == others.count {
        let end = x1 - layout.gap;
        return group.child(ribbon(&[(from, s0), (end, s0)], y, layout)).child(stop(end, y, s0, layout));
    }
    let mut group = group.child(ribbon(&[(from, s0), (x1, s1), (x2, s1)], y, layout));
    if top_k > 0 {
        group = group.child(stop(x2, y, s1, layout));
    }
    if others.kept + top_p > 0 {
        group = group.child(ribbon(&[(x2, others.behind_top_k), (x3, s2)], y, layout));
    }
    if top_p > 0 {
        group = group.child(stop(x3, y, s2, layout));
    }
    if others.kept > 0 {
        group = group
            .child(ribbon(&[(x3, others.behind_top_p), (x4, s3)], y, layout))
            .child(label(layout.right(), y + 4.0, Anchor::End, probability(s3)).class("probability"));
    }
    group
}
