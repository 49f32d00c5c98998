//! The figure "Allowed": what a constraint lets through at one step, and what it keeps the model from.

mod next;

use nucleus_decode::ConstraintTrace;
use nucleus_decode::constraint::{Considered, Verdict};
use nucleus_sampler::TokenId;

use crate::figure::{caption, figure};
use crate::sentence::Sentence;
use crate::shapes::{Anchor, Frame, estimated_width, label, line, picture};
use crate::words::{count, counted, probability};
use crate::{Element, Node, Size, Vocabulary, token_label, token_quote};

use next::next_in_words;

/// The height of the bar, and of the line of labels above it.
const BAR: f64 = 22.0;
const ABOVE: f64 = 20.0;

/// `<figure aria-label="Allowed">`: the model's own probability as a bar, cut into what is allowed (class `kept`) and
/// what is forbidden (class `removed`, behind a line), and below it the model's likeliest tokens in a table.
///
/// `token` is the one that the step chose. Each row has `data-token` and the class `kept` or `removed`, the chosen one
/// also `hit`, and says in words what the constraint says of it. Of `size` the width counts.
pub fn allowed(told: &ConstraintTrace, token: TokenId, vocabulary: &dyn Vocabulary, size: Size) -> Node {
    let rows = told.top.iter().enumerate().map(|(rank, considered)| row(rank, considered, told, token, vocabulary));
    let of_all = format!(
        "The model's likeliest tokens, before the constraint: {} of {}",
        count(told.top.len()),
        count(told.n_tokens)
    );
    let table = Element::new("table")
        .child(Element::new("caption").text(of_all))
        .child(Element::new("thead").child(header()))
        .child(Element::new("tbody").children(rows));
    figure("allowed", "Allowed")
        .child(bar(told, size.width()))
        .child(table)
        .child(caption(&sentence(told, token, vocabulary)))
        .into()
}

/// The figure in words: how many tokens are allowed, what the forbidden ones held, what may come next, and how much
/// room is left to complete the text.
pub fn allowed_sentence(told: &ConstraintTrace, token: TokenId, vocabulary: &dyn Vocabulary) -> String {
    sentence(told, token, vocabulary).text()
}

fn sentence(told: &ConstraintTrace, token: TokenId, vocabulary: &dyn Vocabulary) -> Sentence {
    let quote = |id: TokenId| token_quote(vocabulary.bytes(id));
    let are = if told.allowed == 1 { "is" } else { "are" };
    let sentence = Sentence::default().words(format!(
        "{} of {} {are} allowed; ",
        count(told.allowed),
        counted(told.n_tokens, "token")
    ));
    let mass = probability(told.forbidden_mass);
    let sentence = match told.top.first() {
        _ if told.allowed == told.n_tokens => sentence.words("nothing is forbidden"),
        Some(first) if first.verdict != Verdict::Allowed => sentence
            .words(format!("the others held {mass} of the model's own probability, the likeliest of all, "))
            .token(quote(first.id))
            .words(", among them"),
        _ => sentence.words(format!("the others held {mass} of the model's own probability")),
    };
    let sentence = sentence.words(". ").token(quote(token)).words(" is chosen. ");
    let only = if is_tight(told) { ", but only what can be completed with the tokens left is allowed" } else { "" };
    let sentence = sentence.words(format!("Next may come {}{only}. ", next_in_words(&told.next)));
    sentence.words(room(told))
}

/// Whether the tokens left forbid a part of what the form lets through.
fn is_tight(told: &ConstraintTrace) -> bool {
    told.least == told.tokens_left || told.top.iter().any(|considered| considered.verdict == Verdict::NoRoom)
}

/// Whether the text may end, and how many tokens it takes.
fn room(told: &ConstraintTrace) -> String {
    let left = counted(told.tokens_left, "token");
    let left = if told.tokens_left == 1 { format!("{left} is left") } else { format!("{left} are left") };
    if told.is_complete {
        return format!("The text is complete and may end here; {left}.");
    }
    format!("The text takes {} at the least to complete; {left}.", counted(told.least, "more token"))
}

/// Two pieces, each with its words above it, flush with the end that it is at.
fn bar(told: &ConstraintTrace, width: f64) -> Element {
    let whole = Frame { x: 0.5, y: ABOVE, width: width - 1.0, height: BAR };
    let edge = whole.x + whole.width * (1.0 - told.forbidden_mass);
    let kept = Frame { width: edge - whole.x, ..whole };
    let removed = Frame { x: edge, width: whole.right() - edge, ..whole };
    let svg = picture(Size::new(width, ABOVE + BAR + 1.0), "Probability allowed and forbidden");
    let svg = svg.child(kept.rect().class("mass-kept")).child(removed.rect().class("mass-removed"));
    let svg = svg.child(line((edge, whole.y - 3.0), (edge, whole.bottom())).class("edge"));
    let [left, right] = labels(told);
    let fits = estimated_width(&left) + estimated_width(&right) < width;
    let y = ABOVE - 7.0;
    let svg = svg.child(label(whole.right(), y, Anchor::End, right).class("mass-text"));
    if fits { svg.child(label(whole.x, y, Anchor::Start, left).class("mass-text")) } else { svg }
}

fn labels(told: &ConstraintTrace) -> [String; 2] {
    let piece = |n: usize, what: &str, mass: f64| format!("{} {what}, {}", count(n), probability(mass));
    [
        piece(told.allowed, "allowed", 1.0 - told.forbidden_mass),
        piece(told.n_tokens - told.allowed, "forbidden", told.forbidden_mass),
    ]
}

/// Column names and the classes of their cells.
const COLUMNS: [(&str, &str); 4] =
    [("rank", "number rank"), ("token", "token"), ("probability", "number probability"), ("the constraint", "outcome")];

fn header() -> Element {
    let cell = |(name, class): (&str, &str)| Element::new("th").with("scope", "col").class(class).text(name);
    Element::new("tr").children(COLUMNS.map(cell))
}

fn row(rank: usize, of: &Considered, told: &ConstraintTrace, token: TokenId, vocabulary: &dyn Vocabulary) -> Element {
    let cell = |name: &'static str, i: usize| Element::new(name).class(COLUMNS[i].1);
    let class = match of.verdict {
        Verdict::Allowed if of.id == token => "kept hit",
        Verdict::Allowed => "kept",
        Verdict::Breaks | Verdict::NoRoom | Verdict::TooEarly => "removed constraint",
    };
    let largest = told.top.first().map_or(1.0, |first| first.probability);
    let bar = Frame { x: 0.0, y: 0.0, width: 100.0 * of.probability / largest, height: 10.0 };
    let bar = Element::new("svg")
        .class("bar")
        .with("viewBox", "0 0 100 10")
        .with("preserveAspectRatio", "none")
        .with("aria-hidden", "true")
        .child(bar.rect());
    let text = Element::new("bdi").text(token_label(vocabulary.bytes(of.id)));
    Element::new("tr")
        .class(class)
        .token(of.id)
        .child(cell("td", 0).text(count(rank + 1)))
        .child(cell("th", 1).with("scope", "row").child(text))
        .child(cell("td", 2).child(bar).child(Element::new("span").text(probability(of.probability))))
        .child(cell("td", 3).text(verdict(of, token)))
}

fn verdict(of: &Considered, token: TokenId) -> &'static str {
    match of.verdict {
        Verdict::Allowed if of.id == token => "allowed, chosen",
        Verdict::Allowed => "allowed",
        Verdict::Breaks => "forbidden: breaks the form",
        Verdict::NoRoom => "forbidden: no room to finish",
        Verdict::TooEarly => "forbidden: too early to end",
    }
}
