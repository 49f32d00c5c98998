use std::error::Error;

use nucleus_decode::{BatchError, BatchPlan, DecodeError, Request, SlotsPlan};
use nucleus_sampler::{LogitsError, TokenId};

use crate::canned::{Canned, DeviceLost, N_VOCAB, mixed};
use crate::common::{batch, counting, run, serve, served};

#[test]
fn no_prompts_no_requests_and_no_slots_say_what_to_do() {
    let mut model = counting(8);
    let none = run(&mut model, &batch(&[])).1.unwrap_err();
    assert_eq!(none, BatchError::NoPrompts);
    assert_eq!(none.to_string(), "there are no prompts: give 1 or more");
    assert_eq!(serve(&mut model, &served(2, &[])).1.unwrap_err(), BatchError::NoPrompts);
    let no_slots = serve(&mut model, &served(0, &[(&[1], 1, 0)])).1.unwrap_err();
    assert_eq!(no_slots, BatchError::NoSlots);
    assert_eq!(no_slots.to_string(), "there are 0 slots: give 1 or more");
    assert_eq!(model.calls, []);
}

#[test]
fn an_empty_prompt_is_named_by_its_row() {
    let mut model = counting(8);
    let error = run(&mut model, &batch(&[&[1], &[], &[]])).1.unwrap_err();
    assert_eq!(error, BatchError::Row { row: 1, source: DecodeError::EmptyPrompt });
    assert_eq!(error.to_string(), "row 2: the prompt has no tokens: type at least one character");
    assert!(error.source().is_some());
    let error = serve(&mut model, &served(1, &[(&[1], 1, 0), (&[], 1, 0)])).1.unwrap_err();
    assert_eq!(error, BatchError::Request { request: 1, source: DecodeError::EmptyPrompt });
    assert_eq!(error.to_string(), "request 2: the prompt has no tokens: type at least one character");
    assert_eq!(model.calls, []);
}

#[test]
fn a_prompt_id_beyond_the_vocabulary_is_named_with_its_row() {
    for (n_tokenizer, limit) in [(10, 10), (N_VOCAB + 9, N_VOCAB)] {
        let bad = limit as u32;
        let source = DecodeError::PromptId { id: TokenId(bad), limit };
        let plan = BatchPlan { n_tokenizer, ..batch(&[&[1], &[2, bad]]) };
        assert_eq!(run(&mut counting(8), &plan).1.unwrap_err(), BatchError::Row { row: 1, source });
        let plan = SlotsPlan { n_tokenizer, ..served(2, &[(&[bad], 1, 0)]) };
        assert_eq!(serve(&mut counting(8), &plan).1.unwrap_err(), BatchError::Request { request: 0, source });
    }
}

#[test]
fn an_arrival_beyond_the_limit_is_refused_before_anything_runs() {
    let at = |arrives_at| serve(&mut counting(8), &served(1, &[(&[1], 1, 0), (&[1], 1, arrives_at)])).1;
    assert!(at(Request::LATEST).is_ok());
    let error = at(usize::MAX).unwrap_err();
    assert_eq!(error, BatchError::Arrival { request: 1, arrives_at: usize::MAX });
    assert!(error.to_string().ends_with("but must arrive by step 1000000"), "{error}");
}

/// Call 0 opens the rows, 1 and 2 read the prompts, the others are steps of both rows.
#[test]
fn a_model_that_fails_for_one_prompt_names_it_and_else_speaks_for_all() {
    for call in 0..5 {
        let mut model = counting(8).failing_at_call(call);
        let (steps, outcome) = run(&mut model, &batch(&[&[0], &[1]]));
        let error = outcome.unwrap_err();
        match call {
            1 | 2 => assert_eq!(error, BatchError::Row { row: call - 1, source: DecodeError::Model(DeviceLost) }),
            _ => assert_eq!(error, BatchError::Model(DeviceLost)),
        }
        assert!(error.to_string().ends_with("the model failed: the device was lost"), "{error}");
        assert_eq!(steps.len(), call.saturating_sub(2), "the steps before stay");
    }
}

#[test]
fn a_slot_that_cannot_be_filled_names_its_request() {
    let requests: [(&[u32], usize, usize); 2] = [(&[0], 3, 0), (&[1], 3, 1)];
    let failing = |call| serve(&mut counting(8).failing_at_call(call), &served(2, &requests));
    let source = DecodeError::Model(DeviceLost);
    assert_eq!(failing(0).1.unwrap_err(), BatchError::Model(DeviceLost));
    assert_eq!(failing(1).1.unwrap_err(), BatchError::Request { request: 0, source });
    assert_eq!(failing(2).1.unwrap_err(), BatchError::Model(DeviceLost), "a step of slot 0");
    let (steps, outcome) = failing(3);
    assert_eq!(outcome.unwrap_err(), BatchError::Request { request: 1, source });
    assert_eq!(steps.len(), 1);
}

#[test]
fn logits_that_go_bad_name_the_row_and_the_token() {
    let bad = |window: &[TokenId]| {
        let mut logits = mixed(window);
        if window.len() == 4 {
            logits[2] = f32::NAN;
        }
        logits
    };
    let plan = BatchPlan { end_of_text: None, ..batch(&[&[1], &[3, 4]]) };
    let (steps, outcome) = run(&mut Canned::new(8, bad), &plan);
    let error = outcome.unwrap_err();
    let BatchError::Row { row: 1, source: DecodeError::Logits { index: 2, source } } = error else {
        panic!("{error:?}")
    };
    assert!(matches!(source, LogitsError::NotFinite { index: 2, .. }));
    assert_eq!(steps.len(), 2);
}

#[test]
fn too_few_logits_are_counted() {
    let mut model = Canned::new(8, |window| vec![0.0; if window.len() == 3 { 7 } else { N_VOCAB }]);
    let plan = BatchPlan { end_of_text: None, ..batch(&[&[1], &[1, 2]]) };
    let source = DecodeError::LogitsCount { index: 1, found: 7, expected: N_VOCAB };
    assert_eq!(run(&mut model, &plan).1.unwrap_err(), BatchError::Row { row: 1, source });
}
