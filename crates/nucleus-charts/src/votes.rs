//! The figure "Votes": what several samples of one prompt answered.

use nucleus_decode::{Answer, Vote};

use crate::figure::{caption, figure};
use crate::sentence::Sentence;
use crate::shapes::Frame;
use crate::words::{count, counted, nats, probability};
use crate::{Element, Node, token_quote};

/// A sample and what the rule found in it.
#[derive(Clone, Copy, Debug)]
pub struct VoteSample<'a> {
    /// The new text.
    pub text: &'a str,
    /// The answer in it.
    pub answer: Option<&'a Answer>,
    /// Whether the text is complete: one that still grows has no vote yet.
    pub is_over: bool,
}

/// `<figure aria-label="Votes">`: a table of the answers with a bar for each, the samples with their answer marked in the
/// text (`<mark>`), and a caption.
///
/// The most frequent answers have the class `winner` and a word that says whether they win or tie; samples without an
/// answer have a row of their own, last. Bars are as long as the share of all samples.
pub fn votes(vote: &Vote, samples: &[VoteSample]) -> Node {
    let figure = figure("votes", "Votes");
    let caption = caption(&sentence(vote));
    if samples.is_empty() {
        return figure.child(caption).into();
    }
    let list = Element::new("ol").class("samples").children(samples.iter().map(sample));
    figure.child(table(vote)).child(caption).child(list).into()
}

/// The vote in words: who wins by how much, how far the samples disagree, and what that means.
pub fn votes_sentence(vote: &Vote) -> String {
    sentence(vote).text()
}

/// What agreement does not mean.
const NO_PROOF: &str = "Agreement is no proof: samples of one model share its mistakes.";
/// What a split vote means.
const SPLIT: &str = "A split vote means that the model, asked again, says something else: it is unsure, or the rule \
                     finds something that is not the answer. The winner is what it says most often, which may still be \
                     wrong.";

fn sentence(vote: &Vote) -> Sentence {
    let n = vote.n_samples();
    let (Some(winner), Some(of_answers), Some(of_samples), Some(entropy)) =
        (vote.winner(), vote.share_of_answers(), vote.share_of_samples(), vote.entropy())
    else {
        return Sentence::default().words(match n {
            0 => "No sample is complete yet.".to_owned(),
            1 => "The 1 sample has no answer by this rule: change the rule, or let samples be longer.".to_owned(),
            _ => format!("None of {n} samples has an answer by this rule: change the rule, or let samples be longer."),
        });
    };
    let without = match n - vote.n_answers() {
        0 => String::new(),
        1 => format!(", and {} of all {}, of which 1 has no answer", probability(of_samples), counted(n, "sample")),
        none => {
            format!(", and {} of all {}, of which {none} have no answer", probability(of_samples), counted(n, "sample"))
        }
    };
    let share =
        format!("{} of {} ({}{without})", winner.count, counted(vote.n_answers(), "answer"), probability(of_answers));
    let name = Sentence::default().token(token_quote(winner.value.as_bytes()));
    let entropy = format!("The entropy of the votes is {}. ", nats(entropy));
    match (vote.counts().len(), vote.n_leaders()) {
        (1, _) if n == 1 => name.words(format!(" is the answer of the only sample. {NO_PROOF}")),
        (1, _) => name.words(format!(" is the answer in {share}. {entropy}{NO_PROOF}")),
        (_, 1) => name.words(format!(" wins with {share}. {entropy}{SPLIT}")),
        (_, leaders) => {
            let tie = format!("{leaders} answers tie, each with {share}. ");
            let first = " is named first because it was reached first, which is a rule and no reason. ";
            let start = Sentence::default().words(tie).token(token_quote(winner.value.as_bytes()));
            start.words(format!("{first}{entropy}{SPLIT}"))
        }
    }
}

/// Column names and the classes of their cells.
const COLUMNS: [(&str, &str); 4] =
    [("answer", "answer"), ("votes", "number"), ("of answers", "number"), ("of samples", "number of-all")];

fn table(vote: &Vote) -> Element {
    let head = COLUMNS.map(|(name, class)| Element::new("th").with("scope", "col").class(class).text(name));
    let rows = vote.counts().iter().enumerate().map(|(index, counted)| {
        let word = match (index < vote.n_leaders(), vote.n_leaders()) {
            (true, 1) => Some("wins"),
            (true, _) => Some("ties"),
            (false, _) => None,
        };
        row(vote, Some(&counted.value), counted.count, word)
    });
    let without = vote.n_samples() - vote.n_answers();
    let none = (without > 0).then(|| row(vote, None, without, None));
    Element::new("table")
        .child(Element::new("caption").text(format!("Answers of {}", counted(vote.n_samples(), "sample"))))
        .child(Element::new("thead").child(Element::new("tr").children(head)))
        .child(Element::new("tbody").children(rows).children(none))
}

/// A row for an answer, or for the samples that have none.
fn row(vote: &Vote, value: Option<&String>, n: usize, word: Option<&'static str>) -> Element {
    let of = |whole: usize| n as f64 / whole.max(1) as f64;
    let answer = Element::new("th").with("scope", "row").class("answer");
    let answer = match value {
        Some(value) => answer.child(Element::new("bdi").class("token").text(value.as_str())),
        None => answer.text("no answer"),
    };
    let answer = match word {
        Some(word) => answer.text(" ").child(Element::new("span").class("word").text(word)),
        None => answer,
    };
    let of_answers = if value.is_some() { probability(of(vote.n_answers())) } else { "–".to_owned() };
    let class = match (value, word) {
        (_, Some(_)) => "winner",
        (None, None) => "none",
        (Some(_), None) => "other",
    };
    Element::new("tr")
        .class(class)
        .child(answer)
        .child(Element::new("td").class("number").text(count(n)))
        .child(Element::new("td").class("number").text(of_answers))
        .child(bar_cell(of(vote.n_samples())))
}

/// The share of all samples, and a bar of that length.
fn bar_cell(share: f64) -> Element {
    let bar = Frame { x: 0.0, y: 0.0, width: 100.0 * share, height: 10.0 };
    let svg = Element::new("svg")
        .class("bar")
        .with("viewBox", "0 0 100 10")
        .with("preserveAspectRatio", "none")
        .with("aria-hidden", "true")
        .child(bar.rect());
    Element::new("td").class("number of-all").child(svg).child(Element::new("span").text(probability(share)))
}

/// The text with its answer marked, and what the vote takes from it.
fn sample(sample: &VoteSample) -> Element {
    let text = Element::new("bdi").class("text");
    let parts = sample.answer.and_then(|answer| {
        let Answer { value, range } = answer;
        Some((sample.text.get(..range.start)?, sample.text.get(range.clone())?, sample.text.get(range.end..)?, value))
    });
    let item = Element::new("li");
    match parts {
        Some((before, found, after, value)) => {
            let text = text.text(before).child(Element::new("mark").text(found)).text(after);
            let answer = Element::new("span").class("vote").text(" → ").child(Element::new("bdi").text(value.as_str()));
            item.child(text).child(answer)
        }
        None if sample.is_over => item.child(text.text(sample.text)).child(note(" → no answer")),
        None => item.child(text.text(sample.text)).child(note(" …")),
    }
}

fn note(text: &str) -> Element {
    Element::new("span").class("vote none").text(text)
}
