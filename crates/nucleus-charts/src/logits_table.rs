//! The figure "Logits": every token with its logit, what the settings make of it, and which filter
//! removed it.

use nucleus_sampler::{Draw, Filter, StepTrace, TokenId};

use crate::figure::{caption, figure};
use crate::sentence::Sentence;
use crate::shapes::Frame;
use crate::words::{count, counted, fixed, logit, probability};
use crate::{Element, Node, Scene, token_label};

/// Which rows of the ranking are rendered: `count` of them from rank `start` on, rank 0 being the
/// largest logit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowWindow {
    /// The first rank. A window that would begin beyond the last full one is moved back to it.
    pub start: usize,
    /// How many rows, at most [`RowWindow::MAX_ROWS`].
    pub count: usize,
}

impl RowWindow {
    /// The most rows that are rendered at once, so that a table stays quick.
    pub const MAX_ROWS: usize = 500;

    /// The window cut and moved to fit a table of `n_rows`.
    #[must_use]
    pub fn within(self, n_rows: usize) -> Self {
        let count = self.count.min(Self::MAX_ROWS).min(n_rows);
        Self { start: self.start.min(n_rows - count), count }
    }
}

/// `<figure aria-label="Logits">` with a data table of the rows in `window`, "Rows 1 to 20 of
/// 50,257", and a caption.
///
/// Each row has `data-token` and `aria-rowindex` (the header is row 1), and the class `kept` or
/// `removed` with the filter's name; the table has `aria-rowcount`; the row that the draw hit has
/// the class `hit` and says so. Masked columns are not listed. A logit that the repetition penalty lowered has an arrow and the
/// lower one behind it, and it is the lower one that is divided by T; those that a constraint forbids are not divided.
pub fn logits_table(scene: &Scene, window: RowWindow) -> Node {
    let n_rows = scene.n_charted();
    let window = window.within(n_rows);
    let ranks = window.start..window.start + window.count;
    let table = Element::new("table")
        .with("aria-rowcount", n_rows + 1)
        .child(Element::new("caption").text(rows_of(scene, window)))
        .child(Element::new("thead").child(header(scene)))
        .child(Element::new("tbody").children(ranks.map(|rank| row(scene, rank))));
    figure("logits", "Logits").child(table).child(caption(&sentence(scene))).into()
}

/// What the table shows, in words: the two largest logits, how many tokens are kept, which is
/// drawn.
pub fn logits_sentence(scene: &Scene) -> String {
    sentence(scene).text()
}

fn sentence(scene: &Scene) -> Sentence {
    let ids = scene.ranking.ids();
    let value = |rank: usize| scene.penalised(ids[rank]);
    let noun = if scene.is_constrained() { "allowed logit" } else { "logit" };
    let largest = format!("{} of {} is {}, ", largest(scene.trace), counted(scene.n_allowed(), noun), logit(value(0)));
    let mut sentence = Sentence::default().words(largest).token(scene.quote(ids[0]));
    if scene.n_allowed() > 1 {
        let above = logit(value(0) - value(1));
        sentence = sentence.words(format!(", {above} above the next, ")).token(scene.quote(ids[1]));
    }
    let token = scene.trace.token;
    let kept = match scene.trace.nucleus_size() {
        1 => "; 1 token is kept".to_owned(),
        n => format!("; {} are kept", counted(n, "token")),
    };
    let rank = count(scene.ranking.rank_of(token) + 1);
    let chosen = match scene.trace.draw {
        Draw::Argmax => "taken",
        Draw::Uniform { .. } => "drawn",
    };
    sentence.words(format!("{kept}, and ")).token(scene.quote(token)).words(format!(", rank {rank}, is {chosen}."))
}

/// With the penalty, which comes first, named where it is on.
fn largest(trace: &StepTrace) -> String {
    match &trace.lowering {
        None => "The largest".to_owned(),
        Some(lowering) => {
            let penalty = fixed(lowering.penalty.get());
            match lowering.tokens.len() {
                0 => format!("The penalty of {penalty} lowers no logit; the largest"),
                n => format!("After the penalty of {penalty} on {} seen before, the largest", counted(n, "token")),
            }
        }
    }
}

fn rows_of(scene: &Scene, window: RowWindow) -> String {
    let (first, last) = (count(window.start + 1), count(window.start + window.count));
    let forbidden = if scene.is_constrained() { ", forbidden tokens last" } else { "" };
    let rows = format!("Rows {first} to {last} of {}", count(scene.n_charted()));
    format!("{rows}, {} first{forbidden}", scene.largest_logit())
}

const SCALED: &str = "logit / T";

