//! Models: chosen, planned, loaded, given up, kept, deleted. The reader's text and settings outlive all of it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use nucleus_session::{
    Came, Control, DevicePreference, DiskFile, Effect, EngineState, Failure, GivenFile, KeptModel, LoadPlan, Loading,
    ModelMsg, ModelSource, Msg, Persistence, Place, Report, Request, WeightFormat, sentence,
};
use support::Page;

const TOTAL: u64 = 548_105_171;

fn plan(waits: bool) -> Report {
    Report::Plan(LoadPlan {
        name: "gpt2".into(),
        parameters: 124_439_808,
        stored: "F32".into(),
        weights: WeightFormat::F32,
        download: TOTAL,
        files: TOTAL,
        device_memory: 572_000_000,
        largest_tensor: 154_389_504,
        largest_binding: 134_217_728,
        room_to_keep: Some(12_000_000_000),
        waits,
    })
}

fn weights(done: u64) -> Report {
    Report::Loading(Loading::Weights { done, total: TOTAL, fetched: TOTAL })
}

fn loads(effects: &[Effect]) -> Vec<(ModelSource, Option<WeightFormat>)> {
    let load = |effect: &Effect| match effect {
        Effect::Send(Request::Load { source, weights, .. }) => Some((source.clone(), *weights)),
        _ => None,
    };
    effects.iter().filter_map(load).collect()
}

fn source(text: &str) -> ModelSource {
    ModelSource::parse(text).unwrap()
}

fn given(names: &[&str]) -> Vec<DiskFile> {
    given_later(0, names)
}

/// Files that are given when others were given before; all have the same size.
fn given_later(before: u32, names: &[&str]) -> Vec<DiskFile> {
    let file = |(number, name): (u32, &&str)| DiskFile { number, file: GivenFile { name: (*name).into(), bytes: 3 } };
    (before..).zip(names).map(file).collect()
}

fn files(given: &[DiskFile]) -> ModelSource {
    ModelSource::Files(given.iter().cloned().collect())
}

