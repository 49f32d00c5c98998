use nucleus_decode::{LanguageModel, Outcome, PastContext, Plan, StopReason};
use nucleus_sampler::TokenId;

use crate::canned::{Call, Canned, ids, mixed, only, plan, run, run_until, tokens};

const END: TokenId = TokenId(7);

/// Draws 1, 2, 3, .. after a prompt of two ids, and `END` as the token after 3.
fn counting() -> Canned {
    Canned::new(64, |window| only(if window.len() == 5 { END.0 } else { window.len() as u32 - 1 }))
}

#[test]
fn the_end_of_text_token_is_in_the_tokens_but_is_not_fed_back() {
    let mut model = counting();
    let plan = Plan { end_of_text: Some(END), max_new_tokens: 50, ..plan(&[0, 0]) };
    let (steps, outcome) = run(&mut model, &plan);
    let outcome = outcome.unwrap();
    assert_eq!(outcome.reason, StopReason::EndOfText);
    assert_eq!(outcome.tokens, [ids(&[1, 2, 3]), vec![END]].concat());
    assert_eq!(outcome.tokens, tokens(&steps));
    assert_eq!(model.calls.last(), Some(&Call::Step(TokenId(3))));
}

#[test]
fn without_an_end_of_text_token_no_token_ends_the_run() {
    let (_, outcome) = run(&mut counting(), &plan(&[0, 0]));
    let outcome = outcome.unwrap();
    assert_eq!(outcome.reason, StopReason::TokenLimit);
    assert_eq!(outcome.tokens, ids(&[1, 2, 3, END.0, 5]));
}

#[test]
fn an_end_of_text_token_in_the_prompt_ends_nothing() {
    let plan = Plan { end_of_text: Some(END), max_new_tokens: 2, ..plan(&[END.0, END.0]) };
    assert_eq!(run(&mut counting(), &plan).1.unwrap().reason, StopReason::TokenLimit);
}

#[test]
fn the_prompt_is_read_once_and_then_one_token_a_step() {
    let mut model = counting();
    let plan = Plan { max_new_tokens: 3, ..plan(&[4, 6]) };
    let (steps, outcome) = run(&mut model, &plan);
    assert_eq!(outcome.unwrap().reason, StopReason::TokenLimit);
    assert_eq!(steps.iter().map(|step| step.index).collect::<Vec<_>>(), [0, 1, 2]);
    let expected = [Call::Prefill(ids(&[4, 6])), Call::Step(TokenId(1)), Call::Step(TokenId(2))];
    assert_eq!(model.calls, expected, "the last token is not fed");
}

#[test]
fn no_new_tokens_are_no_work() {
    let mut model = counting();
    let (steps, outcome) = run(&mut model, &Plan { max_new_tokens: 0, ..plan(&[4, 6]) });
    let nothing = Outcome { reason: StopReason::TokenLimit, tokens: vec![], log_probabilities: vec![] };
    assert_eq!(outcome.unwrap(), nothing);
    assert_eq!(steps, []);
    assert_eq!(model.calls, []);
}

#[test]
fn a_full_context_stops_the_run_if_the_plan_says_so() {
    for (n_prompt, n_new) in [(2, 3), (3, 2), (4, 1), (5, 0), (9, 0)] {
        let mut model = Canned::new(4, mixed);
        let plan = Plan { past_context: PastContext::Stop, max_new_tokens: 50, ..plan(&vec![1; n_prompt]) };
        let (steps, outcome) = run(&mut model, &plan);
        let outcome = outcome.unwrap();
        assert_eq!(outcome.reason, StopReason::Context, "a prompt of {n_prompt}");
        assert_eq!(outcome.tokens.len(), n_new, "a prompt of {n_prompt}");
        assert_eq!(steps.len(), n_new);
        assert_eq!(model.calls.len(), n_new);
        assert_eq!(model.len(), if n_new == 0 { 0 } else { 4 });
    }
}

#[test]
fn a_break_stops_within_one_token_and_keeps_the_step() {
    for last in 0..4 {
        let mut model = counting();
        let (steps, outcome) = run_until(&mut model, &plan(&[0, 0]), last);
        let outcome = outcome.unwrap();
        assert_eq!(outcome.reason, StopReason::User);
        assert_eq!(outcome.tokens.len(), last + 1);
        assert_eq!(outcome.log_probabilities.len(), last + 1);
        assert_eq!(outcome.tokens, tokens(&steps));
        assert_eq!(model.calls.len(), last + 1, "nothing is asked after the break");
    }
}

#[test]
fn of_several_reasons_the_first_is_reported() {
    let all = Plan { end_of_text: Some(END), max_new_tokens: 4, past_context: PastContext::Stop, ..plan(&[0, 0]) };
    let full = || Canned::new(5, |window| only(if window.len() == 5 { END.0 } else { 1 }));
    let reason = |plan: &Plan, last| run_until(&mut full(), plan, last).1.unwrap().reason;
    assert_eq!(reason(&all, 3), StopReason::User);
    assert_eq!(reason(&all, 4), StopReason::EndOfText);
    let all = Plan { end_of_text: None, ..all };
    assert_eq!(reason(&all, 4), StopReason::TokenLimit);
    assert_eq!(reason(&Plan { max_new_tokens: 5, ..all }, 4), StopReason::Context);
}

#[test]
fn each_reason_has_its_sentence() {
    let strings = [0, 1, 255].map(|index| StopReason::StopString { index });
    let others = [StopReason::EndOfText, StopReason::TokenLimit, StopReason::Context, StopReason::User];
    let reasons = [&others[..], &strings].concat();
    let mut sentences: Vec<String> = reasons.iter().map(ToString::to_string).collect();
    assert_eq!(sentences[4], "stop string 1 is complete");
    sentences.sort();
    sentences.dedup();
    assert_eq!(sentences.len(), reasons.len());
}
