//! The figure "Five wrong ways": what well-known mistakes would have kept and drawn at a step.

use nucleus_sampler::{Mistake, Mistaken, StepTrace, TokenId};

use crate::figure::{caption, figure, scroll};
use crate::sentence::Sentence;
use crate::words::{count, counted, probability};
use crate::{Element, Node, Vocabulary, token_quote};

/// `<figure aria-label="Five wrong ways">`: a table with a row for the right way and one for each mistake, and a caption.
///
/// A row that keeps or draws something else has the class `other`, and its last cell says what.
#[must_use]
pub fn mistakes(right: &StepTrace, wrong: &[Mistaken], vocabulary: &dyn Vocabulary) -> Node {
    let figure = figure("mistakes", "Five wrong ways");
    let caption = caption(&Sentence::default().words(mistakes_sentence(right, wrong)));
    if wrong.is_empty() {
        return figure.child(caption).into();
    }
    let head = ["way", "keeps", "draws", "what comes of it"]
        .map(|name| Node::from(Element::new("th").with("scope", "col").text(name)));
    let first = row("The right way", right.nucleus_size(), Some(right.token), "", false, vocabulary);
    let rows = wrong.iter().map(|mistaken| {
        let differs = differs(right, mistaken);
        row(name(mistaken.mistake), mistaken.kept.len(), mistaken.token, &outcome(right, mistaken), differs, vocabulary)
    });
    let table = Element::new("table")
        .child(Element::new("thead").child(Element::new("tr").children(head)))
        .child(Element::new("tbody").child(first).children(rows));
    figure.child(scroll("The right way and five wrong ones", table)).child(caption).into()
}

/// How many of the mistakes show at this step.
#[must_use]
pub fn mistakes_sentence(right: &StepTrace, wrong: &[Mistaken]) -> String {
    if wrong.is_empty() {
        return "At temperature 0 one token is left before top-k and top-p, and nothing is drawn, so none of the mistakes can \
                be made."
            .to_owned();
    }
    match wrong.iter().filter(|mistaken| differs(right, mistaken)).count() {
        0 => "None of the mistakes shows at this step: a test that looks at one step only would not find them."
            .to_owned(),
        n => format!(
            "{n} of {} mistakes {} at this step; at another step others do.",
            wrong.len(),
            if n == 1 { "shows" } else { "show" }
        ),
    }
}

fn row(
    name: &'static str,
    kept: usize,
    token: Option<TokenId>,
    outcome: &str,
    differs: bool,
    vocabulary: &dyn Vocabulary,
) -> Element {
    let quote = |id: TokenId| Element::new("bdi").class("token").text(token_quote(vocabulary.bytes(id)));
    let drawn = Element::new("td");
    let drawn = match token {
        Some(id) => drawn.child(quote(id)),
        None => drawn.text("nothing"),
    };
    Element::new("tr")
        .class(if differs { "other" } else { "same" })
        .child(Element::new("th").with("scope", "row").text(name))
        .child(Element::new("td").class("number").text(count(kept)))
        .child(drawn)
        .child(Element::new("td").text(outcome.to_owned()))
}

fn name(mistake: Mistake) -> &'static str {
    match mistake {
        Mistake::TemperatureAfterFilter => "Temperature after the filter",
        Mistake::ReversedSort => "Ascending sort, reversed",
        Mistake::NotRenormalised => "Zeroed, not renormalised",
        Mistake::ExclusiveCut => "Cut before the token that reaches p",
        Mistake::OtherDraw => "Another way to draw",
    }
}

/// Whether it keeps other tokens or draws another one.
fn differs(right: &StepTrace, wrong: &Mistaken) -> bool {
    wrong.token != Some(right.token) || !keeps_the_same(right, wrong)
}

fn keeps_the_same(right: &StepTrace, wrong: &Mistaken) -> bool {
    let sorted = |ids: &mut Vec<TokenId>| ids.sort_unstable();
    let (mut a, mut b): (Vec<TokenId>, Vec<TokenId>) =
        (right.kept.iter().map(|kept| kept.id).collect(), wrong.kept.clone());
    sorted(&mut a);
    sorted(&mut b);
    a == b
}

fn outcome(right: &StepTrace, wrong: &Mistaken) -> String {
    let (n, kept) = (right.nucleus_size(), wrong.kept.len());
    let sizes = if kept > n {
        format!("{} too many", counted(kept - n, "token"))
    } else {
        format!("{} too few", counted(n - kept, "token"))
    };
    let same = "No difference here";
    let drawn = match wrong.token == Some(right.token) {
        true => "the same token all the same",
        false => "and another token",
    };
    match wrong.mistake {
        Mistake::TemperatureAfterFilter if !differs(right, wrong) => {
            format!("{same}: the same nucleus at both temperatures.")
        }
        Mistake::TemperatureAfterFilter if kept == n => format!("The same nucleus, {drawn}."),
        Mistake::TemperatureAfterFilter => format!("The nucleus of temperature 1: {sizes}, {drawn}."),
        Mistake::ReversedSort if !differs(right, wrong) => format!("{same}: no two equal logits at the edge."),
        Mistake::ReversedSort => format!("Of equal logits at the edge it keeps the higher id, {drawn}."),
        Mistake::NotRenormalised if wrong.token.is_none() => {
            format!(
                "The kept tokens add up to {}, and u lies beyond: a loop that falls off its end.",
                probability(wrong.mass)
            )
        }
        Mistake::NotRenormalised if !differs(right, wrong) => {
            format!("The kept tokens add up to {}; u fell before that, on the same token.", probability(wrong.mass))
        }
        Mistake::NotRenormalised => {
            format!("The kept tokens add up to {}, so u falls on another.", probability(wrong.mass))
        }
        Mistake::ExclusiveCut if kept == 0 => {
            "The likeliest token alone reaches p, so nothing is left to draw from.".to_owned()
        }
        Mistake::ExclusiveCut if !differs(right, wrong) => format!("{same}: top-p removes nothing."),
        Mistake::ExclusiveCut => format!("{sizes}: the one that reaches p; {drawn}."),
        Mistake::OtherDraw if kept == 1 => format!("{same}: only one token is kept."),
        Mistake::OtherDraw => format!(
            "An exponential race: {} used instead of 1, {}.",
            counted(wrong.uniforms, "uniform number"),
            if wrong.token == Some(right.token) {
                "the same token by chance"
            } else {
                "another token from the same seed"
            },
        ),
    }
}
