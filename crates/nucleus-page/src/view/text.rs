//! The text of a run: the prompt, and every generated token as a button.
//!
//! The text content is the text itself, byte for byte: white space stands between the buttons, so that lines break where
//! words end, and what is invisible has a mark (`data-mark`) that the style sheet draws but no one copies.

use nucleus_charts::{Element, Node, probability};
use nucleus_session::{PieceEnd, Run, RunState, TextPiece};

/// Longer words may be broken: no line should run out of the page.
const LONGEST_WORD: usize = 24;

/// What the page shows of a run's text at a step in focus.
pub struct Text<'a> {
    /// The run.
    pub run: &'a Run,
    /// The step in focus, from 0.
    pub focus: Option<usize>,
    /// For each step, whether the settings now would draw another token.
    pub differs: &'a dyn Fn(usize) -> bool,
}

impl Text<'_> {
    /// The nodes of the text.
    pub fn nodes(&self) -> Vec<Node> {
        let mut flow = Flow::default();
        let n_prompt = self.run.prompt.len();
        let dropped = self.focus.map_or(0, |step| self.run.window_start(step));
        let prompt =
            Element::new("span").class(if dropped >= n_prompt && dropped > 0 { "prompt dropped" } else { "prompt" });
        flow.nodes.push(prompt.text(self.run.values.prompt.clone()).into());
        for piece in self.run.pieces() {
            let (before, body) = split_white_space(&piece.text);
            let only_white_space = body.is_empty();
            if !before.is_empty() && !only_white_space {
                flow.white_space(before);
            }
            let button = self.button(piece, body, dropped > n_prompt + piece.step);
            flow.token(button, body);
            if only_white_space && !before.is_empty() {
                flow.white_space(before);
            }
        }
        flow.end_word();
        if matches!(self.run.state, RunState::Reading | RunState::Writing) {
            flow.nodes.push(Element::new("span").class("cursor").with("aria-hidden", "true").into());
        }
        flow.nodes
    }

    fn button(&self, piece: &TextPiece, body: &str, dropped: bool) -> Element {
        let in_focus = self.focus == Some(piece.step);
        let differs = (self.differs)(piece.step);
        let mut class = String::from("token");
        for (name, holds) in [
            ("differs", differs),
            ("dropped", dropped),
            ("partial", matches!(piece.end, PieceEnd::Partial | PieceEnd::Held)),
            ("forced", self.run.forced.contains_key(&piece.step)),
        ] {
            if holds {
                class.push(' ');
                class.push_str(name);
            }
        }
        let mut button = Element::new("button")
            .class(class)
            .with("type", "button")
            .with("data-step", piece.step)
            .with("tabindex", if in_focus { "0" } else { "-1" });
        if let Some(step) = self.run.steps().get(piece.step) {
            button = button.with("data-token", step.report.token.0);
            let forced = if self.run.forced.contains_key(&piece.step) { ", forced by you" } else { "" };
            let cut = if piece.end == PieceEnd::Stopped { ", cut: a stop string" } else { "" };
            let tip = format!("step {}, {}{forced}{cut}", piece.step + 1, probability(step.report.probability));
            button = button.with("title", tip);
        }
        if in_focus {
            button = button.with("aria-current", "step");
        }
        match mark(piece, body) {
            Some((mark, name)) => button.with("data-mark", mark).with("aria-label", name),
            None => button,
        }
        .text(body.to_owned())
    }
}

/// What stands for a token that shows no characters of its own, and how it is read out.
fn mark(piece: &TextPiece, body: &str) -> Option<(&'static str, &'static str)> {
    match piece.end {
        PieceEnd::EndOfText => Some(("⏹", "end of text")),
        PieceEnd::Stopped if piece.text.is_empty() => Some(("✂", "cut: the stop string")),
        PieceEnd::Held if body.is_empty() => Some(("…", "may be the start of a stop string")),
        PieceEnd::Partial if body.is_empty() => Some(("·", "part of a character")),
        _ if !body.is_empty() => None,
        _ if piece.text.contains('\n') => Some(("↵", "line break")),
        _ if piece.text.is_empty() => Some(("∅", "nothing")),
        _ => Some(("␣", "space")),
    }
}

/// A piece's white space at its start, and the rest.
fn split_white_space(text: &str) -> (&str, &str) {
    text.split_at(text.len() - text.trim_start().len())
}

/// Buttons gathered into words that stay on one line.
#[derive(Default)]
struct Flow {
    nodes: Vec<Node>,
    word: Vec<Node>,
    length: usize,
    last: Option<char>,
}

impl Flow {
    fn white_space(&mut self, text: &str) {
        self.end_word();
        self.nodes.push(Node::Text(text.to_owned()));
    }

    fn token(&mut self, button: Element, body: &str) {
        let first = body.chars().next();
        if self.length > LONGEST_WORD || first.zip(self.last).is_some_and(|(next, last)| may_break(last, next)) {
            self.end_word();
        }
        self.length += body.chars().count();
        self.last = body.chars().last().or(self.last);
        self.word.push(button.into());
    }

    fn end_word(&mut self) {
        if !self.word.is_empty() {
            let word = Element::new("span").class("word").children(self.word.drain(..));
            self.nodes.push(word.into());
        }
        self.length = 0;
        self.last = None;
    }
}

/// Scripts that set no spaces break between any two characters; others do not within a word, nor before punctuation.
fn may_break(last: char, next: char) -> bool {
    let ideographic = |c: char| ('\u{2e80}'..'\u{fe00}').contains(&c) || c >= '\u{1f000}';
    (ideographic(last) || ideographic(next)) && next.is_alphanumeric()
}
