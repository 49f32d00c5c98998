//! The signs of the tree: none of them is told apart by its colour alone.

use nucleus_decode::Fate;

use crate::shapes::{Frame, path, svg};
use crate::{Element, Size};

/// A disc for a beam that is kept, a ring for one that is pruned, a square for a sequence that ends.
pub(super) fn mark(fate: Fate, x: f64, y: f64) -> Element {
    let circle = |r: f64| Element::new("circle").with("cx", x).with("cy", y).with("r", r);
    match fate {
        Fate::Kept => circle(4.0).class("mark"),
        Fate::Pruned { .. } => circle(3.0).class("mark hollow"),
        Fate::Finished { .. } => Frame { x: x - 4.0, y: y - 4.0, width: 8.0, height: 8.0 }.rect().class("mark"),
    }
}

/// A diamond around a mark: greedy's path.
pub(super) fn diamond(x: f64, y: f64) -> Element {
    const HALF: f64 = 8.5;
    path(&[(x - HALF, y), (x, y - HALF), (x + HALF, y), (x, y + HALF)], true).class("diamond")
}

/// The class of a node, an edge, or a sign in the legend.
pub(super) fn class(fate: Fate) -> &'static str {
    match fate {
        Fate::Kept => "kept",
        Fate::Pruned { .. } => "pruned",
        Fate::Finished { .. } => "finished",
    }
}

/// What the signs mean.
pub(super) fn legend() -> Element {
    let finished = Fate::Finished { score: 0.0, end: nucleus_decode::End::EndOfText };
    let signs = [
        (Some(Fate::Kept), "kept"),
        (Some(finished), "ends, with its score"),
        (Some(Fate::Pruned { step: 0 }), "pruned"),
        (None, "greedy’s path"),
    ];
    let item = |(fate, text): (Option<Fate>, &str)| {
        let sign = match fate {
            Some(fate) => Element::new("g").class(class(fate)).child(mark(fate, 10.0, 10.0)),
            None => Element::new("g").class("greedy").child(diamond(10.0, 10.0)),
        };
        let icon = svg(Size::MIN).with("viewBox", "0 0 20 20").with("aria-hidden", "true").class("sign").child(sign);
        Element::new("li").child(icon).text(text)
    };
    Element::new("ul").class("legend").children(signs.map(item))
}
