use std::f64::consts::LN_2;

use nucleus_decode::{BatchPlan, Outcome, Plan, RowStep, RowToken, StopReason};
use nucleus_sampler::TokenId;

use crate::canned::{Call, Canned, greedy, ids, mixed, plan};
use crate::common::{END, PAD, batch, counting, run, run_until};

fn fed(rows: &[(usize, u32)]) -> Call {
    Call::StepRows(rows.iter().map(|&(row, id)| (row, TokenId(id))).collect())
}

#[test]
fn rows_of_different_length_end_on_their_own() {
    let outcomes = run(&mut counting(16), &batch(&[&[0, 1, 2], &[7], &[5, 6]])).1.unwrap();
    let expected = [
        (StopReason::TokenLimit, ids(&[3, 4, 5, 6])),
        (StopReason::EndOfText, ids(&[8, 9])),
        (StopReason::EndOfText, ids(&[7, 8, 9])),
    ];
    for (outcome, (reason, tokens)) in outcomes.into_iter().zip(expected) {
        let sum = tokens.len() as f64 * -LN_2;
        assert!((outcome.sum() - sum).abs() < 1e-12, "each token has probability one half");
        assert_eq!(outcome, Outcome { reason, log_probabilities: vec![-LN_2; tokens.len()], tokens });
    }
}

#[test]
fn a_prompt_is_read_once_and_a_done_row_is_not_fed() {
    let mut model = counting(16);
    run(&mut model, &batch(&[&[0, 1, 2], &[7], &[5, 6]])).1.unwrap();
    let expected = [
        Call::OpenRows(3),
        Call::PrefillRow(0, ids(&[0, 1, 2])),
        Call::PrefillRow(1, ids(&[7])),
        Call::PrefillRow(2, ids(&[5, 6])),
        fed(&[(0, 3), (1, 8), (2, 7)]),
        fed(&[(0, 4), (2, 8)]),
        fed(&[(0, 5)]),
    ];
    assert_eq!(model.calls, expected, "no last token is fed");
}

/// Case 23: the row that ends at step 2 of 4 emits the pad id, and its sum stays.
#[test]
fn a_done_row_is_frozen() {
    let steps = run(&mut counting(16), &batch(&[&[0, 1, 2], &[7]])).0;
    let drawn = |token: u32, n: f64, done| {
        RowStep::Drawn(RowToken { token: TokenId(token), log_probability: -LN_2, sum: n * -LN_2, done })
    };
    let frozen = RowStep::Frozen { pad: PAD, sum: 2.0 * -LN_2, reason: StopReason::EndOfText };
    let second: Vec<RowStep> = steps.iter().map(|step| step.rows[1]).collect();
    assert_eq!(second, [drawn(8, 1.0, None), drawn(9, 2.0, Some(StopReason::EndOfText)), frozen, frozen]);
    assert_eq!(frozen.token(), PAD);
    assert_eq!(steps.iter().map(|step| step.index).collect::<Vec<_>>(), [0, 1, 2, 3]);
}

#[test]
fn when_all_rows_are_done_the_run_ends_early() {
    let plan = BatchPlan { max_new_tokens: 1000, ..batch(&[&[7], &[8], &[6]]) };
    let (steps, outcomes) = run(&mut counting(16), &plan);
    assert_eq!(steps.len(), 3, "6 needs 7, 8, 9");
    assert!(outcomes.unwrap().iter().all(|outcome| outcome.reason == StopReason::EndOfText));
}

#[test]
fn a_pad_id_that_the_model_draws_is_a_token_like_any_other() {
    let plan = BatchPlan { pad: TokenId(8), ..batch(&[&[0, 1, 2], &[7]]) };
    assert_eq!(run(&mut counting(16), &plan).1.unwrap()[1].tokens, ids(&[8, 9]));
    let as_gpt2 = BatchPlan { pad: END, ..batch(&[&[0, 1, 2], &[7]]) };
    let (steps, outcomes) = run(&mut counting(16), &as_gpt2);
    assert_eq!(outcomes.unwrap()[1].tokens, ids(&[8, 9]));
    assert_eq!(steps[3].rows[1].token(), END);
}

