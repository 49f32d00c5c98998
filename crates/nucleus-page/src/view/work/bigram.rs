//! Words from counts: the text, and for the word in focus its row of counts beside a model's numbers.

use nucleus_charts::{Element, Node, Scene, Size, bigram_row};
use nucleus_decode::bigram::{BigramEnd, BigramStep};
use nucleus_session::{Session, WordRun, sentence};

use super::super::figures::Words;
use super::super::nodes::{able, button};

/// The view of the bigram. `width` is the room it has, CSS pixels.
pub fn bigram(session: &Session, width: f64) -> Vec<Node> {
    let Some(words) = session.words() else { return Vec::new() };
    let focus = session.word_index();
    let mut nodes = vec![text(words, focus), said(counted(words))];
    if let Some((index, step)) = focus.and_then(|index| Some((index, words.run.steps.get(index)?))) {
        nodes.push(head(words, index, step));
        nodes.push(row(session, step, width));
        nodes.push(said(sentence::beside(session)));
    }
    nodes
}

/// The prompt, and every new word as a button.
fn text(words: &WordRun, focus: Option<usize>) -> Node {
    let prompt = Element::new("span").class("prompt").text(words.prompt().to_owned());
    let mut nodes = vec![Node::from(prompt)];
    for (index, piece) in words.pieces().enumerate() {
        let word = piece.trim_start();
        let space = &piece[..piece.len() - word.len()];
        if !space.is_empty() {
            nodes.push(Node::Text(space.to_owned()));
        }
        nodes.push(word_button(index, word, focus == Some(index)).into());
    }
    Element::new("div")
        .class("text words")
        .with("role", "group")
        .with("aria-label", "Text from counts")
        .children(nodes)
        .into()
}

fn word_button(index: usize, word: &str, in_focus: bool) -> Element {
    let button = Element::new("button")
        .class("token")
        .with("type", "button")
        .with("data-step", index)
        .with("tabindex", if in_focus { "0" } else { "-1" });
    if in_focus { button.with("aria-current", "step") } else { button }.text(word.to_owned())
}

/// Which word, and the buttons that go to its neighbours.
fn head(words: &WordRun, index: usize, step: &BigramStep) -> Node {
    let n = words.run.steps.len();
    let quoted = Element::new("bdi").class("token").text(format!("\u{201c}{}\u{201d}", step.word()));
    let title = Element::new("h2").text(format!("Word {} of {n}: ", index + 1)).child(quoted);
    let move_to = |action, name, label, possible: bool| able(button(action, name).with("aria-label", label), possible);
    let nav = Element::new("div")
        .class("nav")
        .child(move_to("previous", "\u{2039}", "Previous word", index > 0))
        .child(move_to("next", "\u{203a}", "Next word", index + 1 < n));
    Element::new("div").class("step-head").child(title).child(nav).into()
}

fn row(session: &Session, step: &BigramStep, width: f64) -> Node {
    // A model has thousands of words for what was counted a few times: its tail is cut to a like length.
    let n_lines = step.row.successors.len().clamp(10, 20);
    let panel = 72.0 + 20.0 * n_lines as f64;
    let size = Size::new(width, if width < 560.0 { 2.0 * panel } else { panel });
    let Some((run, focus)) = session.beside() else { return bigram_row(step, None, size) };
    let vocabulary = Words(run.vocabulary());
    let scene = Scene { logits: &focus.logits, ranking: &focus.ranking, trace: &focus.trace, vocabulary: &vocabulary };
    bigram_row(step, Some(&scene), size)
}

fn counted(words: &WordRun) -> String {
    let WordRun { n_words, n_different, run, .. } = words;
    let end = if run.end == BigramEnd::WordLimit { String::new() } else { sentence::sentence(&run.end) };
    format!("Counted: {n_words} words and marks, {n_different} different ones. {end}")
}

fn said(text: String) -> Node {
    Element::new("p").class("note").text(text).into()
}
