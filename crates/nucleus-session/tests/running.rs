//! A run from Generate to its end.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use std::rc::Rc;

use nucleus_decode::StopReason;
use nucleus_sampler::{TokenId, perplexity};
use nucleus_session::{
    Control, Effect, EngineState, Failure, GenerateRequest, Msg, PerplexityOf, PieceEnd, Report, Request, RunState,
    Source, StepReport, sentence,
};
use support::{END_OF_TEXT, Page, honest_step, logits};

#[test]
fn generate_sends_what_is_on_the_page_and_the_text_grows() {
    let (mut page, request) = Page::running();
    assert_eq!(request.prompt, "Once");
    assert_eq!(request.settings, page.session.controls().settings());
    let run = page.session.run().unwrap();
    assert_eq!((&run.source, &run.state), (&Source::Live(request.run), &RunState::Reading));
    assert!(page.session.can_stop() && !page.session.can_generate());

    page.steps(&request, 3);
    let expected: Vec<TokenId> = (0..3).map(|index| honest_step(&request, index).token).collect();
    assert_eq!(page.tokens(), expected);
    let run = page.session.run().unwrap();
    assert_eq!((&run.state, run.prompt.len()), (&RunState::Writing, 1));
    assert_eq!(page.session.focus_index(), Some(2), "the focus goes along");

    page.finish(request.run);
    assert_eq!(page.session.run().unwrap().state, RunState::Finished(StopReason::TokenLimit));
    assert_eq!(page.session.engine().state, EngineState::Ready);
    assert!(page.session.can_generate());
}

#[test]
fn generate_pressed_too_early_is_remembered_and_said() {
    let mut page = Page::open("");
    page.type_in(Control::Prompt, "Once");
    page.tell(Msg::Generate);
    assert!(!page.asks_to_generate());
    assert!(page.session.is_queued());
    let status = sentence::engine(page.session.engine(), page.session.is_queued());
    assert!(status.ends_with("Writing starts as soon as the model is ready."), "{status}");

    page.type_in(Control::Prompt, "Once upon");
    page.engine_is_ready();
    assert_eq!(page.generated().prompt, "Once upon", "with what is on the page by then");
    assert!(!page.session.is_queued());
}

#[test]
fn stop_takes_back_a_generate_that_waits() {
    let mut page = Page::open("?prompt=Once");
    page.tell(Msg::Stop);
    page.engine_is_ready();
    assert!(!page.asks_to_generate());
}

#[test]
fn a_control_that_has_become_bad_keeps_the_waiting_run_from_starting() {
    let mut page = Page::open("?prompt=Once");
    page.type_in(Control::TopP, "7");
    page.engine_is_ready();
    assert!(!page.asks_to_generate());
    assert_eq!(page.session.refusal().unwrap().control(), Some(Control::TopP));
}

#[test]
fn nothing_is_shown_after_stop() {
    let (mut page, request) = Page::running();
    page.steps(&request, 2);
    page.take();
    page.tell(Msg::Stop);
    assert!(page.effects.contains(&Effect::Send(Request::Stop { run: request.run })));
    assert_eq!(page.session.run().unwrap().state, RunState::Stopping);
    page.step(&request, 2);
    assert_eq!(page.tokens().len(), 2, "a token that was on its way is not shown");

    page.take();
    page.tell(Msg::Stop);
    assert!(!page.effects.iter().any(|effect| matches!(effect, Effect::Send(_))), "asked once");
    page.finish(request.run);
    assert_eq!(page.session.run().unwrap().state, RunState::Finished(StopReason::User));
}

