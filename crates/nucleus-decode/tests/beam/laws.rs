//! What holds for every search.

use std::collections::HashSet;

use nucleus_decode::{
    BeamPlan, BeamTree, BeamWidth, EarlyStopping, Fate, Hypothesis, LanguageModel, LengthPenalty, Plan, StopReason,
    Verdict,
};
use nucleus_sampler::{TokenId, log_softmax_at};
use proptest::prelude::*;

use crate::canned::{self, Canned, N_VOCAB, block_on, greedy, ids, mixed, run};
use crate::search::{plan, search};

/// Of a family of models, the one that `seed` names; the higher `sharpness`, the surer it is.
fn model(seed: u32, sharpness: f32) -> Canned {
    Canned::new(64, move |window| {
        let seen = [&[TokenId(seed)], window].concat();
        mixed(&seen).iter().map(|logit| logit * sharpness).collect()
    })
}

fn plans() -> impl Strategy<Value = BeamPlan> {
    let alpha = prop::sample::select(vec![0.0, 0.5, 1.0, 2.0]);
    let early_stopping = prop::sample::select(vec![EarlyStopping::Exact, EarlyStopping::Heuristic]);
    let end_of_text = prop::sample::select(vec![None, Some(TokenId(3)), Some(TokenId(8))]);
    (1..=16_usize, 1..=16_usize, alpha, early_stopping, end_of_text, 1..9_usize).prop_map(
        |(width, n_results, alpha, early_stopping, end_of_text, max_new_tokens)| BeamPlan {
            prompt: ids(&[2, 5]),
            width: BeamWidth::new(width).unwrap(),
            length_penalty: LengthPenalty::new(alpha).unwrap(),
            n_results: n_results.min(width),
            early_stopping,
            end_of_text,
            max_new_tokens,
            ..plan()
        },
    )
}

fn assert_adds_up(hypothesis: &Hypothesis, plan: &BeamPlan) {
    let sum: f64 = hypothesis.log_probabilities.iter().sum();
    assert!((hypothesis.sum - sum).abs() < 1e-12, "{} is not {sum}", hypothesis.sum);
    let score = hypothesis.sum / (hypothesis.tokens.len() as f64).powf(plan.length_penalty.get());
    assert!((hypothesis.score - score).abs() < 1e-12, "{} is not {score}", hypothesis.score);
}

