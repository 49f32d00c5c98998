//! Connections that break, servers that do less than they might, and the reader who gives up.

use js_sys::Function;
use nucleus_session::{DevicePreference, Failure, Keeping, Loading, ModelSource, Report, Request};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::common::{Answer, Page, Server, TALES, failure, file, greedy, last, load, tokens};

const WEIGHTS: &str = "models/tales/model.safetensors";

/// Lets timers of half a second to 20 seconds run 50 times as fast.
pub fn hurry() {
    let script = "if (self.patient) return; self.patient = setTimeout;
        self.setTimeout = (job, time) => self.patient.call(self, job, time >= 500 && time < 20000 ? time / 50 : time);";
    Function::new_no_args(script).call0(&JsValue::NULL).unwrap();
}

fn stages(reports: &[(Report, Option<Vec<f32>>)]) -> Vec<Loading> {
    reports
        .iter()
        .filter_map(|(report, _)| if let Report::Loading(stage) = report { Some(*stage) } else { None })
        .collect()
}

fn attempts(reports: &[(Report, Option<Vec<f32>>)]) -> Vec<u32> {
    let attempt = |stage: Loading| if let Loading::Reconnecting { attempt, .. } = stage { Some(attempt) } else { None };
    stages(reports).into_iter().filter_map(attempt).collect()
}

#[wasm_bindgen_test]
async fn a_connection_that_breaks_is_taken_up_again_from_the_last_byte() {
    hurry();
    let server = Server::start();
    let page = Page::open();
    server.put(WEIGHTS, Answer::ok(file(WEIGHTS)).tagged("a").breaking(3_000_000, 2));
    page.ask(load(TALES));
    let reports = page.end().await;
    assert!(matches!(last(&reports), Report::Ready { .. }), "{:?}", last(&reports));
    assert_eq!(attempts(&reports), [1, 1]);
    let asked: Vec<String> = server.asked().into_iter().filter(|asked| asked.starts_with(WEIGHTS)).collect();
    let at = |start: u64| format!("{WEIGHTS}[{start}-]");
    assert_eq!(asked[1..], [at(65_536), at(3_065_536), at(6_065_536)]);
    page.ask(Request::Generate(greedy(1, "Once", 3)));
    assert_eq!(tokens(&page.end().await).len(), 3);
}

/// CASE 37, second half: all comes with 200 although a part was asked for.
#[wasm_bindgen_test]
async fn a_server_without_ranges_is_read_once_or_skipped_through_after_a_break() {
    hurry();
    let server = Server::start();
    let page = Page::open();
    let whole = Answer { ranges: false, ..Answer::ok(file(WEIGHTS)) };
    for (answer, connections) in [(whole.clone(), 1), (whole.breaking(5_000_000, 1), 2)] {
        server.put(WEIGHTS, answer);
        server.asked();
        page.ask(load(TALES));
        let reports = page.end().await;
        assert!(matches!(last(&reports), Report::Ready { .. }), "{:?}", last(&reports));
        assert_eq!(server.asked().iter().filter(|asked| asked.starts_with(WEIGHTS)).count(), connections);
        page.ask(Request::Generate(greedy(1, "Once upon a time", 3)));
        assert_eq!(tokens(&page.end().await).len(), 3);
    }
}

#[wasm_bindgen_test]
async fn a_connection_that_never_gets_on_is_given_up_after_five_attempts() {
    hurry();
    let server = Server::start();
    let page = Page::open();
    server.put(WEIGHTS, Answer::ok(file(WEIGHTS)).breaking(0, 100));
    page.ask(load(TALES));
    let reports = page.end().await;
    assert_eq!(attempts(&reports), [1, 2, 3, 4, 5]);
    let lost = failure(&reports);
    assert!(matches!(lost, Failure::ConnectionLost { received: 0, attempts: 5, kept: false, .. }), "{lost:?}");
}

#[wasm_bindgen_test]
async fn a_file_that_changes_meanwhile_is_fetched_from_its_start() {
    hurry();
    let server = Server::start();
    let page = Page::open();
    server.put(WEIGHTS, Answer::ok(file(WEIGHTS)).tagged("old").breaking(2_000_000, 1));
    page.ask(load(TALES));
    page.until(|report| matches!(report, Report::Loading(Loading::Reconnecting { .. }))).await;
    server.put(WEIGHTS, Answer::ok(file(WEIGHTS)).tagged("new"));
    let reports = page.end().await;
    assert!(matches!(last(&reports), Report::Ready { .. }), "{:?}", last(&reports));
    assert!(stages(&reports).iter().any(|stage| matches!(stage, Loading::StartingOver { dropped: 2_065_536, .. })));
}

#[wasm_bindgen_test]
async fn giving_up_is_answered_at_once_and_another_load_goes_on() {
    let server = Server::start();
    let page = Page::open();
    // An answer that would take ten minutes.
    server.put(WEIGHTS, Answer { milliseconds: 600_000, ..Answer::ok(file(WEIGHTS)) });
    page.ask(load(TALES));
    page.until(|report| matches!(report, Report::Loading(Loading::Tokenizer))).await;
    page.ask(Request::CancelLoading);
    page.until(|report| matches!(report, Report::Cancelled)).await;
    server.put(WEIGHTS, Answer::ok(file(WEIGHTS)));
    page.ask(load(TALES));
    let reports = page.end().await;
    assert!(!reports.iter().any(|(report, _)| *report == Report::Cancelled));
    let Report::Ready { model, .. } = last(&reports) else { panic!("{:?}", last(&reports)) };
    assert_eq!(model.keeping, Keeping::NotNeeded);
    // What is ready cannot be given up any more.
    page.ask(Request::CancelLoading);
    page.ask(Request::Generate(greedy(1, "Once", 1)));
    assert!(!page.end().await.iter().any(|(report, _)| *report == Report::Cancelled));
}

/// CASE 37, first half.
#[wasm_bindgen_test]
async fn another_host_that_permits_nothing_is_told_from_one_that_does_not_answer() {
    let server = Server::start();
    let page = Page::open();
    let folder = "https://models.test/tales/";
    let source = ModelSource::parse(folder).unwrap();
    let ask = || Request::Load { source: source.clone(), device: DevicePreference::Cpu, weights: None };
    let address = format!("{folder}config.json");
    server.put(&address, Answer::no_answer());
    page.ask(ask());
    assert_eq!(failure(&page.end().await), &Failure::Fetch { address: address.clone(), status: None });
    server.put(&address, Answer { hidden: true, ..Answer::ok(b"{}") });
    page.ask(ask());
    assert_eq!(failure(&page.end().await), &Failure::CrossOrigin { address });
}
