//! The figure "Draw": where one uniform number falls among the intervals of the kept tokens.

mod bar;
mod cut;
mod zoom;

use nucleus_sampler::{Draw, Interval, Kept, Unit};

use crate::figure::{caption, figure};
use crate::sentence::Sentence;
use crate::shapes::{Anchor, Frame, label, path, picture};
use crate::words::{counted, decimals_between, probability};
use crate::{Element, Node, Scene, Size};

use bar::{Bar, plain_bar};
use cut::{cut, in_vocabulary_order, merged};
pub use zoom::Zoom;

/// The room above a bar for the needle's label, and below it for the token's and the interval's.
const ABOVE: f64 = 24.0;
const BELOW: f64 = 38.0;
/// The least and the greatest height of a bar that has labels in it.
const BAR: (f64, f64) = (30.0, 52.0);

/// The height of the whole bar when a part of it is enlarged below, and of the lens between them.
const STRIP: f64 = 10.0;
const LENS: f64 = 22.0;

/// `<figure aria-label="Draw">`: the unit bar cut into the kept tokens' intervals in vocabulary
/// order, a needle at u, the interval hit (class `hit`), and the sentence.
///
/// Where `zoom` is not everything, the whole bar is a thin strip and that part of it is enlarged
/// below. Intervals too thin to draw are merged into bands (class `band`), and the caption says how
/// many; the number of nodes grows with the width, not with the vocabulary. Each interval has
/// `data-token`. At temperature 0 there is no needle, and one token has everything. The figure is
/// higher than `size` asks where its parts need it.
pub fn draw(scene: &Scene, zoom: Zoom, size: Size) -> Node {
    let figure = figure("draw", "Draw");
    let (u, interval) = match scene.trace.draw {
        Draw::Uniform { u, interval } => (u, interval),
        Draw::Argmax => {
            return figure.child(certain(scene, size)).child(caption(&sentence(scene))).into();
        }
    };
    let ordered = in_vocabulary_order(scene.trace);
    let zoomed = zoom != Zoom::FULL;
    let top = if zoomed { STRIP + LENS + ABOVE } else { ABOVE };
    let (size, frame) = room(size, top);
    let pieces = cut(&ordered, scene.trace.token, zoom, frame.width);
    let n_merged = merged(&pieces);

    let mut svg = picture(size, &name(ordered.len(), zoom));
    if zoomed {
        let strip = Frame { y: 0.0, height: STRIP, ..frame };
        svg = svg.children(context(&ordered, scene, zoom, strip, frame.y - ABOVE));
    }
    let bar = Bar { scene, zoom, frame, u, interval };
    let figure = figure.child(svg.children(bar.nodes(&pieces)));
    figure.child(caption(&with_merged(sentence(scene), n_merged, zoomed))).into()
}

/// "Unit bar cut into 8 intervals, enlarged from 0.2000 to 0.4000".
fn name(n_intervals: usize, zoom: Zoom) -> String {
    let bar = format!("Unit bar cut into {}", counted(n_intervals, "interval"));
    if zoom == Zoom::FULL {
        return bar;
    }
    let decimals = decimals_between(zoom.start(), zoom.start(), zoom.end());
    format!("{bar}, enlarged from {:.decimals$} to {:.decimals$}", zoom.start(), zoom.end())
}

/// What the figure shows, in one sentence: "u = 0.6142 falls in [0.5810, 0.6625): ' the'", or that
/// no random number was used.
pub fn draw_sentence(scene: &Scene) -> String {
    sentence(scene).text()
}

fn sentence(scene: &Scene) -> Sentence {
    let token = scene.quote(scene.trace.token);
    match scene.trace.draw {
        Draw::Argmax => Sentence::default()
            .words(format!("Temperature 0 takes {}, the argmax; no random number is used: ", scene.largest_logit()))
            .token(token),
        Draw::Uniform { u, interval } => {
            let decimals = decimals_between(interval.start, u.get(), interval.end);
            let falls = if interval.contains(u) { "falls in" } else { "is, by rounding, just past" };
            let words = format!("u = {:.decimals$} {falls} {}: ", u.get(), bounds(interval, u));
            Sentence::default().words(words).token(token)
        }
    }
}

/// The interval with as many decimals as it takes to see that u is in it: `[0.5810, 0.6625)`.
fn bounds(interval: Interval, u: Unit) -> String {
    let decimals = decimals_between(interval.start, u.get(), interval.end);
    format!("[{:.decimals$}, {:.decimals$})", interval.start, interval.end)
}

fn with_merged(sentence: Sentence, n_merged: usize, zoomed: bool) -> Sentence {
    let advice = if zoomed { "" } else { "; zoom to see them" };
    match n_merged {
        0 => sentence,
        1 => sentence.words(format!(". 1 token too thin to draw is a grey band{advice}.")),
        n => sentence.words(format!(". {} too thin to draw are merged into grey bands{advice}.", counted(n, "token"))),
    }
}

/// The figure's size, and the frame of the bar in it, below what takes `top`.
fn room(size: Size, top: f64) -> (Size, Frame) {
    let height = (size.height() - top - BELOW).clamp(BAR.0, BAR.1);
    let frame = Frame { x: 0.5, y: top, width: size.width() - 1.0, height };
    (Size::new(size.width(), top + height + BELOW), frame)
}

/// The whole bar as a strip, and the lens that leads from the part in `zoom` to its enlargement.
fn context(ordered: &[&Kept], scene: &Scene, zoom: Zoom, strip: Frame, lens_end: f64) -> Vec<Element> {
    let pieces = cut(ordered, scene.trace.token, Zoom::FULL, strip.width);
    let x = |at: f64| strip.x + at * strip.width;
    let (start, end) = (x(zoom.start()), x(zoom.end()));
    let lens =
        path(&[(start, strip.bottom()), (end, strip.bottom()), (strip.right(), lens_end), (strip.x, lens_end)], true);
    let window = Frame { x: start, width: end - start, ..strip };
    let mut nodes = plain_bar(&pieces, scene, strip);
    nodes.push(lens.class("lens"));
    nodes.push(window.rect().class("lens-window"));
    nodes
}

/// Temperature 0: one token has the whole bar.
fn certain(scene: &Scene, size: Size) -> Element {
    let token = scene.trace.token;
    let (size, bar) = room(size, ABOVE);
    let text = label(size.width() / 2.0, bar.middle() + 4.0, Anchor::Middle, scene.short(token, 24));
    picture(size, "Unit bar: one token has all of it")
        .child(bar.rect().class("interval hit").token(token))
        .child(text.class("token hit").token(token))
        .child(label(bar.x, bar.bottom() + 17.0, Anchor::Start, "0").class("tick"))
        .child(label(bar.right(), bar.bottom() + 17.0, Anchor::End, "1").class("tick"))
}

/// What a reader hovers over: the token, its probability and its interval.
fn tooltip(kept: &Kept, scene: &Scene) -> Element {
    let Interval { start, end } = kept.interval;
    let decimals = decimals_between(start, start, end);
    let text =
        format!("{} {}, [{start:.decimals$}, {end:.decimals$})", scene.quote(kept.id), probability(kept.probability),);
    Element::new("title").text(text)
}
