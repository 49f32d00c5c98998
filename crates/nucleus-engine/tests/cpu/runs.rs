//! Generating, as the page sees it.

use nucleus_decode::{Script, StopReason, StopStrings};
use nucleus_sampler::{Settings, TokenId};
use nucleus_session::{ConstraintSource, Failure, GenerateRequest, Report, Request, RunId};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::common::{Page, Server, TALES, Told, failure, file, greedy, last, load, tokens};

fn sampled(run: u32, seed: u64) -> GenerateRequest {
    GenerateRequest { seed, settings: Settings::default(), ..greedy(run, "The king", 40) }
}

async fn page_with_tales() -> Page {
    Server::start();
    Page::ready(load(TALES)).await
}

#[wasm_bindgen_test]
async fn a_greedy_run_is_that_of_the_reference_with_logits_at_each_step() {
    let reference: serde_json::Value = serde_json::from_slice(file("models/tales/reference.json")).unwrap();
    let known = |key: &str| -> Vec<TokenId> {
        reference["prompts"][0][key].as_array().unwrap().iter().map(|id| TokenId(id.as_u64().unwrap() as u32)).collect()
    };
    let page = page_with_tales().await;
    page.ask(Request::Generate(greedy(1, "Once upon a time", 30)));
    let reports = page.end().await;
    assert_eq!(reports[0].0, Report::Started { run: RunId(1), prompt: known("ids"), window_start: 0 });
    assert_eq!(tokens(&reports), known("greedy"));
    for (report, logits) in &reports[1..31] {
        let Report::Step { run, step } = report else { panic!("{report:?}") };
        let logits = logits.as_ref().unwrap();
        assert_eq!((*run, logits.len(), step.nucleus_size, step.probability), (RunId(1), 4096, 1, 1.0));
        let top = logits.iter().copied().fold(f32::MIN, f32::max);
        assert_eq!(logits[step.token.index()], top);
    }
    let Report::Finished { log_probabilities_of_prompt: Some(scores), prefill_ms, decode_ms, .. } = last(&reports)
    else {
        panic!("{:?}", last(&reports))
    };
    let nll = reference["prompts"][0]["nll"].as_array().unwrap();
    assert_eq!(scores.len(), nll.len());
    assert!(scores.iter().zip(nll).all(|(score, nll)| (score + nll.as_f64().unwrap()).abs() < 2e-4));
    assert!(*prefill_ms > 0.0 && *decode_ms > 0.0);
}

#[wasm_bindgen_test]
async fn a_seed_gives_its_text_again_and_another_seed_another() {
    let page = page_with_tales().await;
    let mut texts = Vec::new();
    for (run, seed) in [(1, 7), (2, 7), (3, 8)] {
        page.ask(Request::Generate(sampled(run, seed)));
        texts.push(tokens(&page.end().await));
    }
    assert_eq!(texts[0].len(), 40);
    assert_eq!(texts[0], texts[1]);
    assert_ne!(texts[0], texts[2]);
}

#[wasm_bindgen_test]
async fn stop_takes_effect_within_one_token() {
    let page = page_with_tales().await;
    let fifth = |report: &Report| matches!(report, Report::Step { step, .. } if step.index == 4);
    page.ask_when(fifth, Request::Stop { run: RunId(1) });
    page.ask(Request::Generate(greedy(1, "Once upon a time", 200)));
    let reports = page.end().await;
    assert!(matches!(last(&reports), Report::Finished { reason: StopReason::User, .. }), "{:?}", last(&reports));
    assert_eq!(tokens(&reports).len(), 5);
}

#[wasm_bindgen_test]
async fn a_new_run_ends_the_old_one_and_a_stop_for_a_run_that_is_over_does_nothing() {
    let page = page_with_tales().await;
    page.ask(Request::Generate(greedy(1, "Once upon a time", 200)));
    page.until(|report| matches!(report, Report::Step { .. })).await;
    page.ask(Request::Generate(greedy(2, "Once upon a time", 3)));
    let old = page.end().await;
    assert!(matches!(last(&old), Report::Finished { run: RunId(1), reason: StopReason::User, .. }));
    page.ask(Request::Stop { run: RunId(1) });
    let new = page.end().await;
    assert!(matches!(last(&new), Report::Finished { run: RunId(2), reason: StopReason::TokenLimit, .. }));
    assert_eq!(tokens(&new).len(), 3);
}

#[wasm_bindgen_test]
async fn a_run_stopped_before_it_began_has_no_tokens() {
    let page = page_with_tales().await;
    page.ask(Request::Generate(greedy(1, "Once upon a time", 200)));
    page.ask(Request::Stop { run: RunId(1) });
    let reports = page.end().await;
    assert!(matches!(last(&reports), Report::Finished { reason: StopReason::User, .. }));
    assert_eq!(tokens(&reports), []);
}

#[wasm_bindgen_test]
async fn what_cannot_be_generated_is_refused_and_the_next_run_works() {
    Server::start();
    let page = Page::open();
    page.ask(Request::Generate(greedy(1, "Once", 3)));
    let reports = page.end().await;
    assert_eq!(last(&reports), &Report::Failed { run: Some(RunId(1)), failure: Failure::NoModel });
    page.ask(load(TALES));
    page.end().await;
    page.ask(Request::Generate(greedy(2, "", 3)));
    assert_eq!(failure(&page.end().await), &Failure::EmptyPrompt);
    page.ask(Request::Generate(greedy(3, "Once", 3)));
    assert_eq!(tokens(&page.end().await).len(), 3);
}

