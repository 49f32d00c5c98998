//! The strategy switch, and the fields of the strategy chosen.

use nucleus_charts::{Element, Node};
use nucleus_session::{Input, OptionKey, Session, StrategyKind, sentence};

/// One button for each strategy, and what the one chosen does.
pub fn switch(session: &Session) -> Vec<Node> {
    let chosen = session.strategy();
    let button = |kind: StrategyKind| {
        let pressed = if kind == chosen { "true" } else { "false" };
        let button = Element::new("button").with("type", "button").with("data-strategy", kind.word());
        Node::from(button.with("aria-pressed", pressed).text(kind.label()))
    };
    let mut nodes: Vec<Node> = StrategyKind::ALL.into_iter().map(button).collect();
    nodes.push(Element::new("p").class("note").text(chosen.sentence()).into());
    nodes
}

/// The fields.
pub fn fields(session: &Session) -> Vec<Node> {
    let fields = session.strategy().options(session.options()).into_iter().map(|key| field(session, key));
    match session.strategy() {
        // A sampled run has settings of its own; these are for those who look for them.
        StrategyKind::Sample => {
            let inner = Element::new("div").class("options").children(fields);
            let summary = Element::new("summary").text("Stop strings and form of the output");
            let more = Element::new("details").class("more-options").child(summary).child(inner);
            let more = if session.opened_with_options() { more.with("open", "") } else { more };
            vec![more.into()]
        }
        _ => fields.collect(),
    }
}

fn field(session: &Session, key: OptionKey) -> Node {
    let id = format!("option-{}", key.word().replace('_', "-"));
    let text = session.options().text(key);
    let error = session.option_error(key).map(|error| sentence::sentence(&error)).unwrap_or_default();
    let named = |element: Element| {
        element
            .with("id", &*id)
            .with("data-option", key.word())
            .with("aria-describedby", format!("{id}-note {id}-error"))
            .with("aria-invalid", if error.is_empty() { "false" } else { "true" })
    };
    let (class, input) = match key.input() {
        Input::Line => {
            let input = Element::new("input").with("type", "text").with("spellcheck", "false");
            ("field", named(input.with("autocomplete", "off")).with("value", text))
        }
        Input::Lines => {
            let area = Element::new("textarea").with("rows", "4").with("spellcheck", "false");
            ("field lines", named(area).text(text.to_owned()))
        }
        Input::Choice(choices) => {
            let choice = |(word, label): &(&'static str, &'static str)| {
                let option = Element::new("option").with("value", *word);
                let option = if *word == text { option.with("selected", "") } else { option };
                Node::from(option.text(*label))
            };
            ("field", named(Element::new("select")).children(choices.iter().map(choice)))
        }
    };
    Element::new("div")
        .class(class)
        .with("id", format!("{id}-field"))
        .child(Element::new("label").with("for", &*id).text(key.label()))
        .child(input)
        .child(Element::new("p").class("note").with("id", format!("{id}-note")).text(key.note().unwrap_or_default()))
        .child(Element::new("p").class("error").with("id", format!("{id}-error")).text(error))
        .into()
}
