//! The figure "Held back": what of a text is not shown yet, and why.

use nucleus_decode::{Held, StopStrings};

use crate::figure::{caption, figure};
use crate::sentence::Sentence;
use crate::{Element, Node, token_label, token_quote};

/// `<figure aria-label="Held back">`: the bytes that are there (class `there`), what they may become (class `missing`),
/// and the reason.
///
/// `pending` are the bytes held back for the reason `held`, by one of `stop`. A stop string may be cut within a
/// character: both parts then show bytes.
pub fn held_back(pending: &[u8], held: Held, stop: &StopStrings) -> Node {
    let missing = match held {
        Held::StopString { index, matched } => token_label(string(stop, index).get(matched..).unwrap_or_default()),
        Held::Character { .. } => "…".to_owned(),
    };
    let part = |class, text: String| Element::new("span").class(class).text(text);
    let line = Element::new("p")
        .class("string")
        .with("aria-hidden", "true")
        .child(part("there token", token_label(pending)))
        .child(part("missing token", missing));
    figure("held-back", "Held back").child(line).child(caption(&sentence(pending, held, stop))).into()
}

/// What is held back and why, in a sentence.
pub fn held_back_sentence(pending: &[u8], held: Held, stop: &StopStrings) -> String {
    sentence(pending, held, stop).text()
}

fn sentence(pending: &[u8], held: Held, stop: &StopStrings) -> Sentence {
    let sentence = Sentence::default().words("Held back: ").token(token_quote(pending));
    match held {
        Held::StopString { index, .. } => sentence
            .words(" could be the start of the stop string ")
            .token(token_quote(string(stop, index)))
            .words(". It is shown as soon as it turns out not to be."),
        Held::Character { .. } => {
            sentence.words(" is the start of a character. It is shown as soon as the character is whole.")
        }
    }
}

fn string(stop: &StopStrings, index: u8) -> &[u8] {
    stop.get(index).unwrap_or_default().as_bytes()
}
