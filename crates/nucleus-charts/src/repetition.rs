//! The figure "Repetition": the phrases that a text repeats, and how likely they were each time.

use nucleus_decode::{Loop, Phrase};

use crate::figure::{caption, figure};
use crate::sentence::Sentence;
use crate::words::{counted, probability};
use crate::{Element, Node, Vocabulary, token_quote};

/// A run as this figure needs it.
#[derive(Clone, Copy, Debug)]
pub struct Repeated<'a> {
    /// What it repeats, the phrase that covers most of it first: [`Repeated::SHOWN`] are shown, and it is said if there are more.
    pub phrases: &'a [Phrase],
    /// Where it ends in a circle, if it does.
    pub closing_loop: Option<Loop>,
    /// ln p of each new token under the raw model, nats.
    pub log_probabilities: &'a [f64],
}

impl Repeated<'_> {
    /// The most phrases that are shown.
    pub const SHOWN: usize = 5;

    fn shown(&self) -> &[Phrase] {
        &self.phrases[..self.phrases.len().min(Self::SHOWN)]
    }
}

/// The line of a phrase, CSS pixels.
const LINE: (f64, f64) = (120.0, 28.0);

/// `<figure aria-label="Repetition">`: for each phrase a line of its probability, from occurrence to occurrence, and each
/// occurrence as a button that leads to its first step (`data-step`); a button to where the circle begins; and a caption.
#[must_use]
pub fn repetition(run: &Repeated, vocabulary: &dyn Vocabulary) -> Node {
    let phrases = run.shown().iter().map(|phrase| item(phrase, run, vocabulary));
    let list = Element::new("ul").class("phrases").children(phrases);
    figure("repetition", "Repetition")
        .child(list)
        .children(run.closing_loop.map(circle))
        .child(caption(&Sentence::default().words(repetition_sentence(run))))
        .into()
}

/// What a penalty does to a token of the text so far: the division is that of N. S. Keskar and others, "CTRL", 2019,
/// arXiv:1909.05858, section 4.1; the product is for logits that the division would raise.
const PENALTY: &str = "A repetition penalty θ above 1 lowers each token that was there before: its logit l becomes l/θ \
                       (Keskar and others, 2019), or l·θ where l is below 0, since there l/θ would raise it.";

/// How many phrases are repeated, whether they became likelier, where the text runs in a circle, and what a penalty does.
#[must_use]
pub fn repetition_sentence(run: &Repeated) -> String {
    let rises = |phrase: &&Phrase| {
        let probabilities = phrase.probabilities(run.log_probabilities);
        probabilities.last() > probabilities.first()
    };
    let rising = run.shown().iter().filter(rises).count();
    let phrases = match run.phrases.len() {
        0 => "No phrase is repeated.".to_owned(),
        1 => format!(
            "1 phrase is repeated; {}.",
            if rising == 1 { "it became likelier" } else { "it became no likelier" }
        ),
        n => {
            let rising = if rising == 0 { "none".to_owned() } else { rising.to_string() };
            let (n, of_them) = match run.shown().len() {
                shown if shown < n => {
                    (format!("More than {shown}"), format!("the {shown} that cover most of the text"))
                }
                _ => (n.to_string(), "them".to_owned()),
            };
            format!("{n} phrases are repeated; {rising} of {of_them} became likelier from the first time to the last.")
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
    format!("{phrases}{}{means} {PENALTY}", circle.unwrap_or_default())
}

/// Where the circle begins.
fn circle(closing: Loop) -> Node {
    let begins = format!("The circle begins at step {}", closing.start + 1);
    let button =
        Element::new("button").class("plain").with("type", "button").with("data-step", closing.start).text(begins);
    Element::new("p").class("circle").child(button).into()
}

fn item(phrase: &Phrase, run: &Repeated, vocabulary: &dyn Vocabulary) -> Node {
    let bytes: Vec<u8> = phrase.tokens.iter().flat_map(|&id| vocabulary.bytes(id)).copied().collect();
    let probabilities = phrase.probabilities(run.log_probabilities);
    let occurrence = |(&start, &p): (&usize, &f64)| {
        let whole = p.powi(phrase.tokens.len() as i32);
        let name = format!("at step {}: {} a token, {} as a whole", start + 1, probability(p), probability(whole));
        let button = Element::new("button")
            .class("plain")
            .with("type", "button")
            .with("data-step", start)
            .with("aria-label", name.clone())
            .with("title", name)
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
