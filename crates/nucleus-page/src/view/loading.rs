//! What is said about a loading that takes long: the plan and the question, how far it is, and that it was given up.
//!
//! Elements are patched by their place, so each state has another tag where a button was before: nobody who presses twice
//! gives up what he has just agreed to.

use nucleus_charts::{Element, Node};
use nucleus_session::{EngineState, LoadPlan, Loading, Session, sentence};

use super::nodes::{button, pairs};

/// The part of the page about loading; nothing while there is nothing to wait for or to decide.
pub fn loading(session: &Session) -> Vec<Node> {
    let engine = session.engine();
    match (&engine.state, &engine.plan) {
        (EngineState::Asking, Some(plan)) => question(session, plan),
        (EngineState::Loading(stage), _) if engine.takes_long() => progress(session, *stage),
        (EngineState::Cancelling(_), _) => vec![paragraph(sentence::engine(engine, false))],
        (EngineState::Cancelled(_), _) => given_up(session),
        _ => Vec::new(),
    }
}

fn question(session: &Session, plan: &LoadPlan) -> Vec<Node> {
    let engine = session.engine();
    let mut nodes = vec![
        Element::new("h2").text(sentence::plan_title(engine, plan)).into(),
        Element::new("dl").class("pairs").children(pairs(sentence::plan(&engine.source, plan))).into(),
        Element::new("div")
            .class("choices")
            .child(button("download", "Download").class("primary"))
            .child(button("cancel-loading", "Not now"))
            .into(),
    ];
    nodes.extend(sentence::waiting(session.is_queued()).map(|waits| paragraph(waits.to_owned())));
    nodes
}

fn progress(session: &Session, stage: Loading) -> Vec<Node> {
    let mut bar = Element::new("progress").with("max", "100").with("aria-label", "Weights loaded");
    if let Some(percent) = percent(stage) {
        bar = bar.with("value", percent);
    }
    let cancel = Element::new("p").class("choices").child(button("cancel-loading", "Cancel"));
    vec![
        paragraph(sentence::progress(session.engine(), session.is_queued()).unwrap_or_default()),
        bar.into(),
        cancel.into(),
    ]
}

/// How much of the weights is there, in hundredths; `None` where the total is not known.
pub fn percent(stage: Loading) -> Option<f64> {
    match stage {
        Loading::Weights { done, total, .. } | Loading::Reconnecting { done, total, .. } if total > 0 => {
            Some(100.0 * done as f64 / total as f64)
        }
        _ => None,
    }
}

fn given_up(session: &Session) -> Vec<Node> {
    let engine = session.engine();
    let mut text = sentence::given_up(engine).unwrap_or_default();
    if session.is_queued() {
        text.push_str(" Writing starts as soon as a model is there.");
    }
    let back = session.way_back().map(|source| button("go-back", format!("Load {source}")));
    let on = button("go-on", format!("Go on loading {}", engine.name()));
    vec![paragraph(text), Element::new("div").class("choices").children(back).child(on).into()]
}

fn paragraph(text: String) -> Node {
    Element::new("p").text(text).into()
}
