//! The two lanes above the slots: who arrives, and how many wait.

use super::arrival;
use super::panel::{Panel, RIGHT, WAITING};
use crate::Element;
use crate::shapes::{Anchor, Frame, estimated_width, label, path};
use crate::words::count;

impl Panel<'_> {
    /// A mark where requests arrive, with their numbers where there is room.
    pub(super) fn arrivals(&self) -> Vec<Element> {
        let base = self.frame.y - WAITING - 2.0;
        let mut nodes = vec![label(0.0, base - 3.0, Anchor::Start, "arrive").class("name")];
        let mut free_from = f64::NEG_INFINITY;
        for (step, numbers) in self.arriving() {
            let x = self.x(step);
            nodes.push(path(&[(x, base), (x - 3.0, base - 5.0), (x + 3.0, base - 5.0)], true).class("arrival"));
            let width = estimated_width(&numbers);
            if x - width / 2.0 >= free_from && x + width / 2.0 <= self.frame.right() + RIGHT {
                nodes.push(label(x, base - 8.0, Anchor::Middle, numbers).class("arrival"));
                free_from = x + width / 2.0 + 4.0;
            }
        }
        nodes
    }

    /// Steps with the numbers of the requests that arrive in them: only those that the figure's time reaches.
    fn arriving(&self) -> Vec<(usize, String)> {
        let mut all: Vec<(usize, usize)> =
            self.requests.iter().enumerate().map(|(index, request)| (request.arrives_at, index + 1)).collect();
        all.retain(|&(step, _)| step <= self.n_steps);
        all.sort_unstable();
        let same_step = all.chunk_by(|a, b| a.0 == b.0);
        same_step
            .map(|group| (group[0].0, numbers(&group.iter().map(|&(_, number)| number).collect::<Vec<_>>())))
            .collect()
    }

    /// How many wait, as a line of bars with their numbers.
    pub(super) fn waiting(&self) -> Vec<Element> {
        let y = self.frame.y - WAITING;
        let mut nodes = vec![label(0.0, y + 10.0, Anchor::Start, "wait").class("name")];
        for (start, end, n) in self.queue() {
            let bar = Frame { x: self.x(start), y: y + 1.0, width: self.x(end) - self.x(start), height: WAITING - 5.0 };
            nodes.push(bar.rect().class("waiting"));
            let text = count(n);
            if estimated_width(&text) <= bar.width {
                nodes.push(label(bar.x + bar.width / 2.0, y + 10.5, Anchor::Middle, text).class("waiting"));
            }
        }
        nodes
    }

    /// Stretches of steps in which the same number of requests waits, above 0.
    fn queue(&self) -> Vec<(usize, usize, usize)> {
        let waits: Vec<(usize, usize)> =
            self.timeline.blocks().iter().map(|block| (arrival(self.requests, block.request), block.start)).collect();
        let mut edges: Vec<usize> = waits.iter().flat_map(|&(from, to)| [from, to]).collect();
        edges.sort_unstable();
        edges.dedup();
        let stretch = |edge: &[usize]| {
            let n = waits.iter().filter(|&&(from, to)| from <= edge[0] && edge[1] <= to).count();
            (edge[0], edge[1], n)
        };
        edges.windows(2).map(stretch).filter(|&(_, _, n)| n > 0).collect()
    }
}

/// Numbers as short as can be: `3`, `1, 2`, and from three on `1–4` where they follow one another.
fn numbers(all: &[usize]) -> String {
    let runs = all.chunk_by(|a, b| a + 1 == *b);
    let run = |run: &[usize]| match run {
        [first, .., last] if run.len() > 2 => format!("{first}–{last}"),
        _ => run.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
    };
    runs.map(run).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_follow_one_another_are_a_range() {
        let cases: [(&[usize], &str); 5] =
            [(&[3], "3"), (&[1, 2], "1, 2"), (&[1, 2, 3, 4], "1–4"), (&[1, 3, 4, 5, 9], "1, 3–5, 9"), (&[], "")];
        for (all, text) in cases {
            assert_eq!(numbers(all), text);
        }
    }
}
