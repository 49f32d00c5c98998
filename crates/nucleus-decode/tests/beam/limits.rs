//! The edges: nothing to do, no more room, a caller who stops, a model that fails.

use nucleus_decode::{
    BeamError, BeamPlan, BeamStop, BeamWidth, DecodeError, EarlyStopping, End, LengthPenalty, Verdict,
};
use nucleus_sampler::{LogitsError, TokenId};

use crate::canned::{Canned, DeviceLost, N_VOCAB, ids, mixed};
use crate::search::{assert_near, by_new_tokens, plan, search, search_until, tokens_of};

fn wide(width: usize, max_new_tokens: usize) -> BeamPlan {
    BeamPlan { width: BeamWidth::new(width).unwrap(), n_results: width, max_new_tokens, ..plan() }
}

#[test]
fn widths_and_penalties_out_of_range_are_named_with_the_limits() {
    for width in [0, 17, usize::MAX] {
        let error = BeamWidth::new(width).unwrap_err();
        assert_eq!(error, BeamError::Width(width));
        assert_eq!(error.to_string(), format!("beam width {width} is not between 1 and 16: choose one that is"));
    }
    for alpha in [-0.1, 10.1, f64::INFINITY, f64::NAN] {
        let error = LengthPenalty::new(alpha).unwrap_err();
        assert_eq!(error.to_string(), format!("length penalty {alpha} is not between 0 and 10: choose one that is"));
    }
    assert_eq!(LengthPenalty::new(-0.0).unwrap().get().to_bits(), 0);
}

#[test]
fn no_new_tokens_are_no_work() {
    let mut model = Canned::new(8, mixed);
    let (steps, outcome) = search(&mut model, &wide(3, 0));
    let outcome = outcome.unwrap();
    assert_eq!((outcome.stop, outcome.results.len(), steps.len()), (BeamStop::Ended, 0, 0));
    assert_eq!((outcome.greedy.end, outcome.greedy.score), (End::TokenLimit, 0.0));
    assert_eq!(model.calls, []);
}

#[test]
fn beams_end_where_the_model_can_see_no_more() {
    for (n_prompt, n_new) in [(1, 4), (3, 2), (4, 1), (5, 0)] {
        let mut model = Canned::new(4, mixed);
        let plan = BeamPlan { prompt: ids(&vec![1; n_prompt]), ..wide(3, 50) };
        let (steps, outcome) = search(&mut model, &plan);
        let outcome = outcome.unwrap();
        assert_eq!(steps.len(), n_new, "a prompt of {n_prompt}");
        assert_eq!(outcome.results.len(), if n_new == 0 { 0 } else { 3 });
        for hypothesis in outcome.results.iter().chain([&outcome.greedy]) {
            assert_eq!((hypothesis.tokens.len(), hypothesis.end), (n_new, End::Context));
        }
    }
}

/// The first step has two continuations for five beams, the second four.
#[test]
fn a_small_vocabulary_fills_as_many_beams_as_it_can() {
    let plan = BeamPlan { n_tokenizer: 2, ..wide(5, 2) };
    let (steps, outcome) = search(&mut Canned::new(8, mixed), &plan);
    assert_eq!(steps.iter().map(|step| step.candidates.len()).collect::<Vec<_>>(), [2, 4]);
    assert_eq!(outcome.unwrap().results.len(), 4);
}

#[test]
fn a_text_that_is_certain_to_end_leaves_no_beam() {
    let mut model = by_new_tokens(|_| vec![(7, 1.0)]);
    let (steps, outcome) = search(&mut model, &BeamPlan { end_of_text: Some(TokenId(7)), ..wide(3, 5) });
    let outcome = outcome.unwrap();
    assert_eq!((steps.len(), outcome.stop), (1, BeamStop::Ended));
    assert_eq!(tokens_of(&outcome), [ids(&[7])]);
    assert_eq!(outcome.results[0].score, 0.0);
}

