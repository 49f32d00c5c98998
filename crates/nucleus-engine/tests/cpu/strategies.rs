//! Strategies beside the sampled run, through the protocol.

use nucleus_decode::{SlotStep, StopReason};
use nucleus_sampler::{Settings, Temperature, TokenId};
use nucleus_session::{DecodeRequest, Failure, Progress, Report, Request, RunId, SlotRequest, Strategy};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::common::{Page, Server, TALES, Told, failure, file, greedy, last, load, tokens};

const PROMPTS: [&str; 3] = ["Once upon a time", "Tom", "The little dog ran"];

async fn page() -> Page {
    Server::start();
    Page::ready(load(TALES)).await
}

/// Greedy, 10 tokens.
fn work(run: u32, strategy: Strategy) -> DecodeRequest {
    let settings = Settings { temperature: Temperature::ZERO, ..Settings::default() };
    DecodeRequest { run: RunId(run), strategy, special_tokens: false, settings, seed: 7, new_tokens: 10 }
}

fn batch() -> Strategy {
    Strategy::Batch { prompts: PROMPTS.map(str::to_owned).to_vec() }
}

/// What was told of a strategy, which must have ended well.
async fn done(page: &Page) -> (Vec<Progress>, bool) {
    let over = |report: &Report| matches!(report, Report::Done { .. } | Report::Failed { .. });
    let reports = page.until(over).await;
    let Report::Done { stopped, .. } = last(&reports) else { panic!("{:?}", last(&reports)) };
    let progress = |(report, _): &Told| match report {
        Report::Progress { progress, .. } => Some(progress.clone()),
        _ => None,
    };
    (reports.iter().filter_map(progress).collect(), *stopped)
}

/// The greedy text of a prompt alone.
async fn alone(page: &Page, run: u32, prompt: &str, new_tokens: u32) -> Vec<TokenId> {
    page.ask(Request::Generate(greedy(run, prompt, new_tokens)));
    tokens(&page.end().await)
}

#[wasm_bindgen_test]
async fn every_row_of_a_batch_has_the_text_of_its_prompt_alone() {
    let page = page().await;
    page.ask(Request::Decode(work(1, batch())));
    let (told, stopped) = done(&page).await;
    assert!(!stopped && matches!(&told[0], Progress::Prompts(prompts) if prompts.len() == 3));
    assert!(told.contains(&Progress::Ended(vec![StopReason::TokenLimit; 3])));
    assert!(
        matches!(told.last(), Some(Progress::Took { together_ms, alone_ms: Some(alone_ms) }) if *together_ms > 0.0 && *alone_ms > 0.0)
    );
    for (row, prompt) in PROMPTS.iter().enumerate() {
        let token = |progress: &Progress| match progress {
            Progress::Batch(step) => Some(step.rows[row].token()),
            _ => None,
        };
        let text: Vec<TokenId> = told.iter().filter_map(token).collect();
        assert!(told.contains(&Progress::Alone { row, tokens: text.clone() }), "{prompt}");
        assert_eq!(text, alone(&page, 2 + row as u32, prompt, 10).await, "{prompt}");
    }
}

#[wasm_bindgen_test]
async fn requests_in_slots_have_their_texts_alone() {
    let page = page().await;
    let requests = PROMPTS.iter().zip([4, 9, 6]).enumerate().map(|(i, (prompt, new_tokens))| SlotRequest {
        arrives_at: i,
        new_tokens,
        prompt: (*prompt).to_owned(),
    });
    page.ask(Request::Decode(work(1, Strategy::Slots { slots: 2, requests: requests.collect() })));
    let (told, _) = done(&page).await;
    let mut texts = vec![Vec::new(); PROMPTS.len()];
    for progress in &told {
        let Progress::Slots(step) = progress else { continue };
        for (request, token) in step.slots.iter().filter_map(|slot: &SlotStep| slot.request().zip(slot.token())) {
            texts[request].push(token.token);
        }
    }
    for (i, (prompt, new_tokens)) in PROMPTS.iter().zip([4, 9, 6]).enumerate() {
        assert_eq!(texts[i], alone(&page, 2 + i as u32, prompt, new_tokens).await, "{prompt}");
    }
}