#[test]
fn generate_pressed_while_stopping_starts_when_the_old_run_is_over() {
    let (mut page, old) = Page::running();
    page.steps(&old, 1);
    page.tell(Msg::Stop);
    page.take();
    page.tell(Msg::Generate);
    assert!(!page.asks_to_generate());
    page.finish(old.run);
    let new = page.generated();
    assert_ne!(new.run, old.run);

    page.steps(&new, 1);
    page.step(&old, 1);
    page.report(Report::Started { run: old.run, prompt: vec![TokenId(9)], window_start: 0 });
    page.finish(old.run);
    page.report(Report::Failed { run: Some(old.run), failure: Failure::EmptyPrompt });
    assert_eq!(page.tokens().len(), 1, "what an old run still says is not heard");
    assert_eq!(page.session.run().unwrap().state, RunState::Writing);
    assert_eq!(page.session.engine().running(), Some(new.run));
}

#[test]
fn generate_while_a_run_goes_on_does_nothing() {
    let (mut page, _) = Page::running();
    page.tell(Msg::Generate);
    assert!(!page.asks_to_generate() && !page.session.is_queued());
}

#[test]
fn a_run_that_fails_leaves_the_engine_ready() {
    let (mut page, request) = Page::running();
    page.report(Report::Failed { run: Some(request.run), failure: Failure::EmptyPrompt });
    assert_eq!(page.session.run().unwrap().state, RunState::Failed(Failure::EmptyPrompt));
    assert_eq!(page.session.engine().state, EngineState::Ready);
}

fn forced(request: &GenerateRequest, index: usize, token: u32) -> Msg {
    let step = StepReport { token: TokenId(token), ..honest_step(request, index) };
    let report = Report::Step { run: request.run, step };
    Msg::Reported { report, logits: Some(logits(index)), at_ms: 0.0 }
}

fn texts(page: &Page) -> Vec<(&str, PieceEnd)> {
    let pieces = page.session.run().unwrap().pieces();
    pieces.iter().map(|piece| (piece.text.as_str(), piece.end)).collect()
}

/// CASE 15: a character split over tokens appears with the token that completes it.
#[test]
fn a_split_character_is_held_back_until_it_is_whole() {
    let (mut page, request) = Page::running();
    for (index, token) in [1, 12, 13, 14, 15, 2].into_iter().enumerate() {
        page.tell(forced(&request, index, token));
    }
    let (whole, partial) = (PieceEnd::Whole, PieceEnd::Partial);
    let expected = [(" a", whole), ("", partial), ("", partial), ("", partial), ("\u{1F409}", whole), (" b", whole)];
    assert_eq!(texts(&page), expected);
}

/// CASE 15: a limit that ends inside a character shows the cut bytes.
#[test]
fn a_character_that_the_run_ends_in_is_shown_as_bytes() {
    let (mut page, request) = Page::running();
    for (index, token) in [1, 12, 13].into_iter().enumerate() {
        page.tell(forced(&request, index, token));
    }
    page.finish(request.run);
    let cut = ("\u{27e8}F0 9F\u{27e9}", PieceEnd::Cut);
    assert_eq!(texts(&page), [(" a", PieceEnd::Whole), ("", PieceEnd::Partial), cut]);
}

#[test]
fn the_end_of_text_token_brings_no_characters() {
    let (mut page, request) = Page::running();
    page.tell(forced(&request, 0, 1));
    page.tell(forced(&request, 1, 12));
    page.tell(forced(&request, 2, END_OF_TEXT.0));
    let cut = ("\u{27e8}F0\u{27e9}", PieceEnd::Cut);
    assert_eq!(texts(&page), [(" a", PieceEnd::Whole), cut, ("", PieceEnd::EndOfText)]);
}

/// CASE 16: what is sent is the prompt as typed, byte for byte, and never what is shown.
#[test]
fn a_prompt_is_sent_byte_for_byte() {
    let prompt = "a\u{2423}b\n\tc \u{1F409}\r\n\u{0}";
    let mut page = Page::ready("");
    page.type_in(Control::Prompt, prompt);
    page.take();
    page.tell(Msg::Generate);
    assert_eq!(page.generated().prompt, prompt);
}

