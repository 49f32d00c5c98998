//! What figures are put together from: a frame with a name, a caption, a box that scrolls, and what is folded away.

use crate::sentence::Sentence;
use crate::{Element, Node};

/// The frame that all figures share: `<figure class="chart KIND" aria-label="NAME">`.
pub(crate) fn figure(kind: &str, name: &str) -> Element {
    Element::new("figure").class(format!("chart {kind}")).with("aria-label", name)
}

/// `<figcaption>` with a sentence.
pub(crate) fn caption(sentence: &Sentence) -> Element {
    Element::new("figcaption").children(sentence.nodes())
}

/// A box that scrolls sideways. It is in the tab order, so that the keyboard can scroll it, and has a name, so that a screen
/// reader says where the focus is.
#[must_use]
pub fn scroll(name: &str, content: impl Into<Node>) -> Element {
    Element::new("div")
        .class("scroll")
        .with("tabindex", "0")
        .with("role", "group")
        .with("aria-label", name)
        .child(content)
}

/// What a picture shows, in a form that can be read: folded away behind `summary`, where every key and every screen reader
/// can open it.
pub(crate) fn folded(summary: &str) -> Element {
    Element::new("details").child(Element::new("summary").text(summary))
}
