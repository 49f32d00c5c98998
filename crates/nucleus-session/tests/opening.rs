//! Opening the page: what is shown at once, what the address says, what is fetched.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use nucleus_session::{
    Asset, Control, DevicePreference, Effect, EngineState, Loading, ModelSource, Msg, Report, Request, RunState, Source,
};
use support::{Page, recorded_values};

fn fetches(effects: &[Effect]) -> Vec<&str> {
    fn address(effect: &Effect) -> Option<&str> {
        match effect {
            Effect::Fetch { address, .. } => Some(address),
            _ => None,
        }
    }
    effects.iter().filter_map(address).collect()
}

fn load(model: &str, device: DevicePreference) -> Effect {
    Effect::Send(Request::Load { source: ModelSource::parse(model).unwrap(), device, weights: None })
}

#[test]
fn the_first_recording_is_shown_while_the_engine_loads() {
    let mut page = Page::open("");
    let effects = page.take();
    assert_eq!(fetches(&effects), ["recordings/index.json"]);
    assert!(effects.contains(&Effect::StartEngine));
    assert!(effects.contains(&load("tales", DevicePreference::Auto)));

    page.index_arrives();
    assert_eq!(fetches(&page.take()), ["recordings/walk.safetensors"]);
    page.recording_arrives("walk");

    let run = page.session.run().unwrap();
    assert_eq!(run.source, Source::Recording { name: "walk".into(), title: "A walk".into() });
    assert_eq!(run.steps().len(), 5);
    assert_eq!(page.session.controls().values(), recorded_values());
    assert_eq!(page.session.focus_index(), Some(0));
    assert_eq!(page.session.engine().state, EngineState::Loading(Loading::Starting));
    assert_eq!(page.address(), None, "the address stays as it is until the reader does something");
}

#[test]
fn sliders_work_on_a_recording_before_there_is_an_engine() {
    let mut page = Page::open("");
    page.index_arrives();
    page.recording_arrives("walk");
    page.tell(Msg::FocusStep(2));
    assert!(!page.session.focus().unwrap().differs);
    page.tell(Msg::MovedSlider { control: Control::TopK, position: 1.0 });
    let focus = page.session.focus().unwrap();
    assert_eq!((focus.index, focus.trace.kept.len()), (2, 1));
}

#[test]
fn an_address_with_a_prompt_runs_it_once_the_engine_is_ready() {
    let mut page = Page::open("?prompt=Once+upon&temperature=0.5&top_k=3&seed=9&new=4&step=2");
    page.index_arrives();
    assert_eq!(fetches(&page.take()), ["recordings/index.json"], "no recording is shown meanwhile");
    assert!(page.session.is_queued() && page.session.can_stop());

    page.engine_is_ready();
    let request = page.generated();
    assert_eq!(request.prompt, "Once upon");
    assert_eq!((request.seed, request.new_tokens), (9, 4));
    assert_eq!(request.settings.temperature.get(), 0.5);
    assert_eq!(request.settings.top_k.get(), 3);
    assert_eq!(request.settings.top_p.get(), 0.9, "what the address leaves out has its default");

    page.steps(&request, 2);
    assert_eq!(page.session.focus_index(), Some(1), "the latest while the run is short of step 2");
    page.step(&request, 2);
    page.step(&request, 3);
    assert_eq!(page.session.focus_index(), Some(2));
}

/// CASE 7: from the address.
#[test]
fn bad_settings_in_the_address_are_shown_and_nothing_is_run_with_others() {
    let mut page = Page::open("?prompt=Once&temperature=-1&top_p=0&top_k=-3&penalty=0.5&seed=1.5&new=0");
    page.engine_is_ready();
    assert!(!page.asks_to_generate());
    let refusal = page.session.refusal().unwrap();
    assert_eq!(refusal.control(), Some(Control::Temperature));
    assert!(refusal.to_string().contains("temperature is -1"), "{refusal}");

    let controls = page.session.controls();
    assert_eq!(controls.temperature.text(), "-1");
    assert_eq!(controls.temperature.value().get(), 0.8, "the last good value stays in force");
    for control in Control::ALL.into_iter().filter(|&control| control != Control::Prompt) {
        assert!(controls.error(control).is_some(), "{control:?}");
    }
}

#[test]
fn a_refused_address_still_shows_a_recording_and_keeps_what_it_said() {
    let mut page = Page::open("?prompt=Mine&temperature=-1");
    let without = page.session.controls().values();
    page.index_arrives();
    page.recording_arrives("walk");
    assert_eq!(page.tokens().len(), 5);
    let controls = page.session.controls();
    assert_eq!((controls.prompt.as_str(), controls.temperature.text()), ("Mine", "-1"));
    assert!(controls.temperature.error().is_some());
    // Once it is put right, the address means what it would have meant at once: nothing of the recording is put between.
    assert_eq!(controls.values(), without);
    assert_ne!(controls.seed.value().0, recorded_values().seed);
}

#[test]
fn settings_without_a_prompt_are_put_on_the_recording() {
    let mut page = Page::open("?top_k=2&step=3");
    page.index_arrives();
    page.recording_arrives("walk");
    assert_eq!(page.session.controls().top_k.value().get(), 2);
    assert_eq!(page.session.controls().prompt, recorded_values().prompt);
    assert_eq!(page.session.focus_index(), Some(3));
}

