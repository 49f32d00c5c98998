//! Which words of a row get a line of their own.

use nucleus_decode::bigram::Row;

/// The room above the lines of a panel, and of a line, in CSS pixels.
pub(super) const HEAD: f64 = 42.0;
pub(super) const LINE: f64 = 20.0;

/// A line of the panel: parts of the row in its order, without a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// The successor with this index.
    Word(usize),
    /// The successors `from..to`, more than one of them or none that was drawn.
    Band { from: usize, to: usize },
}

/// Fits a row into `n` lines, 4 or more: the first words, the one drawn, and bands for the others.
pub(super) fn lines(row: &Row, hit: usize, n: usize) -> Vec<Line> {
    let all = row.successors.len();
    if all <= n {
        return (0..all).map(Line::Word).collect();
    }
    let band = |from: usize, to: usize| match to - from {
        0 => None,
        1 => Some(Line::Word(from)),
        _ => Some(Line::Band { from, to }),
    };
    // A line for the band below; with a hit far down, also for the hit and for the band above it.
    let first = if hit < n - 1 { n - 1 } else { n - 3 };
    let mut lines: Vec<Line> = (0..first).map(Line::Word).collect();
    if hit < first {
        lines.extend(band(first, all));
    } else {
        lines.extend(band(first, hit));
        lines.push(Line::Word(hit));
        lines.extend(band(hit + 1, all));
    }
    lines
}

#[cfg(test)]
mod tests {
    use nucleus_decode::bigram::Successor;

    use super::*;

    fn row(n: u32) -> Row {
        let successors = (0..n).map(|start| Successor { word: start.to_string(), count: 1, start });
        Row { successors: successors.collect(), total: n }
    }

    #[test]
    fn lines_hold_the_whole_row_and_the_word_drawn() {
        for (all, n) in [(1, 4), (4, 4), (5, 4), (6, 4), (9, 4), (30, 12)] {
            for hit in 0..all {
                let lines = lines(&row(all as u32), hit, n);
                assert!(lines.len() <= n, "{lines:?}");
                assert!(lines.contains(&Line::Word(hit)), "{hit} of {all}: {lines:?}");
                let parts = lines.iter().map(|line| match *line {
                    Line::Word(index) => (index, index + 1),
                    Line::Band { from, to } => (from, to),
                });
                let end = parts.fold(0, |end, (from, to)| {
                    assert_eq!(from, end, "{lines:?}");
                    to
                });
                assert_eq!(end, all);
            }
        }
    }

    #[test]
    fn a_hit_far_down_has_bands_around_it() {
        use Line::{Band, Word};
        assert_eq!(
            lines(&row(20), 10, 5),
            [Word(0), Word(1), Band { from: 2, to: 10 }, Word(10), Band { from: 11, to: 20 }]
        );
        assert_eq!(lines(&row(20), 3, 5), [Word(0), Word(1), Word(2), Word(3), Band { from: 4, to: 20 }]);
    }
}
