//! Other ways that the text could have gone: what can be done at the step in focus, and the branches that were left.

use nucleus_charts::{Element, Node, nats, probability, scroll, token_quote};
use nucleus_session::{Run, Session};

use super::nodes::{able, button};

/// The buttons of the step in focus, and the search for a token to force.
pub fn ways(session: &Session) -> Vec<Node> {
    if session.focus_index().is_none() {
        return Vec::new();
    }
    let possible = session.can_branch();
    let plain = |action, label: &str| button(action, label).class("plain");
    let expanded = if session.forcing().is_some() { "true" } else { "false" };
    let tools = Element::new("div")
        .class("tools")
        .with("role", "group")
        .with("aria-label", "Another way from here")
        .child(able(plain("rewind", "Rewind to before this step"), possible))
        .child(able(plain("open-force", "Force another token").with("aria-expanded", expanded), possible));
    // While a run is written, the buttons that cannot be pressed say enough.
    let is_over = session.run().is_some_and(Run::is_over);
    let why = session.why_no_branch().filter(|_| is_over).map(|why| Element::new("p").class("note").text(why).into());
    let search = session.forcing().map(|text| search(session, text));
    std::iter::once(tools.into()).chain(why).chain(search).collect()
}

fn search(session: &Session, text: &str) -> Node {
    let vocabulary = session.run().map(Run::vocabulary);
    let choice = |choice: nucleus_session::Choice| {
        let bytes = vocabulary.map(|vocabulary| vocabulary.bytes(choice.token)).unwrap_or_default();
        let force = Element::new("button")
            .with("type", "button")
            .with("data-force", choice.token.0)
            .child(Element::new("bdi").class("token").text(token_quote(bytes)))
            .text(format!(" {}, rank {}", probability(choice.probability), choice.rank + 1));
        Node::from(Element::new("li").child(force))
    };
    let choices = session.choices();
    let none: Option<Node> =
        choices.is_empty().then(|| Element::new("p").class("note").text("No token has this text.").into());
    Element::new("div")
        .class("force")
        .child(
            Element::new("label").with("for", "force-search").text("Any token of the vocabulary, the likeliest first"),
        )
        .child(
            Element::new("input")
                .with("type", "text")
                .with("id", "force-search")
                .with("value", text)
                .with("autocomplete", "off")
                .with("spellcheck", "false")
                .with("aria-describedby", "force-note"),
        )
        .child(
            Element::new("p").class("note").with("id", "force-note").text(
                "Enter takes the first, Escape closes; # and a number finds a token by its id. The percentage is what the model alone gives the token here.",
            ),
        )
        .child(Element::new("ul").class("choices-list").children(choices.into_iter().map(choice)))
        .children(none)
        .child(button("close-force", "Close").class("plain"))
        .into()
}

/// The branches, each beside the run that is shown; nothing while there are none and the run has all its tokens.
pub fn branches(session: &Session) -> Vec<Node> {
    let Some(run) = session.run() else { return Vec::new() };
    let goes_on = session.can_write_on().then(|| {
        Node::from(
            Element::new("p").child(button("write-on", "Write on from here").with("title", "With the settings now")),
        )
    });
    if session.branches().is_empty() {
        return goes_on.into_iter().collect();
    }
    let rows = session.branches().iter().enumerate().map(|(place, branch)| row(branch, run, Some(place)));
    let head = ["branch", "show", "parts at", "text from there", "tokens", "ln p", "per token", "p"];
    let table = Element::new("table")
        .child(
            Element::new("caption").text("Branches: the probability of each text, its tokens\u{2019} multiplied out"),
        )
        .child(
            Element::new("thead").child(
                Element::new("tr")
                    .children(head.map(|name| Node::from(Element::new("th").with("scope", "col").text(name)))),
            ),
        )
        .child(Element::new("tbody").child(row(run, run, None)).children(rows));
    goes_on.into_iter().chain([scroll("Branches", table).into()]).collect()
}

fn row(branch: &Run, shown: &Run, place: Option<usize>) -> Node {
    let parting = parting(branch, shown).or(branch.parts_at);
    let from = parting.unwrap_or_default();
    let text: String = branch.pieces().iter().skip(from).map(|piece| piece.text.as_str()).collect();
    let (sum, tokens) = (branch.log_probability(), branch.steps().len());
    let cell = |text: String| Node::from(Element::new("td").text(text));
    let act = match place {
        None => Element::new("td").text("shown"),
        Some(place) => Element::new("td").child(
            Element::new("button")
                .with("type", "button")
                .with("data-branch", place)
                .with("aria-label", format!("Show branch {}", place + 1))
                .text("Show"),
        ),
    };
    let name = place.map_or("this one".to_owned(), |place| (place + 1).to_string());
    Element::new("tr")
        .child(Element::new("th").with("scope", "row").text(name))
        // Where the table is wider than its box, the button is still in sight.
        .child(act)
        .child(cell(parting.map_or("\u{2013}".to_owned(), |step| format!("step {}", step + 1))))
        .child(Element::new("td").class("branch-text").text(text))
        .child(cell(tokens.to_string()))
        .child(cell(nats(sum)))
        .child(cell(if tokens == 0 { "\u{2013}".to_owned() } else { nats(sum / tokens as f64) }))
        .child(cell(probability(sum.exp())))
        .into()
}

/// The first step at which two runs have different tokens.
fn parting(a: &Run, b: &Run) -> Option<usize> {
    let token = |run: &Run, step: usize| run.steps().get(step).map(|step| step.report.token);
    let longest = a.steps().len().max(b.steps().len());
    (0..longest).find(|&step| token(a, step) != token(b, step))
}
