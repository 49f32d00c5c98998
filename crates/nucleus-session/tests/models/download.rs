//! A large download waits for the reader, says how far it is, and can be given up.

use nucleus_session::{Came, Effect, EngineState, Loading, ModelMsg, Msg, Persistence, Report, Request, sentence};

use crate::support::Page;
use crate::{TOTAL, asked, loads, plan, source, weights};

#[test]
fn nothing_large_is_downloaded_before_the_reader_agrees() {
    let mut page = asked();
    let sends = |effects: &[Effect]| effects.iter().filter(|effect| matches!(effect, Effect::Send(_))).count();
    assert_eq!(page.session.engine().state, EngineState::Asking);
    assert!(page.effects.contains(&Effect::FocusLoading));
    assert_eq!(sends(&page.take()), 0);
    let said = sentence::engine(page.session.engine(), false);
    assert!(said.contains("openai-community/gpt2") && said.contains("waits for your answer"), "{said}");
    let title = sentence::plan_title(page.session.engine(), page.session.engine().plan.as_ref().unwrap());
    assert_eq!(title, "Download 548.1 MB for openai-community/gpt2?");

    page.about_the_model(ModelMsg::Download);
    let effects = page.take();
    assert!(effects.contains(&Effect::Send(Request::Download)));
    assert!(effects.contains(&Effect::AskToPersist(true)), "a large download is worth a promise");
    assert_eq!(page.session.engine().came(), Came { done: 0, total: TOTAL });
    page.about_the_model(ModelMsg::Download);
    assert_eq!(sends(&page.take()), 0, "once is enough");
}

#[test]
fn a_worker_that_dies_in_an_agreed_download_is_not_asked_about_again_but_another_choice_is() {
    let mut page = asked();
    page.about_the_model(ModelMsg::Download);
    page.tell(Msg::EngineTrapped { message: "unreachable".into() });
    page.take();
    page.report(plan(true));
    assert!(page.take().contains(&Effect::Send(Request::Download)));
    page.choose("distilbert/distilgpt2");
    page.report(plan(true));
    assert_eq!(page.session.engine().state, EngineState::Asking);
}

#[test]
fn a_plan_that_does_not_wait_is_only_noted() {
    let mut page = Page::open("?model=gpt2");
    page.report(plan(false));
    assert_eq!(page.session.engine().state, EngineState::Loading(Loading::Starting));
    assert!(page.session.engine().plan.is_some());
    assert!(!page.effects.contains(&Effect::FocusLoading));
}

#[test]
fn a_browser_that_has_promised_is_not_asked_again() {
    let mut page = asked();
    page.tell(Msg::Persistence(Persistence::Granted));
    page.take();
    page.about_the_model(ModelMsg::Download);
    assert!(!page.take().contains(&Effect::AskToPersist(true)));
    assert_eq!(page.session.chooser().persistence, Persistence::Granted);
}

#[test]
fn the_time_left_comes_from_the_rate_that_is_seen() {
    let mut page = asked();
    page.about_the_model(ModelMsg::Download);
    for tenth in 0..=30_u32 {
        page.report_at(weights(u64::from(tenth) * 1_000_000), 7000.0 + 100.0 * f64::from(tenth));
    }
    // 10 MB/s, 518 MB to go.
    let text = sentence::progress(page.session.engine(), false).unwrap();
    assert_eq!(text, "Loading the weights: 30.0 of 548.1 MB. About 50 seconds left.");
    let reconnecting = Loading::Reconnecting { done: 30_000_000, total: TOTAL, attempt: 2 };
    page.report_at(Report::Loading(reconnecting), 12_000.0);
    let text = sentence::progress(page.session.engine(), false).unwrap();
    assert_eq!(text, "The connection broke at 30.0 of 548.1 MB. Trying again, attempt 2.");
}

/// The engine goes on to the next stage at once, so that nobody could read it otherwise.
#[test]
fn that_the_file_changed_is_said_until_the_model_is_there() {
    const NEWS: &str = "The file changed on the server while it came, so it is loaded from the start. ";
    let mut page = asked();
    page.about_the_model(ModelMsg::Download);
    page.report_at(weights(230_100_000), 0.0);
    assert!(!sentence::engine(page.session.engine(), false).contains("changed"));
    page.report(Report::Loading(Loading::StartingOver { dropped: 230_100_000, total: TOTAL }));
    assert!(
        sentence::progress(page.session.engine(), false).unwrap().starts_with("The file changed on the server since")
    );
    page.report(Report::Loading(Loading::Config));
    assert_eq!(
        sentence::engine(page.session.engine(), false),
        format!("{NEWS}Loading the model\u{2019}s configuration.")
    );
    page.report_at(weights(3_000_000), 0.0);
    let text = format!("{NEWS}Loading the weights: 3.0 of 548.1 MB.");
    assert_eq!(sentence::progress(page.session.engine(), false), Some(text));

    page.choose("tales");
    page.report(Report::Loading(Loading::Config));
    assert!(!sentence::engine(page.session.engine(), false).contains("changed"), "that was another file");
}

