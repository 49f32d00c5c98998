//! The figure "Nucleus size": how many tokens were kept at each step of a run, and how unsure the
//! model was.

mod panel;
mod scale;

use nucleus_sampler::{StepTrace, TokenId};

use crate::figure::{caption, figure};
use crate::sentence::Sentence;
use crate::shapes::{Frame, svg};
use crate::words::{count, counted, nats};
use crate::{Element, Node, Size, Vocabulary, token_quote};

use panel::Panel;
use scale::Scale;

/// One step of a run, as far as the figure needs it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunStep {
    /// The number of tokens kept, at least 1.
    pub nucleus_size: usize,
    /// Nats, of the final distribution: 0 or more.
    pub entropy: f64,
    /// The token drawn.
    pub token: TokenId,
}

impl From<&StepTrace> for RunStep {
    fn from(trace: &StepTrace) -> Self {
        Self { nucleus_size: trace.nucleus_size(), entropy: trace.entropy, token: trace.token }
    }
}

/// Room for the numbers of the axis, at the left, for the name above the first panel and above the
/// second, and below.
const AXIS: f64 = 46.0;
const NAME: f64 = 26.0;
const BETWEEN: f64 = 32.0;
const FOOT: f64 = 6.0;
/// The upper panel's share of the height that is left.
const UPPER: f64 = 0.64;

/// `<figure aria-label="Nucleus size">`: a step line over the run, and the entropy below it.
///
/// Each step is a hit target with `data-step` (its index in `run`), `role="button"` and a roving
/// `tabindex`: 0 on the step in focus (the last one where there is none), -1 on the others. The
/// step in focus has `aria-current`. A `focus` beyond the run marks nothing. The scale is
/// logarithmic where the largest nucleus is at least twenty times the smallest. Readers count steps
/// from 1.
pub fn nucleus_size(run: &[RunStep], focus: Option<usize>, vocabulary: &dyn Vocabulary, size: Size) -> Node {
    let figure = figure("nucleus-size", "Nucleus size");
    let caption = caption(&sentence(run, focus));
    if run.is_empty() {
        return figure.child(caption).into();
    }
    let focus = focus.filter(|focus| *focus < run.len());
    let [upper, lower] = panels(run, size);
    let svg = svg(size)
        .with("role", "group")
        .with("aria-label", "Steps")
        .child(upper.nodes(focus))
        .child(lower.nodes(focus))
        .child(hit_targets(run, focus, vocabulary, &upper, size));
    figure.child(svg).child(caption).into()
}

/// The run in words: the range and the median of the nucleus size, and the step in focus.
pub fn nucleus_size_sentence(run: &[RunStep], focus: Option<usize>) -> String {
    sentence(run, focus).text()
}

fn sentence(run: &[RunStep], focus: Option<usize>) -> Sentence {
    let mut sizes: Vec<usize> = run.iter().map(|step| step.nucleus_size).collect();
    sizes.sort_unstable();
    let (Some(least), Some(most)) = (sizes.first(), sizes.last()) else {
        return Sentence::default().words("No step yet.");
    };
    let range = if least == most {
        counted(*most, "token")
    } else {
        format!("{} to {}, in the median {}", count(*least), counted(*most, "token"), count(sizes[sizes.len() / 2]))
    };
    let words = format!("Over {} the nucleus holds {range}", counted(run.len(), "step"));
    let sentence = Sentence::default().words(words);
    match focus.and_then(|focus| Some((focus, run.get(focus)?))) {
        None => sentence.words("."),
        Some((i, step)) => sentence.words(format!("; at step {}, {}.", count(i + 1), facts(step))),
    }
}

fn facts(step: &RunStep) -> String {
    format!("{} and an entropy of {}", counted(step.nucleus_size, "token"), nats(step.entropy))
}

fn panels(run: &[RunStep], size: Size) -> [Panel; 2] {
    let height = (size.height() - NAME - BETWEEN - FOOT).max(2.0);
    let frame = |y: f64, share: f64| Frame { x: AXIS, y, width: size.width() - AXIS - 1.0, height: share * height };
    let upper = frame(NAME, UPPER);
    let lower = frame(upper.bottom() + BETWEEN, 1.0 - UPPER);
    let sizes: Vec<f64> = run.iter().map(|step| step.nucleus_size as f64).collect();
    let entropies: Vec<f64> = run.iter().map(|step| step.entropy.max(0.0)).collect();
    [
        Panel {
            name: "tokens kept",
            class: "size",
            frame: upper,
            scale: Scale::for_counts(&sizes),
            values: sizes,
            decimals: 0,
        },
        Panel {
            name: "entropy, nats",
            class: "entropy",
            frame: lower,
            scale: Scale::linear(&entropies),
            values: entropies,
            decimals: 2,
        },
    ]
}

/// A transparent column over each step.
fn hit_targets(
    run: &[RunStep],
    focus: Option<usize>,
    vocabulary: &dyn Vocabulary,
    panel: &Panel,
    size: Size,
) -> Element {
    let in_order = focus.unwrap_or(run.len() - 1);
    let target = |(i, step): (usize, &RunStep)| {
        let (x, end) = panel.slot(i);
        let column = Frame { x, y: 0.0, width: end - x, height: size.height() }.rect();
        let name = format!("Step {}: {}, {}", count(i + 1), token_quote(vocabulary.bytes(step.token)), facts(step));
        let target = column
            .class("step")
            .with("data-step", i)
            .with("role", "button")
            .with("tabindex", if i == in_order { "0" } else { "-1" })
            .with("aria-label", name);
        if focus == Some(i) { target.with("aria-current", "step") } else { target }
    };
    Element::new("g").class("steps").children(run.iter().enumerate().map(target))
}