#[test]
fn an_address_can_name_a_recording() {
    let mut page = Page::open("?recording=other&prompt=Once");
    page.take();
    page.index_arrives();
    assert_eq!(fetches(&page.take()), ["recordings/other.safetensors"]);
    page.engine_is_ready();
    assert!(!page.asks_to_generate());
}

#[test]
fn an_unknown_recording_is_said_and_the_prompt_beside_it_is_run() {
    let mut page = Page::ready("?recording=gone&prompt=Once");
    page.index_arrives();
    assert!(page.session.recording_error().unwrap().contains("gone"));
    assert_eq!(page.generated().prompt, "Once");
}

#[test]
fn an_unknown_recording_is_said_and_the_first_is_shown() {
    let mut page = Page::open("?recording=gone");
    page.index_arrives();
    page.recording_arrives("walk");
    assert_eq!(page.session.run().unwrap().steps().len(), 5);
    let error = page.session.recording_error().unwrap();
    assert!(error.contains("no recording named \u{201c}gone\u{201d}"), "{error}");
    page.tell(Msg::ChoseRecording("other".into()));
    assert_eq!(page.session.recording_error(), None);
}

#[test]
fn a_recording_that_fails_is_not_fetched_for_ever() {
    let mut page = Page::open("?recording=walk");
    page.index_arrives();
    let fails = || Msg::Fetched { asset: Asset::Recording("walk".into()), result: Err("gone".into()) };
    page.tell(fails());
    page.take();
    page.tell(fails());
    assert_eq!(fetches(&page.take()), Vec::<&str>::new());
    assert_eq!(page.session.recording_error(), Some("gone"));
}

#[test]
fn a_device_and_a_model_in_the_address_reach_the_engine_and_stay_in_the_address() {
    let mut page = Page::open("?device=cpu&model=gpt2");
    assert!(page.effects.contains(&load("gpt2", DevicePreference::Cpu)));
    page.tell(Msg::NewSeed(3));
    let address = page.address().unwrap();
    assert!(address.contains("device=cpu") && address.contains("model=gpt2"), "{address}");
}

#[test]
fn what_the_address_cannot_mean_is_said() {
    let page = Page::open("?device=gpu&model=../up&step=x&unknown=1");
    let errors: Vec<String> = page.session.link_errors().iter().map(ToString::to_string).collect();
    assert_eq!(errors.len(), 3, "{errors:?}");
    for (error, words) in errors.iter().zip(["device", "model", "step"]) {
        assert!(error.starts_with(words), "{error}");
    }
    assert!(page.effects.contains(&load("tales", DevicePreference::Auto)));
}

#[test]
fn a_prompt_typed_before_the_recording_comes_is_not_lost() {
    let mut page = Page::open("");
    page.index_arrives();
    page.type_in(Control::Prompt, "Mine");
    page.recording_arrives("walk");
    assert_eq!(page.session.controls().prompt, "Mine");
    assert_eq!(page.session.run().unwrap().values.prompt, "Once");
}

#[test]
fn a_recording_that_comes_after_generate_does_not_push_the_run_away() {
    let mut page = Page::ready("");
    page.index_arrives();
    page.type_in(Control::Prompt, "Mine");
    page.tell(Msg::Generate);
    page.recording_arrives("walk");
    assert_eq!(page.session.run().unwrap().values.prompt, "Mine");
}

#[test]
fn a_recording_that_cannot_be_had_is_said() {
    let mut page = Page::open("");
    page.index_arrives();
    let asset = Asset::Recording("walk".into());
    page.tell(Msg::Fetched { asset, result: Ok(b"<!doctype html>".to_vec()) });
    let error = page.session.recording_error().unwrap();
    assert!(error.starts_with("recording walk: the header is said to have"), "{error}");

    let result = Err("recordings/index.json could not be fetched".into());
    page.tell(Msg::Fetched { asset: Asset::RecordingIndex, result });
    assert!(page.session.recording_error().unwrap().contains("index.json"));
    assert!(page.session.run().is_none());
}

#[test]
fn another_recording_is_shown_with_all_its_values_and_ends_a_live_run() {
    let (mut page, request) = Page::running();
    page.index_arrives();
    page.steps(&request, 2);
    page.take();
    page.tell(Msg::ChoseRecording("other".into()));
    assert!(page.effects.contains(&Effect::Send(Request::Stop { run: request.run })));
    page.recording_arrives("other");
    assert_eq!(page.session.controls().values(), recorded_values());
    assert_eq!(page.session.focus_index(), Some(0));
    page.finish(request.run);
    assert_eq!(page.session.engine().state, EngineState::Ready);
    assert!(matches!(page.session.run().unwrap().state, RunState::Finished(_)));
    assert_eq!(page.session.run().unwrap().id(), None);
}

#[test]
fn loading_is_followed_stage_by_stage() {
    let mut page = Page::open("");
    let weights = Loading::Weights { done: 5, total: 10, fetched: 10 };
    page.report(Report::Loading(weights));
    assert_eq!(page.session.engine().state, EngineState::Loading(weights));
    page.engine_is_ready();
    page.report(Report::Loading(weights));
    assert_eq!(page.session.engine().state, EngineState::Ready, "a late report changes nothing");
}