/// What is kept from an earlier visit is there at once, and tells nothing of the network.
#[test]
fn the_part_that_is_kept_does_not_promise_a_fast_rest() {
    let mut page = asked();
    page.about_the_model(ModelMsg::Download);
    let resumed = |done| Report::Loading(Loading::Weights { done, total: TOTAL, fetched: 48_105_171 });
    for tenth in 0..=20_u32 {
        page.report_at(resumed(u64::from(tenth) * 24_000_000), 100.0 * f64::from(tenth));
    }
    assert_eq!(page.session.engine().time_left_ms(), None);
    for tenth in 0..=20_u32 {
        page.report_at(resumed(500_000_000 + u64::from(tenth) * 100_000), 2000.0 + 100.0 * f64::from(tenth));
    }
    let left = page.session.engine().time_left_ms().unwrap();
    assert!((40_000.0..50_000.0).contains(&left), "46 MB at 1 MB/s: {left}");
}

#[test]
fn a_run_that_waits_for_a_download_is_said_beside_it() {
    let mut page = asked();
    assert_eq!(sentence::waiting(page.session.is_queued()), None);
    page.tell(Msg::Generate);
    let waits = sentence::waiting(page.session.is_queued()).unwrap();
    page.about_the_model(ModelMsg::Download);
    page.report_at(weights(30_000_000), 0.0);
    let text = sentence::progress(page.session.engine(), page.session.is_queued()).unwrap();
    assert!(text.starts_with("Loading the weights: 30.0 of 548.1 MB.") && text.ends_with(waits), "{text}");
    assert!(waits.contains("as soon as the model is ready"));
}

#[test]
fn a_loading_that_is_given_up_says_what_is_there_and_offers_both_ways() {
    let mut page = asked();
    page.about_the_model(ModelMsg::Download);
    page.report_at(weights(230_100_000), 0.0);
    page.tell(Msg::Generate);
    assert!(page.session.is_queued());
    page.take();
    page.about_the_model(ModelMsg::Cancel);
    assert!(page.effects.contains(&Effect::Send(Request::CancelLoading)));
    assert!(!page.session.is_queued(), "what waited for this model is given up with it");
    page.report_at(weights(240_000_000), 0.0);
    page.report(Report::Cancelled);

    let engine = page.session.engine();
    assert_eq!(engine.state, EngineState::Cancelled(Came { done: 230_100_000, total: TOTAL }));
    let text = sentence::given_up(engine).unwrap();
    assert!(text.contains("stopped at 230.1 of 548.1 MB") && text.contains("No model is loaded now"), "{text}");
    assert_eq!(page.session.way_back(), Some(source("tales")));
    assert_eq!(page.session.controls().prompt, "Mine");

    page.take();
    page.about_the_model(ModelMsg::GoOn);
    let effects = page.take();
    assert_eq!(loads(&effects), [(source("openai-community/gpt2"), None)]);
    assert!(!effects.contains(&Effect::StartEngine), "the worker is as good as it was");
    page.report(plan(true));
    assert!(page.take().contains(&Effect::Send(Request::Download)), "the reader has agreed already");
    page.engine_is_ready();
    assert_eq!(page.session.engine().state, EngineState::Ready);
    assert_eq!(page.session.way_back(), Some(source("tales")));
}

#[test]
fn not_now_leads_back_to_the_model_before() {
    let mut page = asked();
    page.about_the_model(ModelMsg::Cancel);
    page.report(Report::Cancelled);
    assert!(sentence::given_up(page.session.engine()).unwrap().contains("was not loaded"));
    page.take();
    page.about_the_model(ModelMsg::GoBack);
    let effects = page.take();
    assert_eq!(loads(&effects), [(source("tales"), None)]);
    page.engine_is_ready();
    assert_eq!(page.session.way_back(), None, "it is there");
}

#[test]
fn a_model_that_was_ready_before_the_cancel_arrived_is_there() {
    let mut page = Page::open("?model=gpt2");
    page.about_the_model(ModelMsg::Cancel);
    page.engine_is_ready();
    assert_eq!(page.session.engine().state, EngineState::Ready);
}

#[test]
fn a_worker_that_dies_while_loading_is_given_up_does_not_load_after_all() {
    let mut page = asked();
    page.about_the_model(ModelMsg::Cancel);
    page.take();
    page.tell(Msg::EngineTrapped { message: "unreachable".into() });
    assert_eq!(loads(&page.take()), []);
    assert!(matches!(page.session.engine().state, EngineState::Failed(_)));
}
