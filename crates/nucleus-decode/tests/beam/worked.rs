//! Searches that can be followed with a pencil.

use nucleus_decode::{BeamPlan, BeamStop, Candidate, EarlyStopping, End, Fate, LengthPenalty, Verdict};
use nucleus_sampler::TokenId;

use crate::canned::{Call, Canned, ids};
use crate::search::{assert_near, by_new_tokens, plan, search, tokens_of};

const A: u32 = 1;
const B: u32 = 2;
const C: u32 = 3;
const D: u32 = 4;
const E: u32 = 5;
const END: u32 = 7;

/// A is likelier than B, but what follows B is more certain: A C has 0.24, B C 0.36.
fn garden_path() -> Canned {
    by_new_tokens(|new| match *new {
        [] => vec![(A, 0.6), (B, 0.4)],
        [A] => vec![(C, 0.4), (D, 0.3), (E, 0.3)],
        _ => vec![(C, 0.9), (D, 0.1)],
    })
}

#[test]
fn two_beams_find_what_greedy_misses() {
    let outcome = search(&mut garden_path(), &plan()).1.unwrap();
    assert_eq!(outcome.greedy.tokens, ids(&[A, C]));
    assert_near(outcome.greedy.sum, 0.24_f64.ln());
    assert_eq!(tokens_of(&outcome), [ids(&[B, C]), ids(&[A, C])]);
    assert_near(outcome.results[0].score, 0.36_f64.ln());
    assert_near(outcome.results[1].score, 0.24_f64.ln());
    assert_near(outcome.results[0].log_probabilities[0], 0.4_f64.ln());
    assert_near(outcome.results[0].log_probabilities[1], 0.9_f64.ln());
    assert_eq!(outcome.results[0].end, End::TokenLimit);
    assert_eq!(outcome.stop, BeamStop::Ended);
}

/// The tie of A D and A E goes to the lower id; B D, the fifth, is not among the best 2 * width.
#[test]
fn each_step_tells_what_it_considered() {
    let (steps, _) = search(&mut garden_path(), &plan());
    let seen = |candidate: &Candidate| (candidate.parent, candidate.token.0);
    let verdicts = |step: usize| steps[step].candidates.iter().map(|candidate| candidate.verdict).collect::<Vec<_>>();
    assert_eq!(steps.len(), 2);
    assert_eq!(steps[0].candidates.iter().map(seen).collect::<Vec<_>>(), [(None, A), (None, B)]);
    assert_eq!(verdicts(0), [Verdict::Kept { row: 0 }, Verdict::Kept { row: 1 }]);
    let second = [(Some(1), C), (Some(0), C), (Some(0), D), (Some(0), E)];
    assert_eq!(steps[1].candidates.iter().map(seen).collect::<Vec<_>>(), second);
    assert!(matches!(verdicts(1)[0], Verdict::Finished { end: End::TokenLimit, .. }));
    assert!(matches!(verdicts(1)[1], Verdict::Finished { end: End::TokenLimit, .. }));
    assert_eq!(verdicts(1)[2..], [Verdict::Pruned, Verdict::Pruned]);
    for (candidate, p) in steps[1].candidates.iter().zip([0.36, 0.24, 0.18, 0.18_f64]) {
        assert_near(candidate.sum, p.ln());
    }
    assert_eq!(steps.iter().map(|step| step.greedy.unwrap().token.0).collect::<Vec<_>>(), [A, C]);
}

#[test]
fn the_rows_of_the_cache_change_places_with_the_beams() {
    let mut model = garden_path();
    search(&mut model, &BeamPlan { max_new_tokens: 3, ..plan() }).1.unwrap();
    let token = |row: usize, id: u32| (row, TokenId(id));
    let expected = [
        Call::OpenRows(3),
        Call::PrefillRow(0, ids(&[0])),
        // Both beams and greedy, in the last row, come from the prompt.
        Call::ReorderRows(vec![0, 0, 0]),
        Call::StepRows(vec![token(0, A), token(1, B), token(2, A)]),
        // B C is now the best beam.
        Call::ReorderRows(vec![1, 0, 2]),
        Call::StepRows(vec![token(0, C), token(1, C), token(2, C)]),
    ];
    assert_eq!(model.calls, expected);
}

/// Of A's children none is among the two best, so A is pruned with them.
#[test]
fn a_branch_is_pruned_when_the_last_beam_on_it_is() {
    let mut model = by_new_tokens(|new| match *new {
        [] => vec![(A, 0.6), (B, 0.4)],
        [A] => vec![(C, 0.25), (D, 0.25), (E, 0.25), (B, 0.25)],
        [B] => vec![(C, 0.5), (D, 0.5)],
        _ => vec![(C, 1.0)],
    });
    let outcome = search(&mut model, &BeamPlan { max_new_tokens: 3, ..plan() }).1.unwrap();
    let fates: Vec<Fate> = outcome.tree.nodes().iter().map(|node| node.fate).collect();
    let finished = outcome.results.iter().map(|result| Fate::Finished { score: result.score, end: End::TokenLimit });
    let pruned = |step| Fate::Pruned { step };
    // A, B; B C, B D, A B, A C; B C C, B D C.
    let until_last = [pruned(1), Fate::Kept, Fate::Kept, Fate::Kept, pruned(1), pruned(1)];
    assert_eq!(fates, [until_last.as_slice(), &finished.collect::<Vec<_>>()].concat());
    assert_eq!(outcome.tree.path_of(&outcome.results[1].tokens), [1, 3, 7]);
    assert_eq!(outcome.tree.path_of(&outcome.greedy.tokens), [0, 4], "greedy's A B C is pruned at B");
}

