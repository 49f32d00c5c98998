//! `generate_constrained`: what a run under a constraint draws, why it stops, and what its steps tell.

use std::ops::ControlFlow;

use nucleus_decode::constraint::{ByteRange, Considered, Verdict};
use nucleus_decode::{
    Constraint, ConstraintState, DecodeError, Outcome, PastContext, Plan, Script, Step, StopReason, TokenTrie,
    generate, generate_constrained,
};
use nucleus_sampler::{Filter, TokenId};

use crate::canned::{Canned, DeviceLost, N_VOCAB, block_on, greedy, mixed, plan};

/// The canned model's twelve tokens, the last of which ends a text.
const TOKENS: [&str; N_VOCAB] = ["a", "b", "c", "ab", "ca", "1", "2", "\"", "[", "]", ",", "<end>"];
const END: TokenId = TokenId(11);

fn trie() -> TokenTrie {
    TokenTrie::new(TOKENS.map(str::as_bytes), &[END])
}

fn ending(plan: Plan) -> Plan {
    Plan { end_of_text: Some(END), ..plan }
}

type Run = (Vec<Step>, Result<Outcome, DecodeError<DeviceLost>>);

fn run(model: &mut Canned, plan: &Plan, constraint: &Constraint) -> Run {
    let trie = trie();
    let mut state = ConstraintState::new(constraint, &trie, plan.end_of_text).unwrap();
    let mut steps = Vec::new();
    let outcome = block_on(generate_constrained(model, plan, &mut state, async |step| {
        steps.push(step);
        ControlFlow::Continue(())
    }));
    (steps, outcome)
}

fn text(outcome: &Outcome) -> String {
    outcome.tokens.iter().map(|id| TOKENS[id.index()]).collect()
}

/// Logits with the given ids on top, the first the largest.
fn preferring(order: &'static [u32]) -> Canned {
    Canned::new(64, |_| {
        let mut logits = vec![0.0; N_VOCAB];
        for (rank, &id) in order.iter().enumerate() {
            logits[id as usize] = 10.0 - rank as f32;
        }
        logits
    })
}

