//! Texts at which a run ends, on the page.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use nucleus_decode::{Held, StopReason};
use nucleus_sampler::TokenId;
use nucleus_session::{
    BranchMsg, Control, Effect, GenerateRequest, Msg, OptionKey, PieceEnd, Refusal, Report, StepReport, sentence,
};
use support::{Page, logits};

/// ` a`, ` b`, ` c`, ...: see the made-up vocabulary.
const A: u32 = 1;
const B: u32 = 2;
const C: u32 = 3;

/// A run with these lines in the field of stop strings.
fn run(stop: &str) -> (Page, GenerateRequest) {
    let mut page = Page::ready("");
    page.type_in(Control::Prompt, "Once b c");
    page.tell(Msg::TypedOption { key: OptionKey::Stop, text: stop.into() });
    page.take();
    page.tell(Msg::Generate);
    let request = page.generated();
    page.steps(&request, 0);
    (page, request)
}

fn tokens(page: &mut Page, request: &GenerateRequest, tokens: &[u32]) {
    for &token in tokens {
        let index = page.session.run().unwrap().steps().len();
        let step = StepReport { token: TokenId(token), ..support::honest_step(request, index) };
        let report = Report::Step { run: request.run, step };
        page.tell(Msg::Reported { report, logits: Some(logits(index)), at_ms: 0.0 });
    }
}

fn finish(page: &mut Page, request: &GenerateRequest, reason: StopReason) {
    page.report(Report::Finished {
        run: request.run,
        reason,
        log_probabilities_of_prompt: None,
        prefill_ms: 1.0,
        decode_ms: 1.0,
    });
}

fn pieces(page: &Page) -> Vec<(&str, PieceEnd)> {
    page.session.run().unwrap().pieces().iter().map(|piece| (piece.text.as_str(), piece.end)).collect()
}

#[test]
fn the_lines_of_the_field_go_to_the_engine_in_their_order() {
    let (_, request) = run("The end\n\\n\\n\n b c");
    assert_eq!(request.stop.texts(), ["The end", "\n\n", " b c"]);
}

#[test]
fn nothing_of_a_stop_string_that_spans_tokens_is_ever_shown() {
    let (mut page, request) = run(" b c");
    tokens(&mut page, &request, &[A, B]);
    assert_eq!(page.text(), " a");
    let (held, pending) = page.session.run().unwrap().held().unwrap();
    assert_eq!((held, pending), (Held::StopString { index: 0, matched: 2 }, &b" b"[..]));

    tokens(&mut page, &request, &[C]);
    assert_eq!(page.text(), " a");
    assert_eq!(page.session.run().unwrap().held(), None);
    finish(&mut page, &request, StopReason::StopString { index: 0 });
    assert_eq!(page.text(), " a");
    assert_eq!(pieces(&page), [(" a", PieceEnd::Whole), ("", PieceEnd::Stopped), ("", PieceEnd::Stopped)]);
    assert_eq!(page.tokens().len(), 3, "the tokens are there, and can be looked at");
    page.tell(Msg::FocusStep(2));
    assert_eq!(page.session.focus().unwrap().drawn, TokenId(C));
    assert!(sentence::run(page.session.run().unwrap()).contains("ends before \u{201c} b c\u{201d}"));
}

#[test]
fn what_turns_out_not_to_be_one_is_shown_then() {
    let (mut page, request) = run(" b c");
    tokens(&mut page, &request, &[B]);
    assert_eq!(pieces(&page), [("", PieceEnd::Held)]);
    tokens(&mut page, &request, &[A]);
    // The space of ` a` may start a stop string too, but its letter decides that at once.
    assert_eq!(pieces(&page), [(" b", PieceEnd::Whole), (" a", PieceEnd::Whole)]);
}

#[test]
fn what_is_held_back_when_the_tokens_are_used_up_is_text() {
    let (mut page, request) = run(" b c");
    tokens(&mut page, &request, &[A, B]);
    finish(&mut page, &request, StopReason::TokenLimit);
    assert_eq!(page.text(), " a b");
    assert_eq!(page.session.run().unwrap().held(), None);
    assert_eq!(pieces(&page)[1], (" b", PieceEnd::Whole));
}