#[test]
fn a_full_row_is_done_and_the_others_go_on() {
    let plan = BatchPlan { end_of_text: None, ..batch(&[&[0, 1, 2], &[0], &[0, 1, 2, 3], &[4; 5], &[4; 9]]) };
    let mut model = counting(4);
    let (steps, outcomes) = run(&mut model, &plan);
    let found: Vec<_> = outcomes.unwrap().into_iter().map(|outcome| (outcome.reason, outcome.tokens)).collect();
    let expected = [
        (StopReason::Context, ids(&[3, 4])),
        (StopReason::TokenLimit, ids(&[1, 2, 3, 4])),
        (StopReason::Context, ids(&[4])),
        (StopReason::Context, vec![]),
        (StopReason::Context, vec![]),
    ];
    assert_eq!(found, expected);
    let never = RowStep::Frozen { pad: PAD, sum: 0.0, reason: StopReason::Context };
    assert!(steps.iter().all(|step| step.rows[3] == never && step.rows[4] == never));
    assert!(!model.calls.iter().any(|call| matches!(call, Call::PrefillRow(3 | 4, _))));
}

#[test]
fn without_anything_to_draw_the_model_is_not_called() {
    let plans = [
        (BatchPlan { max_new_tokens: 0, ..batch(&[&[1], &[2]]) }, StopReason::TokenLimit),
        (batch(&[&[1; 5], &[2; 6]]), StopReason::Context),
    ];
    for (plan, reason) in plans {
        let mut model = counting(4);
        let (steps, outcomes) = run(&mut model, &plan);
        assert_eq!(steps, []);
        assert!(outcomes.unwrap().iter().all(|outcome| outcome.reason == reason && outcome.tokens.is_empty()));
        assert_eq!(model.calls, []);
    }
}

#[test]
fn a_break_ends_the_rows_that_are_not_done() {
    for last in 0..4 {
        let mut model = counting(16);
        let (steps, outcomes) = run_until(&mut model, &batch(&[&[0], &[7]]), last);
        let outcomes = outcomes.unwrap();
        assert_eq!(steps.len(), last + 1);
        assert_eq!(model.calls.len(), 3 + last, "nothing is asked after the break");
        assert_eq!(outcomes[0].tokens.len(), last + 1);
        assert_eq!(outcomes[0].reason, if last == 3 { StopReason::TokenLimit } else { StopReason::User });
        assert_eq!(outcomes[1].tokens.len(), (last + 1).min(2));
        assert_eq!(outcomes[1].reason, if last == 0 { StopReason::User } else { StopReason::EndOfText });
    }
}

#[test]
fn a_batch_of_one_is_generate_greedy() {
    for max_new_tokens in 0..9 {
        let alone = Plan { settings: greedy(), max_new_tokens, end_of_text: Some(TokenId(2)), ..plan(&[4, 1]) };
        let (steps, outcome) = crate::canned::run(&mut Canned::new(64, mixed), &alone);
        let plan = BatchPlan { max_new_tokens, end_of_text: Some(TokenId(2)), ..batch(&[&[4, 1]]) };
        let (batch_steps, outcomes) = run(&mut Canned::new(64, mixed), &plan);
        assert_eq!(outcomes.unwrap(), [outcome.unwrap()]);
        assert_eq!(batch_steps.len(), steps.len());
        for (batch_step, step) in batch_steps.iter().zip(steps) {
            let RowStep::Drawn(drawn) = batch_step.rows[0] else { panic!("{batch_step:?}") };
            assert_eq!((drawn.token, drawn.log_probability), (step.trace.token, step.trace.log_probability));
        }
    }
}

#[test]
fn equal_prompts_draw_from_different_streams() {
    let plan = BatchPlan {
        settings: nucleus_sampler::Settings::default(),
        max_new_tokens: 12,
        end_of_text: None,
        ..batch(&[&[4], &[4], &[4]])
    };
    let outcomes = run(&mut Canned::new(64, mixed), &plan).1.unwrap();
    assert_ne!(outcomes[0].tokens, outcomes[1].tokens);
    assert_ne!(outcomes[1].tokens, outcomes[2].tokens);
    assert_ne!(outcomes[0].tokens, outcomes[2].tokens);
}