/// A page whose reader has chosen GPT-2 and is asked about its plan.
fn asked() -> Page {
    let mut page = Page::ready("");
    page.type_in(Control::Prompt, "Mine");
    page.choose("openai-community/gpt2");
    page.take();
    page.report(plan(true));
    page
}

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
fn a_run_that_is_asked_for_without_a_model_waits_for_one_and_downloads_nothing() {
    let mut page = asked();
    page.about_the_model(ModelMsg::Cancel);
    page.report(Report::Cancelled);
    page.take();
    page.tell(Msg::Generate);
    assert!(page.session.is_queued());
    assert_eq!(loads(&page.take()), []);
    page.about_the_model(ModelMsg::GoBack);
    page.engine_is_ready();
    assert_eq!(page.generated().prompt, "Mine");
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

#[test]
fn an_id_or_address_that_is_none_is_refused_in_the_dialog() {
    let mut page = Page::ready("");
    page.take();
    page.choose("http://example.org/gpt2");
    let chooser = page.session.chooser();
    assert!(chooser.open && chooser.refusal.as_ref().unwrap().contains("https://"), "{chooser:?}");
    assert_eq!(loads(&page.take()), []);
    page.about_the_model(ModelMsg::TypedAddress("https://example.org/gpt2".into()));
    assert_eq!(page.session.chooser().refusal, None);
    page.about_the_model(ModelMsg::Load);
    assert!(!page.session.chooser().open);
    assert_eq!(loads(&page.take()), [(source("https://example.org/gpt2"), None)]);
}

#[test]
fn the_choice_opens_at_what_is_there() {
    for (query, place, address) in [
        ("", Place::Page, ""),
        ("?model=distilbert/distilgpt2&weights=f16", Place::Web, "distilbert/distilgpt2"),
        ("?model=gpt2", Place::Web, "gpt2"),
    ] {
        let mut page = Page::open(query);
        page.about_the_model(ModelMsg::OpenChooser);
        let chooser = page.session.chooser();
        assert_eq!((chooser.place, chooser.address.as_str()), (place, address), "{query}");
        assert_eq!(chooser.weights, page.session.engine().weights);
        assert!(page.effects.contains(&Effect::AskToPersist(false)));
    }
}

#[test]
fn the_form_of_the_weights_is_a_choice_of_its_own_and_stands_in_the_address() {
    let mut page = Page::ready("?weights=int8");
    assert_eq!(loads(&page.take()), [(source("tales"), Some(WeightFormat::Int8))]);
    page.about_the_model(ModelMsg::OpenChooser);
    page.about_the_model(ModelMsg::Load);
    assert_eq!(loads(&page.take()), [], "it is there already");
    page.about_the_model(ModelMsg::OpenChooser);
    page.about_the_model(ModelMsg::ChoseWeights(Some(WeightFormat::F16)));
    page.about_the_model(ModelMsg::Load);
    assert!(page.address().unwrap().contains("model=tales&weights=f16"), "{:?}", page.address());
    assert_eq!(loads(&page.take()), [(source("tales"), Some(WeightFormat::F16))]);
}

#[test]
fn files_are_gathered_loaded_and_sent_again_after_a_failure() {
    let mut page = Page::ready("");
    page.take();
    let weights = given(&["model.safetensors"]);
    page.about_the_model(ModelMsg::DroppedFiles(weights.clone()));
    let chooser = page.session.chooser();
    assert!(chooser.open && chooser.place == Place::Disk);
    assert!(chooser.refusal.as_ref().unwrap().contains("config.json"), "{chooser:?}");
    assert_eq!(loads(&page.take()), []);

    let others = given_later(1, &["tokenizer.json", "config.json"]);
    page.about_the_model(ModelMsg::GaveFiles(others.clone()));
    page.about_the_model(ModelMsg::Load);
    let first = files(&[others[1].clone(), weights[0].clone(), others[0].clone()]);
    assert_eq!(loads(&page.take()), [(first.clone(), None)]);
    page.tell(Msg::EngineTrapped { message: "unreachable".into() });
    assert_eq!(loads(&page.take()), [(first.clone(), None)]);

    // The same names and sizes again are other files.
    page.engine_is_ready();
    let again = given_later(3, &["config.json", "model.safetensors", "tokenizer.json"]);
    page.about_the_model(ModelMsg::DroppedFiles(again.clone()));
    assert!(!page.session.chooser().open, "nothing is missing, so nothing is asked");
    assert_eq!(loads(&page.take()), [(files(&again), None)]);
    assert_eq!(page.session.way_back(), Some(first.clone()), "what looks the same is another model");
    page.about_the_model(ModelMsg::GoBack);
    assert_eq!(loads(&page.take()), [(first, None)]);
}

#[test]
fn the_files_of_one_model_do_not_go_into_the_next() {
    let mut page = Page::ready("");
    let sharded =
        ["config.json", "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", "tokenizer.json"];
    page.about_the_model(ModelMsg::GaveFiles(given(&sharded)));
    page.about_the_model(ModelMsg::Load);
    page.engine_is_ready();
    page.take();
    page.about_the_model(ModelMsg::OpenChooser);
    assert_eq!(page.session.chooser().files, []);
    let other = ["config.json", "merges.txt", "model.safetensors", "vocab.json"];
    page.about_the_model(ModelMsg::GaveFiles(given(&other)));
    page.about_the_model(ModelMsg::Load);
    assert_eq!(loads(&page.take()), [(files(&given(&other)), None)]);
}

#[test]
fn a_file_can_be_taken_out_again() {
    let mut page = Page::ready("");
    page.about_the_model(ModelMsg::OpenChooser);
    page.about_the_model(ModelMsg::GaveFiles(given(&["README.json", "config.json", "tokenizer.json"])));
    page.about_the_model(ModelMsg::Load);
    assert!(page.session.chooser().refusal.is_some());
    page.about_the_model(ModelMsg::RemoveFile(0));
    assert_eq!(page.session.chooser().files, given_later(1, &["config.json", "tokenizer.json"]));
    assert_eq!(page.session.chooser().refusal, None, "the choice is another now");
    page.about_the_model(ModelMsg::RemoveFile(2));
    assert_eq!(page.session.chooser().files.len(), 2, "there is no such place");
    page.about_the_model(ModelMsg::RemoveFiles);
    assert_eq!(page.session.chooser().files, []);
}

#[test]
fn no_address_leads_to_files() {
    let mut page = Page::ready("?model=gpt2");
    page.about_the_model(ModelMsg::DroppedFiles(given(&["config.json", "tokenizer.json", "model.safetensors"])));
    page.engine_is_ready();
    assert!(!page.address().unwrap().contains("model="), "{:?}", page.address());
    page.type_in(Control::Prompt, "Once");
    page.take();
    page.tell(Msg::Generate);
    let request = page.generated();
    page.steps(&request, 2);
    page.finish(request.run);
    assert!(page.address().is_some_and(|address| !address.contains("check=")) || page.address().is_none());
    page.report(Report::Device(support::device()));
    assert_eq!(page.session.run().unwrap().model, "tales", "the model says what it is");
}

fn kept() -> Vec<KeptModel> {
    let model = |text: &str, complete| KeptModel { source: source(text), bytes: 5, total: Some(9), complete };
    vec![model("distilbert/distilgpt2", true), model("openai-community/gpt2", false)]
}

#[test]
fn what_is_kept_is_listed_loaded_and_deleted_after_one_question() {
    let mut page = Page::ready("");
    page.take();
    page.about_the_model(ModelMsg::OpenChooser);
    assert!(page.take().contains(&Effect::Send(Request::ListKept)));
    page.report(Report::Kept(kept()));

    page.about_the_model(ModelMsg::Delete(1));
    assert_eq!(page.session.chooser().deleting, Some(source("openai-community/gpt2")));
    page.about_the_model(ModelMsg::KeepAll);
    page.about_the_model(ModelMsg::ReallyDelete);
    assert!(!page.take().iter().any(|effect| matches!(effect, Effect::Send(_))), "it was to be kept");
    page.about_the_model(ModelMsg::Delete(1));
    page.about_the_model(ModelMsg::ReallyDelete);
    let delete = Request::DeleteKept { source: source("openai-community/gpt2") };
    assert!(page.take().contains(&Effect::Send(delete)));
    page.report(Report::Kept(kept()[..1].to_vec()));
    page.about_the_model(ModelMsg::Delete(1));
    assert_eq!(page.session.chooser().deleting, None, "there is no such model any more");

    page.about_the_model(ModelMsg::LoadKept(0));
    assert!(!page.session.chooser().open);
    assert_eq!(loads(&page.take()), [(source("distilbert/distilgpt2"), None)]);
    page.engine_is_ready();
    assert!(page.take().contains(&Effect::Send(Request::ListKept)), "the list may have changed");
}

#[test]
fn after_a_model_that_cannot_be_loaded_the_list_can_still_be_had() {
    let mut page = Page::open("?model=gone");
    let gone = Failure::Fetch { address: "models/gone/config.json".into(), status: Some(404) };
    page.report(Report::Failed { run: None, failure: gone });
    assert!(!page.take().contains(&Effect::TerminateEngine), "the worker is in order");
    page.about_the_model(ModelMsg::OpenChooser);
    assert!(page.take().contains(&Effect::Send(Request::ListKept)));
    assert_eq!(page.session.way_back(), Some(source("tales")));
}

#[test]
fn another_model_can_be_chosen_while_one_is_on_its_way() {
    let mut page = asked();
    page.about_the_model(ModelMsg::Download);
    page.take();
    page.choose("distilbert/distilgpt2");
    let effects = page.take();
    assert!(effects.contains(&Effect::TerminateEngine) && effects.contains(&Effect::StartEngine));
    assert_eq!(loads(&effects), [(source("distilbert/distilgpt2"), None)]);
    assert_eq!(page.session.engine().plan, None, "the plan was the other model's");
    assert_eq!(page.session.engine().preference.unwrap_or_default(), DevicePreference::Auto);
}
