//! The unit bar cut into pieces: intervals that can be seen, and bands of those that cannot.

use nucleus_sampler::{Kept, StepTrace, TokenId};

use super::Zoom;

/// The narrowest interval that is drawn by itself, in CSS pixels.
pub(super) const THINNEST: f64 = 2.0;

/// A piece of the bar. Pieces lie side by side, in vocabulary order, and fill the window.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    /// One token's interval.
    Interval(Kept),
    /// Neighbouring intervals, each too thin to draw: where they start and end, and how many.
    Band { start: f64, end: f64, count: usize },
}

impl Piece {
    /// Where the piece starts and ends on the unit interval, cut to the window.
    pub(super) fn within(&self, zoom: Zoom) -> (f64, f64) {
        let (start, end) = match self {
            Self::Interval(kept) => (kept.interval.start, kept.interval.end),
            Self::Band { start, end, .. } => (*start, *end),
        };
        (start.max(zoom.start()), end.min(zoom.end()))
    }
}

/// The kept tokens by ascending id, which is the order of their intervals. Linear in the
/// vocabulary: each has a place of its own there.
pub(super) fn in_vocabulary_order(trace: &StepTrace) -> Vec<&Kept> {
    let mut places: Vec<u32> = vec![u32::MAX; trace.n_vocab];
    for (rank, kept) in trace.kept.iter().enumerate() {
        if let Some(place) = places.get_mut(kept.id.index()) {
            *place = rank as u32;
        }
    }
    places.into_iter().filter_map(|rank| trace.kept.get(rank as usize)).collect()
}

/// Cuts the part of the bar in `zoom`, drawn `width` CSS pixels wide. The interval of `hit` is
/// always a piece of its own.
pub(super) fn cut(ordered: &[&Kept], hit: TokenId, zoom: Zoom, width: f64) -> Vec<Piece> {
    let thinnest = THINNEST * zoom.width() / width;
    // At the ends of the bar nothing is left out: an interval there may be empty, by underflow.
    let before = |kept: &&Kept| zoom.start() > 0.0 && kept.interval.end <= zoom.start();
    let beyond = |kept: &Kept| zoom.end() < 1.0 && kept.interval.start >= zoom.end();
    let first = ordered.partition_point(before);
    let mut pieces = Vec::new();
    for kept in &ordered[first..] {
        if beyond(kept) {
            break;
        }
        match pieces.last_mut() {
            _ if kept.interval.width() >= thinnest || kept.id == hit => {
                pieces.push(Piece::Interval(**kept));
            }
            Some(Piece::Band { end, count, .. }) => {
                *end = kept.interval.end;
                *count += 1;
            }
            _ => {
                let (start, end) = (kept.interval.start, kept.interval.end);
                pieces.push(Piece::Band { start, end, count: 1 });
            }
        }
    }
    pieces
}

/// How many tokens are not drawn by themselves.
pub(super) fn merged(pieces: &[Piece]) -> usize {
    let count = |piece: &Piece| match piece {
        Piece::Interval(_) => 0,
        Piece::Band { count, .. } => *count,
    };
    pieces.iter().map(count).sum()
}