#[test]
fn the_run_ends_right_after_the_value_closes_and_asks_no_more() {
    let list = Constraint::json_schema(r#"{"type": "array", "items": {"enum": [1, 2]}}"#).unwrap();
    let mut model = preferring(&[0, 8, 5, 9]);
    let plan = ending(Plan { settings: greedy(), max_new_tokens: 50, ..plan(&[0]) });
    let (steps, outcome) = run(&mut model, &plan, &list);
    let outcome = outcome.unwrap();
    assert_eq!(outcome.reason, StopReason::Closed);
    assert_eq!(text(&outcome), "[1]");
    assert_eq!(steps.len(), 3);
    assert_eq!(model.calls.len(), 3, "the model is not asked for a fourth");
}

#[test]
fn a_value_that_closes_with_the_last_token_is_closed() {
    let list = Constraint::json_schema(r#"{"type": "array", "items": {"enum": [1, 2]}}"#).unwrap();
    let plan = ending(Plan { settings: greedy(), max_new_tokens: 4, ..plan(&[0]) });
    // The model would go on for ever; the limit makes it close the list.
    let (steps, outcome) = run(&mut preferring(&[8, 10, 5, 6]), &plan, &list);
    let outcome = outcome.unwrap();
    assert_eq!((text(&outcome).as_str(), outcome.reason), ("[1]", StopReason::Closed));
    let least: Vec<(usize, usize)> =
        steps.iter().map(|step| step.constraint.as_ref().map(|c| (c.tokens_left, c.least)).unwrap()).collect();
    assert_eq!(least, [(4, 2), (3, 1), (2, 1)]);
}

#[test]
fn where_more_could_follow_the_end_of_text_or_the_limit_ends_the_run() {
    let some = Constraint::regex("[ab]+").unwrap();
    let short = Plan { settings: greedy(), max_new_tokens: 3, ..plan(&[0]) };
    let outcome = |model: &mut Canned, plan: &Plan| run(model, plan, &some).1.unwrap();
    let eager = outcome(&mut preferring(&[11, 3, 2]), &ending(short.clone()));
    assert_eq!((eager.tokens, eager.reason), (vec![TokenId(3), END], StopReason::EndOfText), "it may not end at once");
    let tireless = outcome(&mut preferring(&[3, 11]), &ending(short.clone()));
    assert_eq!((text(&tireless).as_str(), tireless.reason), ("ababab", StopReason::TokenLimit));
    let endless = outcome(&mut preferring(&[11, 3]), &short);
    assert_eq!(
        (text(&endless).as_str(), endless.reason),
        ("ababab", StopReason::TokenLimit),
        "there is no end of text"
    );
}

#[test]
fn a_forced_token_is_held_to_the_constraint_too() {
    let some = Constraint::regex("[ab]+").unwrap();
    let forcing = |id: u32| Plan {
        settings: greedy(),
        max_new_tokens: 3,
        script: Script { forced: [(1, TokenId(id))].into(), ..Script::default() },
        ..plan(&[0])
    };
    let (steps, outcome) = run(&mut preferring(&[3, 2]), &forcing(1), &some);
    assert_eq!((steps[1].forced, outcome.unwrap().tokens), (true, [3, 1, 3].map(TokenId).to_vec()));
    let (steps, outcome) = run(&mut preferring(&[3, 2]), &forcing(4), &some);
    assert_eq!(steps.len(), 1, "the step before is good");
    assert_eq!(outcome.unwrap_err(), DecodeError::ForcedAgainstConstraint { index: 1, token: TokenId(4) });
}

#[test]
fn given_tokens_that_break_the_constraint_are_told_before_the_first_step() {
    let some = Constraint::regex("[ab]+1").unwrap();
    let giving = |ids: &[u32]| {
        ending(Plan {
            settings: greedy(),
            max_new_tokens: 4,
            script: Script { given: ids.iter().copied().map(TokenId).collect(), ..Script::default() },
            ..plan(&[0])
        })
    };
    let outcome = run(&mut preferring(&[5, 3]), &giving(&[3, 0]), &some).1.unwrap();
    assert_eq!((text(&outcome).as_str(), outcome.reason), ("aba1", StopReason::Closed));
    // A letter that there is not, one after the end, and the end of text too early.
    for given in [&[3, 2][..], &[0, 5, 0], &[0, 11]] {
        let (steps, outcome) = run(&mut preferring(&[5, 3]), &giving(given), &some);
        assert!(steps.is_empty());
        let error = outcome.unwrap_err();
        assert_eq!(error, DecodeError::GivenAgainstConstraint, "{given:?}");
        assert_eq!(
            error.to_string(),
            "the text so far does not have the form that is asked for, so nothing can complete it: start a new text, or \
             choose free text"
        );
    }
    let ended = run(&mut preferring(&[5, 3]), &giving(&[0, 5, 11]), &some).1.unwrap();
    assert_eq!(ended.reason, StopReason::Closed, "the end of text after a complete one breaks nothing");
}

#[test]
fn too_small_a_limit_is_an_error_before_the_start() {
    let three = Constraint::regex("ab[12]a|bbbbb").unwrap();
    for (plan, limit) in [
        (Plan { max_new_tokens: 2, ..plan(&[0]) }, 2),
        (Plan { max_new_tokens: 0, ..plan(&[0]) }, 0),
        (Plan { max_new_tokens: 50, past_context: PastContext::Stop, ..plan(&[0; 7]) }, 2),
        (Plan { max_new_tokens: 50, past_context: PastContext::Stop, ..plan(&[0; 30]) }, 0),
    ] {
        let mut model = Canned::new(8, mixed);
        let (steps, outcome) = run(&mut model, &plan, &three);
        let error = outcome.unwrap_err();
        assert_eq!(error, DecodeError::TooFewTokens { needed: 3, limit });
        assert_eq!(
            error.to_string(),
            format!("the constraint needs 3 new tokens at least, but there may be {limit}: allow more of them")
        );
        assert!(steps.is_empty() && model.calls.is_empty());
    }
    let enough = Plan { max_new_tokens: 50, past_context: PastContext::Stop, ..plan(&[0; 6]) };
    let outcome = run(&mut Canned::new(8, mixed), &enough, &three).1.unwrap();
    assert_eq!(outcome.reason, StopReason::Closed);
    assert!(["ab1a", "ab2a"].contains(&text(&outcome).as_str()), "the context has no room for the other");
}

#[test]
fn a_run_at_any_temperature_past_the_context_still_satisfies() {
    let list = Constraint::json_schema(r#"{"type": "array", "items": {"type": "string"}}"#).unwrap();
    for seed in 0..60 {
        for max_new_tokens in [2, 3, 7, 20] {
            let plan = ending(Plan { seed, max_new_tokens, ..plan(&[1, 2, 3]) });
            let outcome = run(&mut Canned::new(5, mixed), &plan, &list).1.unwrap();
            let value: Vec<String> = serde_json::from_str(&text(&outcome)).unwrap();
            assert_eq!(outcome.reason, StopReason::Closed, "{value:?}");
        }
    }
}

#[test]
fn a_step_tells_what_was_allowed_and_what_the_model_wanted() {
    let list = Constraint::json_schema(r#"{"type": "array", "items": {"enum": [1, 2]}, "maxItems": 2}"#).unwrap();
    // The model's distribution, the same at each step: e to these, of a sum of 0.5 + 0.25 + 0.125 + 9 / 72 = 1.
    let wanted = |_: &[TokenId]| {
        let mut logits = vec![(1.0_f32 / 72.0).ln(); N_VOCAB];
        for (id, p) in [(0, 0.5_f32), (9, 0.25), (11, 0.125)] {
            logits[id] = p.ln();
        }
        logits
    };
    let plan = ending(Plan { settings: greedy(), max_new_tokens: 9, ..plan(&[0]) });
    let (steps, _) = run(&mut Canned::new(64, wanted), &plan, &list);
    let told = steps[1].constraint.as_ref().unwrap();
    assert_eq!(steps[0].trace.token, TokenId(8), "the only one that can begin a list");
    assert_eq!((told.n_tokens, told.allowed, told.is_complete, told.tokens_left, told.least), (12, 3, false, 8, 1));
    let range = |first, last| ByteRange { first, last };
    assert_eq!(told.next, [range(b'\n', b'\n'), range(b' ', b' '), range(b'1', b'2'), range(b']', b']')]);
    assert!((told.forbidden_mass - (0.5 + 0.125 + 7.0 / 72.0)).abs() < 1e-6, "{}", told.forbidden_mass);
    let removal = steps[1].trace.removals.iter().find(|removal| removal.filter == Filter::Constraint).unwrap();
    assert_eq!((removal.count, removal.mass), (9, told.forbidden_mass));
    assert_eq!(told.top.len(), 10);
    let verdicts: Vec<(u32, Verdict)> =
        told.top[..5].iter().map(|Considered { id, verdict, .. }| (id.0, *verdict)).collect();
    let expected = [
        (0, Verdict::Breaks),
        (9, Verdict::Allowed),
        (11, Verdict::TooEarly),
        (1, Verdict::Breaks),
        (2, Verdict::Breaks),
    ];
    assert_eq!(verdicts, expected);
    for (considered, p) in told.top.iter().zip([0.5, 0.25, 0.125, 1.0 / 72.0]) {
        assert!((considered.probability - p).abs() < 1e-6, "{considered:?}");
    }
    assert_eq!(steps[1].trace.token, TokenId(9), "the likeliest that is allowed");
}

#[test]
fn a_constraint_that_allows_everything_changes_nothing() {
    let plan = Plan { max_new_tokens: 20, ..plan(&[1, 2]) };
    let mut free = Vec::new();
    let outcome = block_on(generate(&mut Canned::new(64, mixed), &plan, async |step| {
        free.push(step);
        ControlFlow::Continue(())
    }));
    let any = Constraint::regex("(?s:.)*").unwrap();
    // Without special tokens, so that all are text.
    let trie = TokenTrie::new(TOKENS.map(str::as_bytes), &[]);
    let mut state = ConstraintState::new(&any, &trie, None).unwrap();
    let mut steps = Vec::new();
    let constrained = block_on(generate_constrained(&mut Canned::new(64, mixed), &plan, &mut state, async |step| {
        steps.push(step);
        ControlFlow::Continue(())
    }));
    assert_eq!(constrained, outcome);
    for (step, free) in steps.iter().zip(&free) {
        assert_eq!(step.constraint.as_ref().map(|told| (told.allowed, told.forbidden_mass)), Some((12, 0.0)));
        assert_eq!(Step { constraint: None, allowed: None, ..step.clone() }, *free);
    }
}

#[test]
fn a_break_by_the_caller_ends_it_though_the_text_is_not_complete() {
    let three = Constraint::regex("abcabc").unwrap();
    let trie = trie();
    let mut state = ConstraintState::new(&three, &trie, None).unwrap();
    let plan = Plan { max_new_tokens: 20, ..plan(&[1]) };
    let outcome = block_on(generate_constrained(&mut Canned::new(64, mixed), &plan, &mut state, async |_| {
        ControlFlow::Break(StopReason::User)
    }));
    assert_eq!(outcome.unwrap().reason, StopReason::User);
    assert!(!state.is_complete());
}