#[test]
fn a_step_without_its_logits_is_a_fault_and_not_shown() {
    for (index, beside) in [(0, None), (0, Some(vec![0.0; 3])), (1, Some(logits(1)))] {
        let (mut page, request) = Page::running();
        let report = Report::Step { run: request.run, step: honest_step(&request, index) };
        page.tell(Msg::Reported { report, logits: beside, at_ms: 0.0 });
        assert!(page.tokens().is_empty());
        let state = &page.session.engine().state;
        assert!(matches!(state, EngineState::Failed(Failure::Protocol { .. })), "{state:?}");
    }
}

#[test]
fn speed_is_that_of_the_tokens_after_the_first() {
    let (mut page, request) = Page::running();
    assert_eq!(page.session.run().unwrap().first_token_ms(), None);
    page.steps(&request, 1);
    assert_eq!(page.session.run().unwrap().tokens_per_second(), None);
    page.step(&request, 1);
    page.step(&request, 2);
    let run = page.session.run().unwrap();
    // The first token comes after 10 ms, then one every 2 ms.
    assert_eq!((run.first_token_ms(), run.tokens_per_second()), (Some(10.0), Some(500.0)));
    assert_eq!(sentence::speed(run).unwrap(), "First token after 10 ms, then 500 tokens/s.");
}

#[test]
fn perplexity_is_of_prompt_and_text_once_the_prompt_is_known() {
    let (mut page, request) = Page::running();
    assert_eq!(page.session.run().unwrap().perplexity(), None);
    page.steps(&request, 3);
    let mut all: Vec<f64> = (0..3).map(|i| honest_step(&request, i).log_probability).collect();
    let alone = page.session.run().unwrap().perplexity().unwrap();
    assert_eq!((alone.of, alone.tokens), (PerplexityOf::TextAlone, 3));
    assert_eq!(alone.value, perplexity(&all).unwrap());

    page.report(Report::Finished {
        run: request.run,
        reason: StopReason::TokenLimit,
        log_probabilities_of_prompt: Some(vec![-1.5, -0.25]),
        prefill_ms: 1.0,
        decode_ms: 1.0,
    });
    all.splice(0..0, [-1.5, -0.25]);
    let whole = page.session.run().unwrap().perplexity().unwrap();
    assert_eq!((whole.of, whole.tokens), (PerplexityOf::PromptAndText, 5));
    assert_eq!(whole.value, perplexity(&all).unwrap());
    assert!(sentence::perplexity(whole).contains("the first is left out"));
}

/// CASE 21: past the context the page says what the model no longer saw.
#[test]
fn tokens_that_the_model_did_not_see_are_said() {
    let (mut page, request) = Page::running();
    let step = StepReport { window_start: 3, ..honest_step(&request, 0) };
    let report = Report::Step { run: request.run, step };
    page.tell(Msg::Reported { report, logits: Some(logits(0)), at_ms: 0.0 });
    let missed = page.session.run().unwrap().window_start(0);
    assert!(sentence::window(missed).unwrap().contains("oldest 3 tokens"));
    assert_eq!(sentence::window(0), None);
}

/// CASE 34, the page's side: fifty runs leave the logits of one.
#[test]
fn of_runs_that_are_over_nothing_stays() {
    let (mut page, mut request) = Page::running();
    let mut earlier = Vec::new();
    for _ in 0..50 {
        page.steps(&request, 8);
        page.finish(request.run);
        while page.session.recompute_some(usize::MAX) {}
        assert!(page.session.focus().is_some());
        earlier.extend(page.session.run().unwrap().steps().iter().map(|step| Rc::downgrade(&step.logits)));
        page.take();
        page.tell(Msg::Generate);
        request = page.generated();
    }
    assert_eq!(earlier.len(), 50 * 8);
    let left = || earlier.iter().filter(|logits| logits.upgrade().is_some()).count();
    assert_eq!(left(), 8, "the last, until the one that stands in its place has a token");
    page.steps(&request, 1);
    assert_eq!(left(), 0);
}