#[wasm_bindgen_test]
async fn beams_find_what_transformers_finds() {
    let page = page().await;
    let reference: serde_json::Value = serde_json::from_slice(file("models/tales/reference.json")).unwrap();
    let beams = reference["beams"].as_array().unwrap();
    // The end of text of the model's own, and alpha 0, for which the default of transformers is exact too.
    let own = |beam: &&serde_json::Value| beam["eos"] == reference["pad"] && beam["length_penalty"] == 0.0;
    for (run, expected) in beams.iter().filter(own).enumerate() {
        let strategy = Strategy::Beam {
            prompt: PROMPTS[0].into(),
            width: expected["width"].as_u64().unwrap() as usize,
            length_penalty: 0.0,
            results: expected["sequences"].as_array().unwrap().len(),
        };
        page.ask(Request::Decode(DecodeRequest { new_tokens: 12, ..work(run as u32 + 1, strategy) }));
        let (told, _) = done(&page).await;
        let Some(Progress::Found { results, .. }) = told.last() else { panic!("{:?}", told.last()) };
        let found: Vec<Vec<u32>> = results.iter().map(|found| found.tokens.iter().map(|id| id.0).collect()).collect();
        assert_eq!(serde_json::to_value(&found).unwrap(), expected["sequences"]);
    }
}

#[wasm_bindgen_test]
async fn a_sample_does_not_depend_on_how_many_there_are() {
    let page = page().await;
    let mut texts = Vec::new();
    for (run, samples) in [(1, 2), (2, 4)] {
        let strategy = Strategy::Vote { prompt: PROMPTS[0].into(), samples };
        page.ask(Request::Decode(DecodeRequest { settings: Settings::default(), ..work(run, strategy) }));
        let (told, _) = done(&page).await;
        let mut of_run = vec![Vec::new(); samples];
        for progress in &told {
            if let Progress::Sampled { sample, token, .. } = progress {
                of_run[*sample as usize].push(*token);
            }
        }
        texts.push(of_run);
    }
    assert_eq!(texts[0], texts[1][..2]);
    assert_ne!(texts[1][0], texts[1][1]);
}

#[wasm_bindgen_test]
async fn stop_ends_a_strategy_and_the_engine_works_on() {
    let page = page().await;
    let third =
        |report: &Report| matches!(report, Report::Progress { progress: Progress::Batch(step), .. } if step.index == 2);
    page.ask_when(third, Request::Stop { run: RunId(1) });
    page.ask(Request::Decode(DecodeRequest { new_tokens: 100, ..work(1, batch()) }));
    let (told, stopped) = done(&page).await;
    assert!(stopped);
    assert_eq!(told.iter().filter(|told| matches!(told, Progress::Batch(_))).count(), 3);
    assert_eq!(alone(&page, 2, PROMPTS[0], 3).await.len(), 3);
}

#[wasm_bindgen_test]
async fn an_empty_prompt_among_others_is_refused() {
    let page = page().await;
    page.ask(Request::Decode(work(1, Strategy::Batch { prompts: vec!["Tom".into(), String::new()] })));
    assert_eq!(failure(&page.end().await), &Failure::EmptyPrompt);
}

#[wasm_bindgen_test]
async fn a_prompt_that_leaves_no_room_is_refused_where_no_window_slides() {
    let page = page().await;
    let long = "a ".repeat(300);
    let beam = Strategy::Beam { prompt: long.clone(), width: 2, length_penalty: 0.0, results: 1 };
    let request = |prompt: &str| SlotRequest { arrives_at: 0, new_tokens: 2, prompt: prompt.to_owned() };
    let slots = Strategy::Slots { slots: 2, requests: vec![request("Tom"), request(&long)] };
    for (run, strategy, which) in [(1, beam, "prompt 1 has"), (2, slots, "prompt 2 has")] {
        page.ask(Request::Decode(work(run, strategy)));
        let told = page.end().await;
        let said = failure(&told).to_string();
        assert!(said.contains(which) && said.contains("shorten it"), "{said}");
    }
}
