//! The two panels: counts as stairs with a needle, probabilities as bars.

use nucleus_decode::bigram::{BigramStep, Successor};
use nucleus_sampler::Kept;

use super::lines::{HEAD, LINE, Line, lines};
use super::{FOOT, told};
use crate::sentence::Sentence;
use crate::shapes::{Anchor, Frame, estimated_width, label, line, path};
use crate::words::{decimals_between, probability, shortened};
use crate::{Element, Scene, token_label, token_quote};

/// The room for a word at the left of its bar: a share of the panel, within limits.
const WORD: (f64, f64, f64) = (0.26, 62.0, 120.0);
/// The room for a number at the right.
const NUMBER: f64 = 62.0;
/// Between a bar and what stands beside it.
const PADDING: f64 = 6.0;

/// Where a panel stands, and how many lines it has.
#[derive(Clone, Copy)]
pub(super) struct Panel {
    pub frame: Frame,
    pub n_lines: usize,
}

impl Panel {
    /// The part in which bars are: the unit interval from its left to its right.
    fn plot(&self) -> Frame {
        let word = (WORD.0 * self.frame.width).clamp(WORD.1, WORD.2);
        Frame {
            x: self.frame.x + word + PADDING,
            y: self.frame.y + HEAD,
            width: self.frame.width - word - NUMBER - 2.0 * PADDING,
            height: self.frame.height - HEAD - FOOT,
        }
    }

    fn x(&self, at: f64) -> f64 {
        self.plot().x + at * self.plot().width
    }

    /// The box of a bar on line `i` from `start` to `end` of the unit interval: at least a pixel wide.
    fn bar(&self, i: usize, start: f64, end: f64) -> Frame {
        let width = (self.x(end) - self.x(start)).max(1.0);
        Frame { x: self.x(start), y: self.plot().y + LINE * i as f64 + 3.0, width, height: LINE - 6.0 }
    }

    fn base(&self, i: usize) -> f64 {
        self.plot().y + LINE * i as f64 + LINE / 2.0 + 4.0
    }

    /// A word at the left of line `i`.
    fn word(&self, i: usize, text: &str) -> Element {
        let columns = ((self.plot().x - self.frame.x - PADDING) / estimated_width("m")) as usize;
        label(self.plot().x - PADDING, self.base(i), Anchor::End, shortened(text, columns))
    }

    fn number(&self, i: usize, text: String) -> Element {
        label(self.plot().right() + PADDING, self.base(i), Anchor::Start, text).class("share")
    }

    fn title(&self, text: String) -> Element {
        label(self.frame.x, self.frame.y + 12.0, Anchor::Start, text).class("stage")
    }

    /// 0 and 1 below the bars, and the lines that lead to them.
    fn axis(&self) -> Vec<Element> {
        let (plot, y) = (self.plot(), self.plot().bottom());
        let rule = |x: f64| line((x, plot.y), (x, y)).class("rule");
        let tick = |x: f64, text: &str| label(x, y + 14.0, Anchor::Middle, text).class("tick");
        vec![rule(plot.x), rule(plot.right()), tick(plot.x, "0"), tick(plot.right(), "1")]
    }
}

/// The counts of the row as stairs, and the needle at u.
pub(super) fn counts(step: &BigramStep, panel: &Panel) -> Element {
    let quoted = shortened(&token_quote(step.before.as_bytes()), 20);
    let title = format!("counts after {quoted}");
    let mut group = Element::new("g").class("counts").child(panel.title(title)).children(panel.axis());
    for (i, line) in lines(&step.row, step.draw.hit, panel.n_lines).into_iter().enumerate() {
        group = group.child(match line {
            Line::Word(index) => word_line(step, index, panel, i),
            Line::Band { from, to } => band_line(step, &step.row.successors[from..to], panel, i),
        });
    }
    group.children(needle(step, panel))
}

fn word_line(step: &BigramStep, index: usize, panel: &Panel, i: usize) -> Element {
    let successor = &step.row.successors[index];
    let total = f64::from(step.row.total);
    let hit = index == step.draw.hit;
    let [start, end] = [successor.start, successor.end()].map(f64::from);
    let bar = panel.bar(i, start / total, end / total).rect();
    Element::new("g")
        .class(if hit { "row hit" } else { "row" })
        .child(panel.word(i, &token_label(successor.word.as_bytes())).class("token"))
        .child(bar.class(if hit { "interval hit" } else { "interval odd" }).child(title(&told::word(step, index))))
        .child(panel.number(i, format!("{}/{}", successor.count, step.row.total)))
}

fn band_line(step: &BigramStep, merged: &[Successor], panel: &Panel, i: usize) -> Element {
    let total = f64::from(step.row.total);
    let start = merged.first().map_or(0, |first| first.start);
    let end = merged.last().map_or(0, Successor::end);
    let bar = panel.bar(i, f64::from(start) / total, f64::from(end) / total).rect();
    Element::new("g")
        .class("row")
        .child(panel.word(i, &format!("{} more", merged.len())).class("more"))
        .child(bar.class("band").with("data-count", merged.len()).child(title(&told::band(step, merged))))
        .child(panel.number(i, format!("{}/{}", end - start, step.row.total)))
}

/// A line down through all bars at u, with a head and the number above it.
fn needle(step: &BigramStep, panel: &Panel) -> Vec<Element> {
    let u = step.draw.u.get();
    let Some(hit) = step.row.successors.get(step.draw.hit) else {
        return Vec::new();
    };
    let [start, end] = [hit.start, hit.end()].map(|edge| f64::from(edge) / f64::from(step.row.total));
    let decimals = decimals_between(start, u, end);
    let (x, top) = (panel.x(u), panel.plot().y);
    let text = format!("u = {u:.decimals$}");
    let (text_x, anchor) = Anchor::near(x, estimated_width(&text) / 2.0, panel.frame);
    vec![
        line((x, top - 6.0), (x, panel.plot().bottom())).class("needle"),
        path(&[(x - 3.5, top - 7.0), (x + 3.5, top - 7.0), (x, top - 1.0)], true).class("needle-head"),
        label(text_x, top - 11.0, anchor, text).class("u"),
    ]
}

/// GPT-2's likeliest tokens, on the scale of the counts.
pub(super) fn model(scene: &Scene, panel: &Panel) -> Element {
    let title = panel.title("GPT-2, after the whole text".to_owned());
    let group = Element::new("g").class("model").child(title).children(panel.axis());
    let kept = scene.trace.kept.iter().take(panel.n_lines).enumerate();
    group.children(kept.map(|(i, kept)| token_line(scene, kept, panel, i)))
}

fn token_line(scene: &Scene, kept: &Kept, panel: &Panel, i: usize) -> Element {
    let bar = panel.bar(i, 0.0, kept.probability.clamp(0.0, 1.0)).rect();
    Element::new("g")
        .class("row")
        .token(kept.id)
        .child(panel.word(i, &token_label(scene.vocabulary.bytes(kept.id))).class("token").token(kept.id))
        .child(bar.class("ribbon").token(kept.id).child(title(&told::token(scene, kept))))
        .child(panel.number(i, probability(kept.probability)))
}

/// What a reader hovers over.
fn title(sentence: &Sentence) -> Element {
    Element::new("title").text(sentence.text())
}
