//! The few SVG elements that the figures are made of.

use nucleus_sampler::TokenId;

use crate::{AttributeValue, Element, Size};

/// An `<svg>` whose user unit is a CSS pixel at the size it was laid out for; the style sheet
/// stretches it to the width of its figure.
pub(crate) fn svg(size: Size) -> Element {
    let view_box = [size.width(), size.height()].map(AttributeValue::into_text).join(" ");
    Element::new("svg").with("viewBox", format!("0 0 {view_box}"))
}

/// An `<svg>` that is one picture to a screen reader, with a name; the caption says what it shows.
pub(crate) fn picture(size: Size, name: &str) -> Element {
    svg(size).with("role", "img").with("aria-label", name)
}

/// A box on the plane of a chart, in user units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Frame {
    pub(crate) fn right(self) -> f64 {
        self.x + self.width
    }

    pub(crate) fn bottom(self) -> f64 {
        self.y + self.height
    }

    pub(crate) fn middle(self) -> f64 {
        self.y + self.height / 2.0
    }

    /// A `<rect>`; a negative width or height becomes 0.
    pub(crate) fn rect(self) -> Element {
        Element::new("rect")
            .with("x", self.x)
            .with("y", self.y)
            .with("width", self.width.max(0.0))
            .with("height", self.height.max(0.0))
    }
}

/// A `<line>` between two points.
pub(crate) fn line(from: (f64, f64), to: (f64, f64)) -> Element {
    Element::new("line").with("x1", from.0).with("y1", from.1).with("x2", to.0).with("y2", to.1)
}

/// A `<path>` through points, straight from each to the next.
pub(crate) fn path(points: &[(f64, f64)], closed: bool) -> Element {
    let mut d = String::new();
    for (i, (x, y)) in points.iter().enumerate() {
        let command = if i == 0 { 'M' } else { 'L' };
        d.push(command);
        d.push_str(&x.into_text());
        d.push(' ');
        d.push_str(&y.into_text());
    }
    if closed {
        d.push('Z');
    }
    Element::new("path").with("d", d)
}

/// Where a text stands relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    /// Centred on `x` where there is room on both sides, else flush with the edge that is near.
    ///
    /// `room` is about half of the text's width; texts are never measured.
    pub(crate) fn near(x: f64, room: f64, frame: Frame) -> (f64, Self) {
        if x - frame.x < room {
            (frame.x, Self::Start)
        } else if frame.right() - x < room {
            (frame.right(), Self::End)
        } else {
            (x, Self::Middle)
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// A `<text>`; `y` is its base line.
pub(crate) fn label(x: f64, y: f64, anchor: Anchor, text: impl Into<String>) -> Element {
    let element = Element::new("text").with("x", x).with("y", y);
    element.with("text-anchor", anchor.name()).text(text)
}

/// About how wide a label is, in user units: it decides what is shown, never where it stands.
pub(crate) fn estimated_width(label: &str) -> f64 {
    7.0 * label.chars().count() as f64
}

impl Element {
    /// Marks the element as standing for a token.
    pub(crate) fn token(self, id: TokenId) -> Self {
        self.with("data-token", id.0)
    }
}