#[test]
fn padded_columns_belong_to_no_sequence() {
    const N_TOKENIZER: usize = 9;
    for padding in [100.0, f32::INFINITY, f32::NAN] {
        let mut model = Canned::new(64, move |window| {
            let mut logits = mixed(window);
            logits[N_TOKENIZER..].fill(padding);
            logits
        });
        let (steps, _) = search(&mut model, &BeamPlan { n_tokenizer: N_TOKENIZER, ..wide(5, 3) });
        let mut unpadded = Canned::new(64, |window| [&mixed(window)[..N_TOKENIZER], &[f32::NEG_INFINITY; 3]].concat());
        assert_eq!(steps, search(&mut unpadded, &wide(5, 3)).0);
        assert_eq!(steps.len(), 3);
    }
}

#[test]
fn a_break_leaves_the_live_beams_as_they_are() {
    for last in 0..3 {
        let mut model = Canned::new(64, mixed);
        let (steps, outcome) = search_until(&mut model, &wide(3, 6), last);
        let outcome = outcome.unwrap();
        assert_eq!((steps.len(), outcome.stop), (last + 1, BeamStop::User));
        assert_eq!(outcome.results.len(), 3);
        let kept = steps[last].candidates.iter().filter(|one| matches!(one.verdict, Verdict::Kept { .. }));
        for (result, kept) in outcome.results.iter().zip(kept) {
            assert_eq!((result.tokens.len(), result.end), (last + 1, End::Unfinished));
            assert_eq!((result.sum, result.score), (kept.sum, kept.sum));
        }
        assert_eq!((outcome.greedy.tokens.len(), outcome.greedy.end), (last + 1, End::Unfinished));
    }
}

#[test]
fn a_break_sorts_what_ended_with_what_did_not() {
    let mut model = by_new_tokens(|new| match *new {
        [] => vec![(1, 0.5), (7, 0.3), (2, 0.2)],
        _ => vec![(3, 0.5), (4, 0.5)],
    });
    let plan = BeamPlan { end_of_text: Some(TokenId(7)), ..wide(3, 6) };
    let outcome = search_until(&mut model, &plan, 0).1.unwrap();
    assert_eq!(tokens_of(&outcome), [ids(&[1]), ids(&[7]), ids(&[2])]);
    let ends: Vec<End> = outcome.results.iter().map(|result| result.end).collect();
    assert_eq!(ends, [End::Unfinished, End::EndOfText, End::Unfinished]);
    assert_near(outcome.results[1].score, 0.3_f64.ln());
}

#[test]
fn a_prompt_that_cannot_be_is_an_error_before_the_model_is_asked() {
    let mut model = Canned::new(8, mixed);
    let error = search(&mut model, &BeamPlan { prompt: vec![], ..plan() }).1.unwrap_err();
    assert_eq!(error, DecodeError::EmptyPrompt);
    let bad = BeamPlan { prompt: ids(&[1, N_VOCAB as u32]), ..plan() };
    let error = search(&mut model, &bad).1.unwrap_err();
    assert_eq!(error, DecodeError::PromptId { id: TokenId(N_VOCAB as u32), limit: N_VOCAB });
    assert_eq!(model.calls, []);
}

#[test]
fn bad_logits_of_any_row_are_an_error_and_the_steps_before_stay() {
    let mut model = Canned::new(16, |window| {
        let mut logits = mixed(window);
        if window.len() == 3 {
            logits[4] = f32::NAN;
        }
        logits
    });
    let (steps, outcome) = search(&mut model, &wide(3, 5));
    let error = outcome.unwrap_err();
    assert!(
        matches!(error, DecodeError::Logits { index: 2, source: LogitsError::NotFinite { index: 4, .. } }),
        "{error:?}"
    );
    assert_eq!(steps.len(), 2);
}

#[test]
fn a_model_that_fails_ends_the_search() {
    // Rows opened, prompt read, rows reordered, two rows and greedy's fed; which cannot fail at the reordering.
    for (call, n_steps) in [(0, 0), (1, 0), (3, 1)] {
        let mut model = Canned::new(16, mixed).failing_at_call(call);
        let (steps, outcome) = search(&mut model, &plan());
        assert_eq!(outcome.unwrap_err(), DecodeError::Model(DeviceLost));
        assert_eq!(steps.len(), n_steps);
    }
}

#[test]
fn the_default_stops_only_when_no_live_beam_can_win() {
    assert_eq!(EarlyStopping::default(), EarlyStopping::Exact);
}
