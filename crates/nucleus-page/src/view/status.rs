//! What the page says of itself: what is going on, what went wrong, and the facts of a run. The sentences are the
//! session's.

use nucleus_charts::{Element, Node};
use nucleus_session::{Engine, EngineState, Failure, Loading, Run, RunState, Session, Source, StrategyKind, sentence};

use super::loading::percent;
use super::nodes::button;

/// What is going on now, in one sentence.
pub fn status(session: &Session) -> Vec<Node> {
    let engine = session.engine();
    let live = session.run().filter(|run| run.id().is_some());
    if session.strategy() != StrategyKind::Sample
        && matches!(engine.state, EngineState::Ready | EngineState::Running { .. })
    {
        return vec![Node::Text(sentence::strategy(session))];
    }
    let mut text = match (&engine.state, live, &engine.model) {
        // An alert says it.
        (EngineState::Failed(_), ..) => return Vec::new(),
        (EngineState::Running { .. }, Some(run), _) => sentence::run(run),
        (EngineState::Ready, Some(_), _) => String::new(),
        (EngineState::Ready, None, Some(model)) => sentence::model(model),
        // How far a long loading is stands elsewhere: here, where a screen reader reads every change, it would be a torrent.
        (EngineState::Loading(stage), ..) if engine.takes_long() => {
            [Some(stage_alone(*stage)), sentence::waiting(session.is_queued())]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" ")
        }
        _ => sentence::engine(engine, session.is_queued()),
    };
    if let Some(note) = live.and_then(sentence::as_in_the_link) {
        text = format!("{text} {note}");
    }
    if text.trim().is_empty() {
        return Vec::new();
    }
    let mut nodes = vec![Node::Text(text.trim().to_owned())];
    if let EngineState::Loading(stage) = engine.state
        && !engine.takes_long()
        && let Some(percent) = percent(stage)
    {
        let bar = Element::new("progress").with("max", "100").with("value", percent);
        nodes.push(bar.with("aria-label", "Weights loaded").into());
    }
    nodes
}

/// Whether all of the status is said elsewhere for those who see the page.
pub fn status_is_seen_elsewhere(engine: &Engine) -> bool {
    let decides = matches!(engine.state, EngineState::Asking | EngineState::Cancelling(_) | EngineState::Cancelled(_));
    decides || engine.takes_long()
}

fn stage_alone(stage: Loading) -> &'static str {
    match stage {
        Loading::StartingOver { .. } => "The file changed on the server, and is loaded from the start.",
        Loading::Reconnecting { .. } => "The connection broke, and is tried again.",
        _ => "Loading the weights.",
    }
}

/// What went wrong and what can be done; nothing while all is well.
pub fn alerts(session: &Session) -> Vec<Node> {
    let engine = session.engine();
    let mut alerts = Vec::new();
    let mut said = Vec::new();
    if let EngineState::Failed(failure) = &engine.state {
        alerts.push(alert(sentence::failure(failure)).child(ways_on(session, failure)));
        said.push(failure);
    }
    // A restart that failed as well is no news: the failure above is.
    if let Some(failure) = engine.restarted_after.as_ref().filter(|_| said.is_empty()) {
        alerts.extend(sentence::restarted(engine).map(alert));
        said.push(failure);
    }
    let shown = match session.strategy() {
        StrategyKind::Sample => session.run().map(|run| &run.state),
        _ => session.work().map(|work| &work.state),
    };
    if let Some(RunState::Failed(failure)) = shown
        && !said.contains(&failure)
    {
        alerts.push(alert(sentence::failure(failure)));
    }
    alerts.extend(session.refusal().map(|refusal| alert(refusal.to_string())));
    alerts.extend(link_errors(session));
    alerts.extend(session.recording_error().map(|error| alert(sentence::sentence(&error))));
    alerts.into_iter().map(Node::from).collect()
}

/// What the address could not mean: one alert, however much it is.
fn link_errors(session: &Session) -> Option<Element> {
    let item = |error| Element::new("li").text(sentence::sentence(error));
    match session.link_errors() {
        [] => None,
        [error] => Some(alert(sentence::sentence(error))),
        errors => {
            let list = Element::new("ul").children(errors.iter().map(item));
            Some(alert("Some of the address could not be used:".to_owned()).child(list))
        }
    }
}

/// What can be done after a failure of the engine.
fn ways_on(session: &Session, failure: &Failure) -> Element {
    let engine = session.engine();
    let other = !failure.may_pass() && *failure != Failure::NoEngine;
    let back = session.way_back().filter(|_| other);
    Element::new("div")
        .class("choices")
        .child(button("restart", "Start the model again"))
        .children(engine.offers_cpu().then(|| button("restart-on-cpu", "Start it on the CPU")))
        .children(back.map(|source| button("go-back", format!("Load {source}"))))
        .children(other.then(|| button("choose-model", "Choose another model")))
}

fn alert(sentence: String) -> Element {
    Element::new("div").class("alert").child(Element::new("p").text(sentence))
}

/// The recorded runs as buttons, and what to look for in the one shown.
pub fn recordings(session: &Session) -> Vec<Node> {
    let entries = session.recordings();
    if entries.is_empty() {
        return Vec::new();
    }
    let shown = match session.run().map(|run| &run.source) {
        Some(Source::Recording { name, .. }) => Some(name.as_str()),
        _ => None,
    };
    let mut nodes = vec![Element::new("span").text("Recorded runs").into()];
    nodes.extend(entries.iter().map(|entry| {
        let pressed = if shown == Some(entry.name.as_str()) { "true" } else { "false" };
        let button = Element::new("button").with("type", "button").with("data-recording", entry.name.as_str());
        Node::from(button.with("aria-pressed", pressed).text(entry.title.as_str()))
    }));
    let note = entries.iter().find(|entry| shown == Some(entry.name.as_str()));
    nodes.extend(note.map(|entry| Element::new("p").class("note").text(entry.note.as_str()).into()));
    nodes
}

/// How the run ended, its speed and its perplexity.
pub fn facts(session: &Session) -> Vec<Node> {
    let Some(run) = session.run() else { return Vec::new() };
    let dropped = session.focus_index().map_or(0, |step| run.window_start(step));
    let sentences = [
        ending(run),
        sentence::speed(run),
        run.perplexity().map(sentence::perplexity),
        sentence::window(dropped),
        sentence::mixed(run).map(Into::into),
    ];
    sentences.into_iter().flatten().map(|text| Element::new("span").text(text).into()).collect()
}

fn ending(run: &Run) -> Option<String> {
    (run.id().is_some() && run.is_over()).then(|| sentence::run(run))
}