/// Column names and the classes of their cells.
const COLUMNS: [(&str, &str); 6] = [
    ("rank", "number rank"),
    ("token", "token"),
    ("logit", "number logit"),
    (SCALED, "number scaled"),
    ("probability", "number probability"),
    ("outcome", "outcome"),
];

fn header(scene: &Scene) -> Element {
    let cell = |(name, class): (&'static str, &str)| {
        // What is divided is what stands behind the arrow.
        let name = if name == SCALED && scene.trace.lowering.is_some() { "logit ↓ / T" } else { name };
        Element::new("th").with("scope", "col").class(class).text(name)
    };
    Element::new("tr").with("aria-rowindex", 1_usize).children(COLUMNS.map(cell))
}

fn row(scene: &Scene, rank: usize) -> Element {
    let id = scene.ranking.ids()[rank];
    let temperature = scene.trace.settings.temperature.get();
    let removed_by = scene.trace.removed_by(rank);
    // Temperature 0 divides nothing, and what a constraint forbids does not get there: the column says so with a dash.
    let is_divided = temperature > 0.0 && removed_by != Some(Filter::Constraint);
    let scaled = if is_divided { logit(scene.penalised(id) / temperature) } else { "–".to_owned() };
    let kept = scene.trace.kept.get(rank);
    let hit = id == scene.trace.token;
    let cell = |name: &'static str, i: usize| Element::new(name).class(COLUMNS[i].1);
    let token = Element::new("bdi").text(token_label(scene.vocabulary.bytes(id)));
    Element::new("tr")
        .class(row_class(removed_by, hit))
        .token(id)
        .with("aria-rowindex", rank + 2)
        .child(cell("td", 0).text(count(rank + 1)))
        .child(cell("th", 1).with("scope", "row").child(token))
        .child(logit_cell(scene, id, cell("td", 2)))
        .child(cell("td", 3).text(scaled))
        .child(probability_cell(scene, kept.map_or(0.0, |kept| kept.probability), cell("td", 4)))
        .child(outcome(scene, rank, hit, cell("td", 5)))
}

/// The raw logit; where the repetition penalty lowered it, an arrow to what it is now.
fn logit_cell(scene: &Scene, id: TokenId, cell: Element) -> Element {
    let cell = cell.text(logit(scene.raw(id)));
    let Some(token) = scene.trace.lowered(id) else { return cell };
    cell.child(Element::new("span").class("lowered").text(format!(" ↓ {}", logit(token.to))))
}

/// The number, and a bar beside it whose full length is the largest probability of the step.
fn probability_cell(scene: &Scene, p: f64, cell: Element) -> Element {
    let largest = scene.trace.kept.first().map_or(1.0, |kept| kept.probability);
    let bar = Frame { x: 0.0, y: 0.0, width: 100.0 * p / largest, height: 10.0 };
    let svg = Element::new("svg")
        .class("bar")
        .with("viewBox", "0 0 100 10")
        .with("preserveAspectRatio", "none")
        .with("aria-hidden", "true")
        .child(bar.rect());
    cell.child(svg).child(Element::new("span").text(probability(p)))
}

fn row_class(removed: Option<Filter>, hit: bool) -> &'static str {
    match removed {
        None if hit => "kept hit",
        None => "kept",
        Some(filter) => removed_class(filter),
    }
}

/// The class of a token that a filter removed.
pub(crate) fn removed_class(filter: Filter) -> &'static str {
    match filter {
        Filter::Mask => "removed mask",
        Filter::Constraint => "removed constraint",
        Filter::Argmax => "removed argmax",
        Filter::TopK => "removed top-k",
        Filter::TopP => "removed top-p",
    }
}

/// Kept, or removed and by what; the words "removed by" are apart, for where there is little room.
fn outcome(scene: &Scene, rank: usize, hit: bool, cell: Element) -> Element {
    let by = |name: &str| {
        let removed = Element::new("span").class("removed-by").text("removed by ");
        cell.clone().child(removed).text(name)
    };
    match (scene.trace.removed_by(rank), scene.trace.draw) {
        (None, Draw::Argmax) => cell.text("kept, argmax"),
        (None, Draw::Uniform { .. }) if hit => cell.text("kept, drawn"),
        (None, Draw::Uniform { .. }) => cell.text("kept"),
        (Some(Filter::Mask), _) => by("the mask"),
        (Some(Filter::Constraint), _) => by("the constraint"),
        (Some(Filter::Argmax), _) => by("argmax"),
        (Some(Filter::TopK), _) => by("top-k"),
        (Some(Filter::TopP), _) => by("top-p"),
    }
}