/// Every sequence of the first `n` tokens, ended by `end` or by its length, with its score.
fn all_scores(plan: &BeamPlan, logits: &dyn Fn(&[TokenId]) -> Vec<f32>) -> Vec<f64> {
    let mut open = vec![(plan.prompt.clone(), 0.0)];
    let mut scores = Vec::new();
    for length in 1..=plan.max_new_tokens {
        let mut next = Vec::new();
        for (text, sum) in open {
            let logits = &logits(&text)[..plan.n_tokenizer];
            for id in (0..plan.n_tokenizer as u32).map(TokenId) {
                let sum = sum + log_softmax_at(logits, id);
                if plan.end_of_text == Some(id) || length == plan.max_new_tokens {
                    scores.push(plan.length_penalty.score(sum, length));
                } else {
                    next.push(([text.as_slice(), &[id]].concat(), sum));
                }
            }
        }
        open = next;
    }
    scores.sort_by(|a, b| b.total_cmp(a));
    scores
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn one_beam_is_greedy(seed: u32, sharpness in 0.1..4.0_f32, plan in plans()) {
        let plan = BeamPlan { width: BeamWidth::MIN, n_results: 1, ..plan };
        let outcome = search(&mut model(seed, sharpness), &plan).1.unwrap();
        prop_assert_eq!(&outcome.results, std::slice::from_ref(&outcome.greedy));
        let alone = Plan {
            prompt: plan.prompt.clone(),
            settings: greedy(),
            max_new_tokens: plan.max_new_tokens,
            end_of_text: plan.end_of_text,
            ..canned::plan(&[])
        };
        let alone = run(&mut model(seed, sharpness), &alone).1.unwrap();
        prop_assert_eq!(&outcome.greedy.tokens, &alone.tokens);
        prop_assert_eq!(&outcome.greedy.log_probabilities, &alone.log_probabilities);
        prop_assert!(alone.reason != StopReason::User);
    }

    #[test]
    fn results_are_different_sorted_and_add_up(seed: u32, sharpness in 0.1..4.0_f32, plan in plans()) {
        let mut model = model(seed, sharpness);
        let outcome = search(&mut model, &plan).1.unwrap();
        let n_sequences = if plan.max_new_tokens == 1 { N_VOCAB } else { usize::MAX };
        prop_assert_eq!(outcome.results.len(), plan.n_results.min(n_sequences));
        let different: HashSet<_> = outcome.results.iter().map(|result| result.tokens.clone()).collect();
        prop_assert_eq!(different.len(), outcome.results.len());
        prop_assert!(outcome.results.is_sorted_by(|a, b| a.score >= b.score));
        for hypothesis in outcome.results.iter().chain([&outcome.greedy]) {
            assert_adds_up(hypothesis, &plan);
            // The cache held what the sequence says, else the model would have answered otherwise.
            let text = [plan.prompt.as_slice(), &hypothesis.tokens].concat();
            let scored = block_on(model.score(&text)).unwrap();
            for (found, expected) in hypothesis.log_probabilities.iter().zip(&scored[plan.prompt.len() - 1..]) {
                prop_assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
            }
        }
    }

    #[test]
    fn the_tree_holds_what_the_steps_say(seed: u32, sharpness in 0.1..4.0_f32, plan in plans()) {
        let (steps, outcome) = search(&mut model(seed, sharpness), &plan);
        let outcome = outcome.unwrap();
        let mut tree = BeamTree::new();
        for step in &steps {
            let kept = step.candidates.iter().filter(|candidate| matches!(candidate.verdict, Verdict::Kept { .. }));
            prop_assert!(kept.count() <= plan.width.get());
            prop_assert!(step.candidates.len() <= 2 * plan.width.get());
            prop_assert!(step.candidates.is_sorted_by(|a, b| a.sum >= b.sum));
            tree.push(step);
        }
        prop_assert_eq!(&tree, &outcome.tree);
        for node in tree.nodes() {
            let parent = node.parent.map(|parent| tree.nodes()[parent]);
            let (sum, depth) = parent.map_or((0.0, 0), |parent| (parent.sum, parent.depth));
            prop_assert_eq!((node.sum, node.depth), (sum + node.log_probability, depth + 1));
            // Nothing lives on a branch that is pruned, and nothing goes on after an end.
            let on = parent.map_or(Fate::Kept, |parent| parent.fate);
            let both_pruned = matches!((on, node.fate), (Fate::Pruned { .. }, Fate::Pruned { .. }));
            prop_assert!(on == Fate::Kept || both_pruned);
        }
        for result in &outcome.results {
            let path = tree.path_of(&result.tokens);
            prop_assert_eq!(path.len(), result.tokens.len());
            let last = *path.last().unwrap();
            prop_assert_eq!(tree.path_to(last), path);
            prop_assert_eq!(tree.get(last).unwrap().fate, Fate::Finished { score: result.score, end: result.end });
        }
    }

    /// Where the width is not less than the number of sequences, none is missed.
    #[test]
    fn an_exhaustive_width_finds_the_true_best(
        seed: u32,
        sharpness in 0.1..4.0_f32,
        plan in plans(),
        (n_tokenizer, max_new_tokens) in prop::sample::select(vec![(2, 4), (4, 2), (2, 3), (3, 2), (12, 1)]),
        ends: bool,
    ) {
        let end_of_text = ends.then_some(TokenId(1));
        let width = BeamWidth::MAX;
        let early_stopping = EarlyStopping::Exact;
        let plan = BeamPlan { width, n_results: 16, prompt: ids(&[0, 1]), n_tokenizer, max_new_tokens, end_of_text, early_stopping, ..plan };
        let found = search(&mut model(seed, sharpness), &plan).1.unwrap();
        let logits = move |window: &[TokenId]| -> Vec<f32> {
            let seen = [&[TokenId(seed)], window].concat();
            mixed(&seen).iter().map(|logit| logit * sharpness).collect()
        };
        let expected = all_scores(&plan, &logits);
        prop_assert_eq!(found.results.len(), expected.len());
        for (found, expected) in found.results.iter().zip(expected) {
            prop_assert!((found.score - expected).abs() < 1e-12, "{} is not {expected}", found.score);
        }
    }

    #[test]
    fn going_on_is_never_worse(seed: u32, sharpness in 0.1..4.0_f32, plan in plans()) {
        let best = |early_stopping| {
            let plan = BeamPlan { early_stopping, ..plan.clone() };
            search(&mut model(seed, sharpness), &plan).1.unwrap().results[0].score
        };
        prop_assert!(best(EarlyStopping::Exact) >= best(EarlyStopping::Heuristic));
    }
}