#[test]
fn the_text_is_cut_at_the_first_occurrence_and_within_a_token() {
    let (mut page, request) = run("c");
    tokens(&mut page, &request, &[A, C]);
    finish(&mut page, &request, StopReason::StopString { index: 0 });
    assert_eq!(pieces(&page), [(" a", PieceEnd::Whole), (" ", PieceEnd::Stopped)]);
}

#[test]
fn a_link_reproduces_the_run_with_its_stop_strings() {
    let (mut page, request) = run(" b c\n\\n\\n");
    tokens(&mut page, &request, &[A]);
    finish(&mut page, &request, StopReason::TokenLimit);
    let mut again = Page::open(page.address().unwrap());
    again.engine_is_ready();
    let linked = again.generated();
    assert_eq!(GenerateRequest { run: request.run, ..linked }, request);
}

#[test]
fn stop_strings_that_will_not_do_are_refused_at_their_field() {
    for (lines, what) in
        [("a\\x".to_owned(), "\\x means nothing"), ("a\n".repeat(17), "17 stop strings, but at most 16")]
    {
        let mut page = Page::ready("");
        page.type_in(Control::Prompt, "Once");
        page.tell(Msg::TypedOption { key: OptionKey::Stop, text: lines });
        assert!(page.session.option_error(OptionKey::Stop).unwrap().message.contains(what));
        page.take();
        page.tell(Msg::Generate);
        assert!(matches!(page.session.refusal(), Some(Refusal::Option(error)) if error.key == OptionKey::Stop));
        assert!(!page.asks_to_generate() && page.take().contains(&Effect::FocusOption(OptionKey::Stop)));
    }
}

fn choose(page: &mut Page, key: OptionKey, text: &str) {
    page.tell(Msg::TypedOption { key, text: text.into() });
}

/// An output of a form is always whole, which no stop string can promise.
#[test]
fn stop_strings_are_refused_beside_an_output_that_must_have_a_form() {
    for form in ["json", "regex"] {
        let mut page = Page::ready("");
        page.type_in(Control::Prompt, "Once");
        choose(&mut page, OptionKey::Stop, "\n\\n\n");
        choose(&mut page, OptionKey::Output, form);
        page.take();
        page.tell(Msg::Generate);
        assert!(!page.asks_to_generate() && page.take().contains(&Effect::FocusOption(OptionKey::Stop)));
        let said = page.session.refusal().unwrap().to_string();
        assert!(
            said.contains("Stop strings") && said.contains("leave this field empty, or choose free text"),
            "{said}"
        );
        assert!(page.session.option_error(OptionKey::Stop).is_some());

        choose(&mut page, OptionKey::Schema, "{}");
        assert!(page.session.refusal().is_some(), "that is not what stands in the way");
        choose(&mut page, OptionKey::Output, "text");
        assert_eq!(page.session.refusal(), None, "either field can be changed");
        page.tell(Msg::Generate);
        assert_eq!(page.generated().stop.texts(), ["\n"]);
    }
}

#[test]
fn lines_that_are_empty_stand_in_the_way_of_no_form() {
    let mut page = Page::ready("?prompt=Once&output=json&stop=%0A");
    let request = page.generated();
    assert!(request.stop.is_empty() && request.constraint.is_some());
}

#[test]
fn a_link_with_both_starts_nothing() {
    let mut page = Page::ready("?prompt=Once&output=regex&stop=a");
    assert!(!page.asks_to_generate());
    assert!(matches!(page.session.refusal(), Some(Refusal::Option(error)) if error.key == OptionKey::Stop));
    choose(&mut page, OptionKey::Stop, "");
    page.tell(Msg::Generate);
    assert!(page.generated().constraint.is_some());
}

/// A text that was stopped is not written on under a form.
#[test]
fn a_form_is_refused_for_the_rest_of_a_text_with_stop_strings() {
    let (mut page, request) = run("zz");
    tokens(&mut page, &request, &[A]);
    finish(&mut page, &request, StopReason::User);
    choose(&mut page, OptionKey::Output, "json");
    page.take();
    page.tell(Msg::Branch(BranchMsg::WriteOn));
    assert!(!page.asks_to_generate() && page.session.refusal().is_some());
}
