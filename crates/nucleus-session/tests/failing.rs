//! The engine fails: nothing the reader has is lost, and there is no restart loop.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use nucleus_decode::StopReason;
use nucleus_session::{Control, Effect, EngineState, Failure, Loading, Msg, Report, Request, RunState, sentence};
use support::Page;

fn lost() -> Failure {
    Failure::DeviceLost { message: "the driver was reset".into() }
}

fn fetch_failed() -> Failure {
    Failure::Fetch { address: "models/tales/config.json".into(), status: Some(404) }
}

fn is_restart(effects: &[Effect]) -> bool {
    let at = |wanted: &Effect| effects.iter().position(|effect| effect == wanted);
    let load = effects.iter().position(|effect| matches!(effect, Effect::Send(Request::Load { .. })));
    let (end, start) = (at(&Effect::TerminateEngine), at(&Effect::StartEngine));
    end.is_some() && end < start && start < load
}

#[test]
fn a_trap_in_a_run_keeps_everything_and_starts_a_new_worker() {
    let (mut page, request) = Page::running();
    page.steps(&request, 2);
    let (controls, text) = (page.session.controls().clone(), page.text());
    page.take();
    page.tell(Msg::EngineTrapped { message: "unreachable".into() });

    assert!(is_restart(&page.take()));
    assert_eq!(*page.session.controls(), controls);
    assert_eq!(page.text(), text);
    let state = &page.session.run().unwrap().state;
    assert_eq!(*state, RunState::Failed(Failure::Trap { message: "unreachable".into() }));
    assert_eq!(page.session.engine().state, EngineState::Loading(Loading::Starting));
    let status = sentence::engine(page.session.engine(), false);
    assert!(status.contains("unreachable") && status.contains("press Generate"), "{status}");

    page.step(&request, 2);
    assert_eq!(page.text(), text, "what the old worker still says is not heard");
    page.engine_is_ready();
    assert!(!page.asks_to_generate(), "the run is not repeated unasked");
    page.tell(Msg::Generate);
    let again = page.generated();
    assert_ne!(again.run, request.run);
    assert_eq!((again.prompt, again.seed), (request.prompt, request.seed));
}

#[test]
fn a_worker_that_fails_again_at_once_is_not_started_for_ever() {
    let mut page = Page::open("");
    page.take();
    page.tell(Msg::EngineTrapped { message: "first".into() });
    assert!(is_restart(&page.take()));
    page.tell(Msg::EngineTrapped { message: "second".into() });
    let effects = page.take();
    assert!(effects.contains(&Effect::TerminateEngine) && !effects.contains(&Effect::StartEngine));
    assert!(matches!(page.session.engine().state, EngineState::Failed(Failure::Trap { .. })));

    page.tell(Msg::RestartEngine);
    assert!(is_restart(&page.take()), "but it is on demand");
    page.tell(Msg::EngineTrapped { message: "third".into() });
    assert!(!page.take().contains(&Effect::StartEngine), "once for each demand");
}

#[test]
fn after_a_run_that_went_well_a_restart_is_tried_again() {
    let (mut page, request) = Page::running();
    page.tell(Msg::EngineTrapped { message: "first".into() });
    page.engine_is_ready();
    page.take();
    page.tell(Msg::Generate);
    let again = page.generated();
    assert_ne!(again.run, request.run);
    page.steps(&again, 1);
    page.finish(again.run);
    page.take();
    page.tell(Msg::EngineTrapped { message: "second".into() });
    assert!(is_restart(&page.take()));
}

/// CASE 32: the device lost in the middle of a run.
#[test]
fn a_lost_device_stops_with_a_message_and_a_restart() {
    let (mut page, request) = Page::running();
    page.steps(&request, 2);
    let text = page.text();
    page.take();
    page.report(Report::Failed { run: Some(request.run), failure: lost() });
    assert!(is_restart(&page.take()));
    assert_eq!(page.session.run().unwrap().state, RunState::Failed(lost()));
    assert_eq!(sentence::run(page.session.run().unwrap()), "Broken off after 2 tokens.");
    assert!(sentence::restarted(page.session.engine()).unwrap().contains("the driver was reset"));
    assert_eq!(page.text(), text);
    assert_eq!(page.session.controls().prompt, "Once");
}

/// CASE 32: the tab closed on purpose.
#[test]
fn closing_the_page_is_silent() {
    let (mut page, request) = Page::running();
    page.steps(&request, 1);
    page.take();
    page.tell(Msg::Closing);
    assert_eq!(page.take(), [Effect::TerminateEngine]);
    page.report(Report::Failed { run: Some(request.run), failure: lost() });
    page.tell(Msg::EngineTrapped { message: "gone".into() });
    assert_eq!(page.take(), []);
    assert_eq!(page.session.run().unwrap().state, RunState::Finished(StopReason::User));
    assert_eq!(page.session.engine().state, EngineState::Off);
}

#[test]
fn a_page_that_the_browser_brings_back_starts_its_engine_again() {
    let (mut page, request) = Page::running();
    page.steps(&request, 2);
    let text = page.text();
    page.tell(Msg::CameBack);
    assert_eq!(page.session.engine().running(), Some(request.run), "it had not gone");
    page.tell(Msg::Closing);
    page.take();
    page.tell(Msg::CameBack);
    let effects = page.take();
    assert_eq!(effects[0], Effect::StartEngine);
    assert!(matches!(effects[1..], [Effect::Send(Request::Load { .. })]), "{effects:?}");
    page.engine_is_ready();
    assert_eq!((page.text(), page.session.engine().state.clone()), (text, EngineState::Ready));
    assert!(!page.asks_to_generate(), "nothing is written unasked");
}

