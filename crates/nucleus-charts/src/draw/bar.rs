//! The bar of the draw as nodes: intervals, needle, and what is written around them.

use nucleus_sampler::{Interval, TokenId, Unit};

use super::cut::Piece;
use super::{Zoom, bounds, tooltip};
use crate::shapes::{Anchor, Frame, estimated_width, label, line, path};
use crate::words::{counted, decimals_between};
use crate::{Element, Scene};

/// Between the edge of an interval and a label in it, both sides together.
const PADDING: f64 = 8.0;

/// A bar with a needle: the part of the unit interval in `zoom`, drawn in `frame`.
pub(super) struct Bar<'a> {
    pub scene: &'a Scene<'a>,
    pub zoom: Zoom,
    pub frame: Frame,
    pub u: Unit,
    pub interval: Interval,
}

impl Bar<'_> {
    pub(super) fn nodes(&self, pieces: &[Piece]) -> Vec<Element> {
        let mut nodes: Vec<Element> = Vec::with_capacity(2 * pieces.len() + 12);
        for (i, piece) in pieces.iter().enumerate() {
            let frame = self.place(piece);
            nodes.push(shape(piece, i, frame, self.scene));
            nodes.extend(self.text_inside(piece, frame));
        }
        nodes.extend(self.ends());
        if self.zoom.contains(self.u) {
            nodes.extend(self.mark());
            nodes.extend(self.needle());
        }
        nodes
    }

    fn x(&self, at: f64) -> f64 {
        let share = (at - self.zoom.start()) / self.zoom.width();
        self.frame.x + share.clamp(0.0, 1.0) * self.frame.width
    }

    fn place(&self, piece: &Piece) -> Frame {
        let (start, end) = piece.within(self.zoom);
        let x = self.x(start);
        Frame { x, width: self.x(end) - x, ..self.frame }
    }

    /// The token's label, where the interval is wide enough for a part of it; that of the interval
    /// hit stands below the bar.
    fn text_inside(&self, piece: &Piece, frame: Frame) -> Option<Element> {
        let kept = match piece {
            Piece::Interval(kept) if kept.id != self.scene.trace.token => kept,
            _ => return None,
        };
        let columns = ((frame.width - PADDING) / estimated_width("m")).floor();
        let label_of = self.scene.short(kept.id, columns.max(0.0) as usize);
        let readable = columns >= 4.0 || !label_of.ends_with('…');
        let x = frame.x + frame.width / 2.0;
        let text = label(x, frame.middle() + 4.0, Anchor::Middle, label_of);
        (columns >= 1.0 && readable).then(|| text.class("token").token(kept.id))
    }

    /// The numbers at both ends of the bar, left out where the mark of the interval hit needs the
    /// room.
    fn ends(&self) -> Vec<Element> {
        let decimals = match self.zoom {
            Zoom::FULL => 0,
            zoom => decimals_between(zoom.start(), zoom.start(), zoom.end()),
        };
        let y = self.frame.bottom() + 17.0;
        let (left, anchor) = self.mark_place();
        let room = estimated_width("0.0000") + self.mark_room();
        let crowded = |x: f64| (left - x).abs() < room || anchor != Anchor::Middle;
        let ends =
            [(self.frame.x, Anchor::Start, self.zoom.start()), (self.frame.right(), Anchor::End, self.zoom.end())];
        let free =
            ends.into_iter().filter(|(x, side, _)| !crowded(*x) || (anchor != Anchor::Middle && anchor != *side));
        free.map(|(x, side, at)| label(x, y, side, format!("{at:.decimals$}")).class("tick")).collect()
    }

    /// A bracket under the interval hit, the token, and the interval's bounds.
    fn mark(&self) -> Vec<Element> {
        let token = self.scene.trace.token;
        let (start, end) = (self.x(self.interval.start), self.x(self.interval.end));
        let y = self.frame.bottom() + 3.0;
        let (x, anchor) = self.mark_place();
        vec![
            line((start, y), (end.max(start + 1.0), y)).class("hit-mark"),
            label(x, y + 14.0, anchor, self.scene.short(token, 16)).class("token hit").token(token),
            label(x, y + 31.0, anchor, bounds(self.interval, self.u)).class("bounds"),
        ]
    }

    fn mark_place(&self) -> (f64, Anchor) {
        let middle = f64::midpoint(self.x(self.interval.start), self.x(self.interval.end));
        Anchor::near(middle, self.mark_room(), self.frame)
    }

    fn mark_room(&self) -> f64 {
        estimated_width(&bounds(self.interval, self.u)) / 2.0
    }

    /// A line through the bar at u, with a head and the number above it.
    fn needle(&self) -> Vec<Element> {
        let (x, top) = (self.x(self.u.get()), self.frame.y);
        let decimals = decimals_between(self.interval.start, self.u.get(), self.interval.end);
        let text = format!("u = {:.decimals$}", self.u.get());
        let (text_x, anchor) = Anchor::near(x, estimated_width(&text) / 2.0, self.frame);
        vec![
            line((x, top - 6.0), (x, self.frame.bottom())).class("needle"),
            path(&[(x - 3.5, top - 7.0), (x + 3.5, top - 7.0), (x, top - 1.0)], true).class("needle-head"),
            label(text_x, top - 11.0, anchor, text).class("u"),
        ]
    }
}

/// The whole bar without needle or labels.
pub(super) fn plain_bar(pieces: &[Piece], scene: &Scene, frame: Frame) -> Vec<Element> {
    let place = |piece: &Piece| {
        let (start, end) = piece.within(Zoom::FULL);
        Frame { x: frame.x + start * frame.width, width: (end - start) * frame.width, ..frame }
    };
    pieces.iter().enumerate().map(|(i, piece)| shape(piece, i, place(piece), scene)).collect()
}

/// Neighbours alternate between two tones (`odd`), so that an edge shows without a line.
fn shape(piece: &Piece, i: usize, frame: Frame, scene: &Scene) -> Element {
    match piece {
        Piece::Interval(kept) => {
            let class = class_of(kept.id, scene.trace.token, i);
            frame.rect().class(class).token(kept.id).child(tooltip(kept, scene))
        }
        Piece::Band { count, .. } => {
            let title = Element::new("title").text(format!("{}, merged", counted(*count, "token")));
            frame.rect().class("band").with("data-count", *count).child(title)
        }
    }
}

fn class_of(id: TokenId, hit: TokenId, i: usize) -> &'static str {
    match (id == hit, i % 2) {
        (true, _) => "interval hit",
        (false, 1) => "interval odd",
        (false, _) => "interval",
    }
}
