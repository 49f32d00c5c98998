//! The sequences found, with greedy's own among them or below.

use nucleus_decode::Hypothesis;

use super::nodes::ends;
use super::{BeamRun, divisor, score, text_of};
use crate::words::count;
use crate::{Element, Vocabulary, token_label};

const COLUMNS: [(&str, &str); 6] = [
    ("rank", "number"),
    ("sequence", "sequence"),
    ("sum of ln p", "number"),
    ("tokens", "number length"),
    ("score", "number"),
    ("end", "end"),
];

/// A row for each sequence, the best score first. Greedy's has the class `greedy` and says so; where it is not among the
/// results it stands last, with a dash for a rank.
pub(super) fn table(run: &BeamRun, vocabulary: &dyn Vocabulary) -> Element {
    let is_greedy = |result: &Hypothesis| result.tokens == run.greedy.tokens;
    let results = run.results.iter().enumerate();
    let found = results.map(|(index, result)| row(&count(index + 1), result, is_greedy(result), vocabulary));
    let missed = !run.results.iter().any(is_greedy);
    let greedy = missed.then(|| row("–", run.greedy, true, vocabulary));
    let head = COLUMNS.map(|(name, class)| Element::new("th").with("scope", "col").class(class).text(name));
    Element::new("table")
        .class("results")
        .child(Element::new("caption").text(format!("Score = sum of ln p{}", divisor(run.length_penalty))))
        .child(Element::new("thead").child(Element::new("tr").children(head)))
        .child(Element::new("tbody").children(found).children(greedy))
}

fn row(number: &str, result: &Hypothesis, is_greedy: bool, vocabulary: &dyn Vocabulary) -> Element {
    let cell = |index: usize, text: String| Element::new("td").class(COLUMNS[index].1).text(text);
    let sequence = Element::new("bdi").class("token").text(token_label(&text_of(result, vocabulary)));
    let mark = Element::new("span").class("greedy-mark").text("◇ greedy ");
    let row = Element::new("tr")
        .child(Element::new("th").with("scope", "row").class("number").text(number))
        .child(Element::new("td").class("sequence").children(is_greedy.then_some(mark)).child(sequence))
        .child(cell(2, score(result.sum)))
        .child(cell(3, count(result.tokens.len())))
        .child(cell(4, score(result.score)))
        .child(cell(5, ends(result.end).to_owned()));
    if is_greedy { row.class("greedy") } else { row }
}