#[test]
fn a_model_that_cannot_be_loaded_is_said_and_not_tried_for_ever() {
    let mut page = Page::open("?prompt=Once");
    page.take();
    page.report(Report::Failed { run: None, failure: fetch_failed() });
    assert!(!page.take().contains(&Effect::StartEngine));
    assert_eq!(page.session.engine().state, EngineState::Failed(fetch_failed()));
    assert!(!page.session.is_queued() && !page.session.can_stop());
    assert!(sentence::engine(page.session.engine(), false).contains("status 404"));
}

#[test]
fn without_an_engine_a_recording_is_shown_all_the_same() {
    let mut page = Page::open("?prompt=Mine&seed=5");
    page.index_arrives();
    page.report(Report::Failed { run: None, failure: fetch_failed() });
    page.recording_arrives("walk");
    assert_eq!(page.session.run().unwrap().steps().len(), 5);
    assert_eq!(page.session.controls().prompt, "Mine");
    assert_eq!(page.session.controls().seed.value().0, 5);
}

/// Whether the model is loaded again by the worker that is there.
fn loads_again(effects: &[Effect]) -> bool {
    let is_load = |effect: &Effect| matches!(effect, Effect::Send(Request::Load { .. }));
    let ends = effects.iter().any(|effect| matches!(effect, Effect::TerminateEngine | Effect::StartEngine));
    !ends && effects.iter().any(is_load)
}

#[test]
fn after_a_failure_the_worker_that_answers_loads_again_and_then_writes() {
    let mut page = Page::open("");
    page.report(Report::Failed { run: None, failure: fetch_failed() });
    page.type_in(Control::Prompt, "Once");
    page.take();
    page.tell(Msg::Generate);
    assert!(loads_again(&page.take()));
    page.report(Report::Failed { run: None, failure: fetch_failed() });
    page.tell(Msg::RestartEngine);
    assert!(loads_again(&page.take()));
    page.tell(Msg::Generate);
    page.take();
    page.engine_is_ready();
    assert_eq!(page.generated().prompt, "Once");
}

#[test]
fn generate_after_a_worker_that_died_starts_another() {
    let mut page = Page::open("");
    page.report(Report::Failed { run: None, failure: Failure::OutOfMemory { message: "512 MB".into() } });
    page.type_in(Control::Prompt, "Once");
    page.take();
    page.tell(Msg::Generate);
    assert!(is_restart(&page.take()));
    page.engine_is_ready();
    assert_eq!(page.generated().prompt, "Once");
}

#[test]
fn an_engine_that_does_not_come_is_said_and_blames_no_device() {
    let mut page = Page::open("");
    page.take();
    page.report(Report::Failed { run: None, failure: Failure::NoEngine });
    assert!(!page.take().contains(&Effect::StartEngine), "nothing has changed");
    assert!(!page.session.engine().offers_cpu());
    let said = sentence::engine(page.session.engine(), false);
    assert!(said.contains("could not be loaded") && said.contains("Check the connection"), "{said}");
    page.tell(Msg::RestartEngine);
    assert!(is_restart(&page.take()));
}

#[test]
fn a_failure_before_there_is_a_device_offers_no_other_device() {
    let mut page = Page::open("");
    for message in ["first", "second"] {
        page.tell(Msg::EngineTrapped { message: message.into() });
    }
    assert!(matches!(page.session.engine().state, EngineState::Failed(_)));
    assert!(!page.session.engine().offers_cpu());
}

#[test]
fn a_failed_self_test_stops_for_good() {
    let mut page = Page::open("");
    page.take();
    let failure = Failure::SelfTest { difference: 0.25, tolerance: 1e-3 };
    page.report(Report::Failed { run: None, failure: failure.clone() });
    assert!(!page.take().contains(&Effect::StartEngine));
    let status = sentence::engine(page.session.engine(), false);
    assert!(status.contains("2.50e-1") && status.contains("device=cpu"), "{status}");
}

#[test]
fn another_model_ends_the_worker_and_loads_anew() {
    let (mut page, request) = Page::running();
    page.steps(&request, 1);
    page.take();
    page.choose("tales");
    assert!(!page.take().contains(&Effect::StartEngine), "it is loaded already");
    page.choose("../etc");
    assert!(!page.take().contains(&Effect::StartEngine), "no such name");

    page.choose("gpt2");
    assert!(page.address().unwrap().contains("model=gpt2"));
    let effects = page.take();
    assert!(is_restart(&effects));
    let loads =
        |effect: &Effect| matches!(effect, Effect::Send(Request::Load { source, .. }) if source.text() == Some("gpt2"));
    assert!(effects.iter().any(loads));
    assert_eq!(page.session.run().unwrap().state, RunState::Finished(StopReason::User));
}

#[test]
fn a_run_without_a_token_is_no_check_of_another() {
    let mut page = Page::ready("");
    page.type_in(Control::Prompt, "Once");
    page.take();
    page.tell(Msg::Generate);
    let run = page.generated().run;
    page.report(Report::Failed { run: Some(run), failure: Failure::Model { message: "it broke".into() } });
    assert_eq!(page.session.link().check, None);
}
