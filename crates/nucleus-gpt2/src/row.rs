//! What goes through the model in one pass: rows of the residual stream, each with a place of its own in the cache.
//!
//! A slot is the room that the cache has for one text. A prompt is rows of one slot at following positions; a step of a
//! batch is one row in each of several slots.

use std::ops::Range;

use nucleus_decode::sampler::TokenId;

/// One token, and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The token.
    pub id: TokenId,
    /// How many tokens its slot has before it.
    pub position: usize,
    /// Whose keys and values it sees and joins, from 0.
    pub slot: usize,
}

/// What a slot gets a copy of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The slot that is copied.
    pub slot: usize,
    /// Its first so many positions.
    pub len: usize,
}

/// Rows of a pass that follow each other in one slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Which of the pass's rows.
    pub rows: Range<usize>,
    /// Their slot.
    pub slot: usize,
    /// The position of the first.
    pub start: usize,
}

/// `ids` in `slot`, the first at position `start`.
pub fn following(ids: &[TokenId], start: usize, slot: usize) -> Vec<Row> {
    ids.iter().zip(start..).map(|(&id, position)| Row { id, position, slot }).collect()
}

/// The rows of a pass as few spans, in their order.
pub fn spans(rows: &[Row]) -> Vec<Span> {
    let mut end = 0;
    let follows = |a: &Row, b: &Row| a.slot == b.slot && a.position + 1 == b.position;
    let span = |rows: &[Row]| {
        let start = end;
        end += rows.len();
        Span { rows: start..end, slot: rows[0].slot, start: rows[0].position }
    };
    rows.chunk_by(follows).map(span).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_ends_where_slot_or_position_jumps() {
        let prompt = following(&[7, 8, 9].map(TokenId), 4, 1);
        assert_eq!(prompt[2], Row { id: TokenId(9), position: 6, slot: 1 });
        let batch = [(0, 3), (1, 4), (1, 9)].map(|(slot, position)| Row { id: TokenId(0), position, slot });
        let expected = [(0..3, 1, 4), (3..4, 0, 3), (4..5, 1, 4), (5..6, 1, 9)].map(|(rows, slot, start)| Span {
            rows,
            slot,
            start,
        });
        assert_eq!(spans(&[&prompt[..], &batch].concat()), expected);
    }
}
