//! The figure "Bigram": the counts behind one word, one of them drawn, beside what GPT-2 makes of the whole text.

mod lines;
mod panel;
mod told;

use nucleus_decode::bigram::{BigramStep, Row, Successor};

use crate::figure::{caption, figure};
use crate::sentence::Sentence;
use crate::shapes::{Frame, picture};
use crate::words::{count, counted, decimals_between, probability};
use crate::{Node, Scene, Size, token_quote};

use lines::{HEAD, LINE};
use panel::{Panel, counts, model};

/// From this width on the two panels stand side by side.
const WIDE: f64 = 560.0;
/// The room between the panels, side by side and one above the other.
const GAP: (f64, f64) = (28.0, 18.0);
/// The numbers below a panel.
const FOOT: f64 = 20.0;
/// The least and the greatest number of lines in a panel.
const LINES: (f64, f64) = (6.0, 24.0);

/// `<figure aria-label="Bigram">`: one line for each word that was counted behind the last one, the most frequent first.
///
/// Its bar (class `interval`, the one drawn also `hit`) is its share of the unit interval, from the counts added up
/// before it to the counts with it, so that the bars are stairs and the needle at u meets exactly the one that is drawn.
/// Words for which there is no line are merged into bands (class `band`, with `data-count`), and the caption says how many
/// are not; the word drawn always has its line. What the lines show is said once more in lists that are folded away.
///
/// `beside` is a step of GPT-2 on the same text: its likeliest kept tokens with their probabilities, on the same scale
/// (`data-token`). None of them is marked as drawn: u draws a word here. The figure is as high as its lines need, at most `size`, but has room for six of them.
pub fn bigram_row(step: &BigramStep, beside: Option<&Scene>, size: Size) -> Node {
    let stacked = beside.is_some() && size.width() < WIDE;
    let side_by_side = beside.is_some() && !stacked;
    let room = if stacked { (size.height() - GAP.1) / 2.0 } else { size.height() };
    let most = ((room - HEAD - FOOT) / LINE).floor().clamp(LINES.0, LINES.1) as usize;
    let n_kept = beside.map_or(0, |scene| scene.trace.nucleus_size());
    let n_lines = step.row.successors.len().max(n_kept).min(most);
    let height = HEAD + n_lines as f64 * LINE + FOOT;
    let width = if side_by_side { (size.width() - GAP.0) / 2.0 } else { size.width() };
    let panel = Panel { frame: Frame { x: 0.0, y: 0.0, width, height }, n_lines };

    let total = if stacked { 2.0 * height + GAP.1 } else { height };
    let name = format!("Counts of the words that follow {}", token_quote(step.before.as_bytes()));
    let mut svg = picture(Size::new(size.width(), total), &name).child(counts(step, &panel));
    if let Some(scene) = beside {
        let (x, y) = if stacked { (0.0, height + GAP.1) } else { (width + GAP.0, 0.0) };
        svg = svg.child(model(scene, &Panel { frame: Frame { x, y, ..panel.frame }, ..panel }));
    }
    let caption = caption(&told::left_out(sentence(step, beside), step, beside, n_lines));
    figure("bigram", "Bigram").child(svg).child(told::lists(step, beside, n_lines)).child(caption).into()
}

/// The figure in words: what was counted, where u fell, and how GPT-2's numbers differ.
pub fn bigram_row_sentence(step: &BigramStep, beside: Option<&Scene>) -> String {
    sentence(step, beside).text()
}

fn sentence(step: &BigramStep, beside: Option<&Scene>) -> Sentence {
    let before = token_quote(step.before.as_bytes());
    let total = step.row.total;
    let mut sentence = Sentence::default().words("In the counted text ").token(before.as_str());
    let (Some(first), Some(hit)) = (step.row.successors.first(), step.row.successors.get(step.draw.hit)) else {
        return sentence.words(" has no word after it.");
    };
    sentence = most_often(sentence.words(format!(" is followed by a word {}, ", times_of(total))), &step.row, first);
    let [start, end] = [hit.start, hit.end()].map(|edge| f64::from(edge) / f64::from(total));
    let u = step.draw.u.get();
    let decimals = decimals_between(start, u, end);
    let falls = format!(
        ". u = {u:.decimals$} falls in [{}/{total}, {}/{total}) = [{start:.decimals$}, {end:.decimals$}): ",
        hit.start,
        hit.end(),
    );
    sentence = sentence.words(falls).token(token_quote(hit.word.as_bytes())).words(".");
    match beside {
        None => sentence,
        Some(scene) => against(sentence, &before, scene),
    }
}

/// The word that comes most often and how often that is, or that several come equally often.
fn most_often(sentence: Sentence, row: &Row, first: &Successor) -> Sentence {
    let quoted = token_quote(first.word.as_bytes());
    let times = times_of(first.count);
    let n_words = row.successors.len();
    match row.successors.iter().filter(|successor| successor.count == first.count).count() {
        1 if n_words == 1 => sentence.words("always by ").token(quoted),
        1 => sentence.words("most often by ").token(quoted).words(format!(", {times}")),
        n if n == n_words => sentence.words(format!("by {} equally often, {times} each", counted(n, "word"))),
        n => {
            let others = counted(n - 1, "other");
            sentence.words("most often by ").token(quoted).words(format!(" and {others}, {times} each"))
        }
    }
}

/// One word back against all of them.
fn against(sentence: Sentence, before: &str, scene: &Scene) -> Sentence {
    let sentence = sentence
        .words(" Counting looks one word back, and has the same row after every ")
        .token(before)
        .words("; GPT-2 reads the whole text, and its numbers change with it");
    let Some(first) = scene.trace.kept.first() else {
        return sentence.words(".");
    };
    sentence
        .words(": its likeliest token here is ")
        .token(scene.quote(first.id))
        .words(format!(", {}.", probability(first.probability)))
}

fn times_of(n: u32) -> String {
    match n {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{} times", count(n as usize)),
    }
}
