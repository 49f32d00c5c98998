//! What the page says of itself: the device, what is going on, what went wrong, and the facts of a run. The sentences are the
//! session's.

use nucleus_charts::{Element, Node};
use nucleus_session::{DeviceKind, EngineState, Loading, Run, RunState, Session, Source, sentence};

/// The line under the model: adapter, backend and why this device.
pub fn device(session: &Session) -> Vec<Node> {
    let Some(device) = &session.engine().device else { return Vec::new() };
    let mut line = Element::new("span");
    if device.kind == DeviceKind::WebGpu && !device.adapter.is_empty() {
        let software = if device.software { ", a software adapter" } else { "" };
        line = line.child(Element::new("b").text(format!("{}{software}. ", device.adapter)));
    }
    vec![line.text(device.reason.to_string()).into()]
}

/// What is going on now, in one sentence.
pub fn status(session: &Session) -> Vec<Node> {
    let engine = session.engine();
    let live = session.run().filter(|run| run.id().is_some());
    let mut text = match (&engine.state, live, &engine.model) {
        // An alert says it.
        (EngineState::Failed(_), ..) => return Vec::new(),
        (EngineState::Running { .. }, Some(run), _) => sentence::run(run),
        (EngineState::Ready, Some(_), _) => String::new(),
        (EngineState::Ready, None, Some(model)) => sentence::model(model),
        _ => sentence::engine(engine, session.is_queued()),
    };
    if let Some(note) = live.and_then(sentence::as_in_the_link) {
        text = format!("{text} {note}");
    }
    if text.trim().is_empty() {
        return Vec::new();
    }
    let mut nodes = vec![Node::Text(text.trim().to_owned())];
    if let EngineState::Loading(Loading::Weights { done, total, .. }) = engine.state
        && total > 0
    {
        let bar = Element::new("progress").with("max", "100").with("value", 100.0 * done as f64 / total as f64);
        nodes.push(bar.with("aria-label", "Weights loaded").into());
    }
    nodes
}

/// What went wrong and what can be done; nothing while all is well.
pub fn alerts(session: &Session) -> Vec<Node> {
    let engine = session.engine();
    let mut alerts = Vec::new();
    let mut said = Vec::new();
    if let EngineState::Failed(failure) = &engine.state {
        let button = Element::new("button").with("type", "button").with("data-action", "restart");
        alerts.push(alert(failure.to_string()).child(button.text("Start the model again")));
        said.push(failure);
    }
    // A restart that failed as well is no news: the failure above is.
    if let Some(failure) = engine.restarted_after.as_ref().filter(|_| said.is_empty()) {
        alerts.push(alert(format!("{failure} It has been started again.")));
        said.push(failure);
    }
    if let Some(RunState::Failed(failure)) = session.run().map(|run| &run.state)
        && !said.contains(&failure)
    {
        alerts.push(alert(failure.to_string()));
    }
    alerts.extend(session.refusal().map(|refusal| alert(refusal.to_string())));
    alerts.extend(session.link_errors().iter().map(|error| alert(sentence::sentence(error))));
    alerts.extend(session.recording_error().map(|error| alert(sentence::sentence(&error))));
    alerts.into_iter().map(Node::from).collect()
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
    let sentences =
        [ending(run), sentence::speed(run), run.perplexity().map(sentence::perplexity), sentence::window(dropped)];
    sentences.into_iter().flatten().map(|text| Element::new("span").text(text).into()).collect()
}

fn ending(run: &Run) -> Option<String> {
    (run.id().is_some() && run.is_over()).then(|| sentence::run(run))
}
