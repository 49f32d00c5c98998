//! A sentence about a chart: words, with the tokens in it set apart.

use crate::{Element, Node};

/// What a figure's caption says. As text it is one string; as nodes each token stands in a `<bdi>`
/// of its own, so that its direction and its spaces do not disturb the words around it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sentence {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Words(String),
    Token(String),
}

impl Sentence {
    #[must_use]
    pub(crate) fn words(mut self, words: impl Into<String>) -> Self {
        self.parts.push(Part::Words(words.into()));
        self
    }

    /// `quoted` is a token as [`token_quote`](crate::token_quote) writes it.
    #[must_use]
    pub(crate) fn token(mut self, quoted: impl Into<String>) -> Self {
        self.parts.push(Part::Token(quoted.into()));
        self
    }

    pub(crate) fn text(&self) -> String {
        let part = |part: &Part| match part {
            Part::Words(text) | Part::Token(text) => text.clone(),
        };
        self.parts.iter().map(part).collect()
    }

    /// The sentence as the children of a caption or paragraph.
    pub(crate) fn nodes(&self) -> Vec<Node> {
        let part = |part: &Part| match part {
            Part::Words(text) => Node::Text(text.clone()),
            Part::Token(text) => Element::new("bdi").class("token").text(text.as_str()).into(),
        };
        self.parts.iter().map(part).collect()
    }
}