/// 0.5 for the end at once, 0.21 for A and the end, 0.14 for A and then C for ever.
fn ends_early() -> Canned {
    by_new_tokens(|new| match *new {
        [] => vec![(END, 0.5), (A, 0.35), (B, 0.15)],
        [A] => vec![(END, 0.6), (C, 0.4)],
        [B] => vec![(D, 1.0)],
        _ => vec![(C, 1.0)],
    })
}

fn until_end(alpha: f64, early_stopping: EarlyStopping) -> BeamPlan {
    let length_penalty = LengthPenalty::new(alpha).unwrap();
    BeamPlan { length_penalty, early_stopping, end_of_text: Some(TokenId(END)), max_new_tokens: 6, ..plan() }
}

#[test]
fn without_a_penalty_the_search_stops_when_no_sum_can_be_beaten() {
    for early_stopping in [EarlyStopping::Exact, EarlyStopping::Heuristic] {
        let (steps, outcome) = search(&mut ends_early(), &until_end(0.0, early_stopping));
        let outcome = outcome.unwrap();
        assert_eq!(outcome.stop, BeamStop::Decided);
        assert_eq!(steps.len(), 2);
        assert_eq!(tokens_of(&outcome), [ids(&[END]), ids(&[A, END])]);
        assert_near(outcome.results[0].score, 0.5_f64.ln());
        assert_near(outcome.results[1].score, 0.21_f64.ln());
        // B D, with 0.15, is the best live beam.
        assert_near(steps[1].attainable.unwrap(), 0.15_f64.ln());
        assert_near(steps[1].to_beat.unwrap(), 0.21_f64.ln());
        assert_eq!(steps[0].to_beat, None);
        assert_eq!(outcome.greedy.tokens, ids(&[END]));
        assert_eq!(outcome.greedy.end, End::EndOfText);
    }
}

#[test]
fn with_a_penalty_a_beam_that_goes_on_may_still_win() {
    let (steps, outcome) = search(&mut ends_early(), &until_end(1.0, EarlyStopping::Heuristic));
    let outcome = outcome.unwrap();
    assert_eq!((steps.len(), outcome.stop), (2, BeamStop::Decided));
    assert_eq!(tokens_of(&outcome), [ids(&[END]), ids(&[A, END])]);
    assert_near(outcome.results[1].score, 0.21_f64.ln() / 2.0);
    assert_near(steps[1].attainable.unwrap(), 0.15_f64.ln() / 2.0);

    let (steps, outcome) = search(&mut ends_early(), &until_end(1.0, EarlyStopping::Exact));
    let outcome = outcome.unwrap();
    assert_eq!((steps.len(), outcome.stop), (6, BeamStop::Ended));
    assert_eq!(tokens_of(&outcome), [ids(&[B, D, C, C, C, C]), ids(&[A, C, C, C, C, C])]);
    assert_near(outcome.results[0].score, 0.15_f64.ln() / 6.0);
    assert_near(outcome.results[1].score, 0.14_f64.ln() / 6.0);
    assert_near(steps[1].attainable.unwrap(), 0.15_f64.ln() / 6.0);
}

/// The end has the third best sum of the first step, which is not among the first two.
#[test]
fn an_end_that_is_not_among_the_first_width_does_not_count() {
    let mut model = by_new_tokens(|_| vec![(A, 0.4), (B, 0.35), (END, 0.25)]);
    let (steps, outcome) = search(&mut model, &until_end(0.0, EarlyStopping::Exact));
    assert_eq!(steps[0].candidates[2].token, TokenId(END));
    assert_eq!(steps[0].candidates[2].verdict, Verdict::Pruned);
    assert!(tokens_of(&outcome.unwrap()).iter().all(|tokens| !tokens.contains(&TokenId(END))));
}

/// The beams are decided after three steps; greedy goes on to the token limit.
#[test]
fn greedy_is_told_to_its_end() {
    let mut model = by_new_tokens(|new| match *new {
        [] => vec![(A, 0.5), (END, 0.3), (B, 0.2)],
        [A] => vec![(C, 0.5), (END, 0.45), (D, 0.05)],
        _ => (0..10).filter(|&id| id != END).map(|id| (id, 0.1)).collect(),
    });
    let (steps, outcome) = search(&mut model, &until_end(0.0, EarlyStopping::Exact));
    let outcome = outcome.unwrap();
    assert_eq!(outcome.stop, BeamStop::Decided);
    assert_eq!(tokens_of(&outcome), [ids(&[END]), ids(&[A, END])]);
    assert_eq!(outcome.greedy.tokens, ids(&[A, C, 0, 0, 0, 0]));
    assert_eq!(steps.iter().map(|step| step.candidates.len()).collect::<Vec<_>>(), [3, 4, 4, 0, 0, 0]);
    assert_eq!(model.calls.last(), Some(&Call::StepRows(vec![(2, TokenId(0))])));
    assert_eq!(outcome.tree.path_of(&outcome.greedy.tokens).len(), 3);
}