/// CASE 18: the letters of the special token are letters, unless the page says otherwise.
#[wasm_bindgen_test]
async fn end_of_text_in_the_prompt_is_its_letters_or_the_token_as_asked() {
    let page = page_with_tales().await;
    let mut prompts = Vec::new();
    for special_tokens in [false, true] {
        page.ask(Request::Generate(GenerateRequest { special_tokens, ..greedy(1, "<|endoftext|>", 1) }));
        let reports = page.end().await;
        let Report::Started { prompt, .. } = &reports[0].0 else { panic!("{:?}", reports[0].0) };
        prompts.push(prompt.clone());
    }
    assert!(prompts[0].len() > 1 && !prompts[0].contains(&TokenId(0)));
    assert_eq!(prompts[1], [TokenId(0)]);
}

/// CASE 21: a prompt longer than the context, and a text that grows past it.
#[wasm_bindgen_test]
async fn past_the_context_the_window_slides_and_says_so() {
    let page = page_with_tales().await;
    page.ask(Request::Generate(greedy(1, &" king".repeat(257), 2)));
    let reports = page.end().await;
    assert!(matches!(&reports[0].0, Report::Started { prompt, window_start: 1, .. } if prompt.len() == 257));
    assert!(matches!(last(&reports), Report::Finished { log_probabilities_of_prompt: None, .. }));
    page.ask(Request::Generate(greedy(2, &" king".repeat(252), 10)));
    let reports = page.end().await;
    let starts: Vec<usize> = reports
        .iter()
        .filter_map(|(report, _)| if let Report::Step { step, .. } = report { Some(step.window_start) } else { None })
        .collect();
    assert_eq!(starts, [0, 0, 0, 0, 0, 1, 2, 3, 4, 5]);
}

#[wasm_bindgen_test]
async fn a_stop_string_ends_the_run_with_the_token_that_completes_it() {
    let page = page_with_tales().await;
    page.ask(Request::Generate(greedy(1, "Once upon a time", 30)));
    let free = tokens(&page.end().await);
    let stop = StopStrings::new(vec!["nowhere".into(), " many miles".into()]).unwrap();
    page.ask(Request::Generate(GenerateRequest { stop, ..greedy(2, "Once upon a time", 30) }));
    let reports = page.end().await;
    let Report::Finished { reason, .. } = last(&reports) else { panic!("{:?}", last(&reports)) };
    assert_eq!(*reason, StopReason::StopString { index: 1 });
    let cut = tokens(&reports);
    assert!(cut.len() < free.len() && free.starts_with(&cut), "{} of {}", cut.len(), free.len());
}

/// Text and logits, to the bit: tokens that are given are read one by one, as they were when they were drawn.
#[wasm_bindgen_test]
async fn a_run_goes_on_from_its_own_tokens_as_it_went() {
    let page = page_with_tales().await;
    page.ask(Request::Generate(sampled(1, 7)));
    let whole = page.end().await;
    let given = tokens(&whole)[..9].to_vec();
    let script = Script { given, ..Script::default() };
    page.ask(Request::Generate(GenerateRequest { script, ..sampled(2, 7) }));
    let rest = page.end().await;
    assert_eq!(tokens(&rest), tokens(&whole)[9..]);
    let logits = |reports: &[Told]| reports.iter().filter_map(|(_, logits)| logits.clone()).collect::<Vec<_>>();
    assert!(logits(&rest) == logits(&whole)[9..]);
}

/// Settings may change between the tokens that are given and those to come.
#[wasm_bindgen_test]
async fn a_stop_string_in_what_is_given_ends_the_run_with_no_new_token() {
    let page = page_with_tales().await;
    page.ask(Request::Generate(greedy(1, "Once upon a time", 30)));
    let given = tokens(&page.end().await);
    let script = Script { given, ..Script::default() };
    let stop = StopStrings::new(vec![" many miles".into()]).unwrap();
    page.ask(Request::Generate(GenerateRequest { script, stop, ..greedy(2, "Once upon a time", 40) }));
    let reports = page.end().await;
    assert!(matches!(last(&reports), Report::Finished { reason: StopReason::StopString { index: 0 }, .. }));
    assert!(tokens(&reports).is_empty());
}

#[wasm_bindgen_test]
async fn a_constrained_text_is_what_the_schema_says() {
    let page = page_with_tales().await;
    let schema = r#"{"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}"#;
    let constraint = Some(ConstraintSource::JsonSchema(schema.into()));
    page.ask(Request::Generate(GenerateRequest { constraint, ..sampled(1, 7) }));
    let reports = page.end().await;
    assert!(matches!(last(&reports), Report::Finished { reason: StopReason::Closed, .. }), "{:?}", last(&reports));
    let constrained = reports.iter().filter(|(report, _)| matches!(report, Report::Constrained { .. })).count();
    assert_eq!(constrained, tokens(&reports).len());
    let wrong = Some(ConstraintSource::Regex("(".into()));
    page.ask(Request::Generate(GenerateRequest { constraint: wrong, ..sampled(2, 7) }));
    assert!(matches!(failure(&page.end().await), Failure::Constraint { .. }));
}
