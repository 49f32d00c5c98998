//! The figure "Repetition": the phrases that a text repeats, and how likely they were each time.

use nucleus_decode::{Loop, Phrase};

use crate::sentence::{Sentence, caption, figure};
use crate::words::{counted, probability};
use crate::{Element, Node, Vocabulary, token_quote};

/// A run as this figure needs it.
#[derive(Clone, Copy, Debug)]
pub struct Repeated<'a> {
    /// What it repeats.
    pub phrases: &'a [Phrase],
    /// Where it ends in a circle, if it does.
    pub closing_loop: Option<Loop>,
    /// ln p of each new token under the raw model, nats.
    pub log_probabilities: &'a [f64],
}

/// The line of a phrase, CSS pixels.
const LINE: (f64, f64) = (120.0, 28.0);

/// `<figure aria-label="Repetition">`: for each phrase a line of its probability, from occurrence to occurrence, and each
/// occurrence as a button that leads to its first step (`data-step`); and a caption.
#[must_use]
pub fn repetition(run: &Repeated, vocabulary: &dyn Vocabulary) -> Node {
    let phrases = run.phrases.iter().map(|phrase| item(phrase, run, vocabulary));
    let list = Element::new("ul").class("phrases").children(phrases);
    figure("repetition", "Repetition")
        .child(list)
        .child(caption(&Sentence::default().words(repetition_sentence(run))))
        .into()
}

/// What is repeated most, whether it became likelier, and where the text runs in a circle.
#[must_use]
pub fn repetition_sentence(run: &Repeated) -> String {
    let rises = |phrase: &&Phrase| {
        let probabilities = phrase.probabilities(run.log_probabilities);
        probabilities.last() > probabilities.first()
    };
    let rising = run.phrases.iter().filter(rises).count();
    let phrases = match run.phrases.len() {
        0 => "No phrase is repeated.".to_owned(),
        1 => format!(
            "1 phrase is repeated; {}.",
            if rising == 1 { "it became likelier" } else { "it became no likelier" }
        ),
        n => {
            let rising = if rising == 0 { "none".to_owned() } else { rising.to_string() };
            format!("{n} phrases are repeated; {rising} of them became likelier from the first time to the last.")
        }
    };
    let circle = run.closing_loop.map(|closing| {
        format!(
            " From step {} on the text runs in a circle of {}.",
            closing.start + 1,
            counted(closing.period, "token")
        )
    });
    let means = " The probability is the mean of a token of the phrase (geometric), under the model alone.";
    format!("{phrases}{}{means}", circle.unwrap_or_default())
}

fn item(phrase: &Phrase, run: &Repeated, vocabulary: &dyn Vocabulary) -> Node {
    let bytes: Vec<u8> = phrase.tokens.iter().flat_map(|&id| vocabulary.bytes(id)).copied().collect();
    let probabilities = phrase.probabilities(run.log_probabilities);
    let occurrence = |(&start, &p): (&usize, &f64)| {
        let name = format!("at step {}: {}", start + 1, probability(p));
        let button = Element::new("button")
            .class("plain")
            .with("type", "button")
            .with("data-step", start)
            .with("aria-label", name)
            .text(probability(p));
        Node::from(Element::new("li").child(button))
    };
    Element::new("li")
        .child(Element::new("bdi").class("token").text(token_quote(&bytes)))
        .child(line(&probabilities))
        .child(Element::new("ol").children(phrase.starts.iter().zip(&probabilities).map(occurrence)))
        .into()
}

/// The probabilities from left to right, 0 at the bottom and 1 on top. The numbers stand beside it, so it is not read out.
fn line(probabilities: &[f64]) -> Element {
    let (width, height) = LINE;
    let step = width / (probabilities.len().max(2) - 1) as f64;
    let place = |(index, p): (usize, &f64)| (index as f64 * step, (1.0 - p) * height);
    let points: Vec<(f64, f64)> = probabilities.iter().enumerate().map(place).collect();
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let dot = |&(x, y): &(f64, f64)| {
        let dot = Element::new("circle").with("cx", format!("{x:.1}")).with("cy", format!("{y:.1}"));
        Node::from(dot.with("r", "2.5"))
    };
    Element::new("svg")
        .with("viewBox", format!("-4 -4 {} {}", width + 8.0, height + 8.0))
        .with("width", width + 8.0)
        .with("height", height + 8.0)
        .with("aria-hidden", "true")
        .child(Element::new("polyline").with("points", path.join(" ")))
        .children(points.iter().map(dot))
}
