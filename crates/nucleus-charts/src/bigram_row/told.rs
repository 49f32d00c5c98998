//! The lines of the panels in words: for who hovers over one, and as lists for who cannot see them.

use nucleus_decode::bigram::{BigramStep, Successor};
use nucleus_sampler::Kept;

use super::lines::{Line, lines};
use super::times_of;
use crate::figure::folded;
use crate::sentence::Sentence;
use crate::words::{count, counted, probability};
use crate::{Element, Node, Scene, token_quote};

/// "'dog' 3 times, [5, 8) of 28".
pub(super) fn word(step: &BigramStep, index: usize) -> Sentence {
    let successor = &step.row.successors[index];
    let place = interval(step, successor.start, successor.end());
    Sentence::default()
        .token(token_quote(successor.word.as_bytes()))
        .words(format!(" {}, {place}", times_of(successor.count)))
}

/// "12 words, merged, [16, 28) of 28".
pub(super) fn band(step: &BigramStep, merged: &[Successor]) -> Sentence {
    let (start, end) = (merged.first().map_or(0, |first| first.start), merged.last().map_or(0, Successor::end));
    Sentence::default().words(format!("{}, merged, {}", counted(merged.len(), "word"), interval(step, start, end)))
}

/// "' the' 4.2%".
pub(super) fn token(scene: &Scene, kept: &Kept) -> Sentence {
    Sentence::default().token(scene.quote(kept.id)).words(format!(" {}", probability(kept.probability)))
}

fn interval(step: &BigramStep, start: u32, end: u32) -> String {
    format!("[{start}, {end}) of {}", step.row.total)
}

/// Both panels as lists, folded away: an item for each of their lines.
pub(super) fn lists(step: &BigramStep, beside: Option<&Scene>, n_lines: usize) -> Element {
    let item = |sentence: Sentence, is_drawn: bool| {
        let sentence = if is_drawn { sentence.words(", drawn") } else { sentence };
        Element::new("li").children(sentence.nodes())
    };
    let words = lines(&step.row, step.draw.hit, n_lines).into_iter().map(|line| match line {
        Line::Word(index) => item(word(step, index), index == step.draw.hit),
        Line::Band { from, to } => item(band(step, &step.row.successors[from..to]), false),
    });
    let before = Sentence::default().words("Counts after ").token(token_quote(step.before.as_bytes()));
    let title = |sentence: Sentence| Node::from(Element::new("p").children(sentence.nodes()));
    let list = |items: Vec<Element>| Node::from(Element::new("ul").class("told").children(items));
    let model = beside.map(|scene| {
        let tokens = scene.trace.kept.iter().take(n_lines).map(|kept| item(token(scene, kept), false));
        [title(Sentence::default().words("GPT-2, after the whole text")), list(tokens.collect())]
    });
    folded("The lines in words").child(title(before)).child(list(words.collect())).children(model.into_iter().flatten())
}

/// What has no line of its own, for the caption.
pub(super) fn left_out(sentence: Sentence, step: &BigramStep, beside: Option<&Scene>, n_lines: usize) -> Sentence {
    let all = step.row.successors.len();
    let lines = lines(&step.row, step.draw.hit, n_lines);
    let own = lines.iter().filter(|line| matches!(line, Line::Word(_))).count();
    let sentence = if own == all {
        sentence
    } else {
        let (all, own) = (counted(all, "word"), count(own));
        sentence.words(format!(" Of {all} {own} have a line of their own, the others share bands."))
    };
    match beside.map(|scene| scene.trace.nucleus_size()) {
        Some(n_tokens) if n_tokens > n_lines => sentence.words(format!(
            " Of GPT-2’s {} the {} likeliest are shown.",
            counted(n_tokens, "token"),
            count(n_lines)
        )),
        _ => sentence,
    }
}
