//! What several rows must be, on any device: the bodies of tests.

use nucleus_decode::sampler::TokenId;
use nucleus_decode::{LanguageModel, Rows};
use nucleus_gpt2::Gpt2;

use super::wait;

/// That of the comparison with the reference: sums in another order.
const LOGIT_TOLERANCE: f64 = 1e-4;

/// Prompts of different length: ids that jump about in the vocabulary.
pub fn prompts(model: &Gpt2) -> Vec<Vec<TokenId>> {
    let id = |row: usize, i: usize| TokenId(((i * i * 31 + i * 17 + row * 41 + 5) % model.n_vocab()) as u32);
    [9, 1, 23, 4].into_iter().enumerate().map(|(row, n)| (0..n).map(|i| id(row, i)).collect()).collect()
}

fn top(logits: &[f32]) -> TokenId {
    let best = logits.iter().enumerate().rev().max_by(|a, b| a.1.total_cmp(b.1)).unwrap();
    TokenId(best.0 as u32)
}

fn near(found: &[f32], expected: &[f32], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let distance = found.iter().zip(expected).map(|(a, b)| f64::from((a - b).abs())).fold(0.0, f64::max);
    assert!(distance <= LOGIT_TOLERANCE, "{what}: {distance}");
}

/// The logits after a prompt and after each of the likeliest tokens that follow.
fn alone(model: &mut Gpt2, prompt: &[TokenId], steps: usize) -> Vec<Vec<f32>> {
    model.open_rows(1).unwrap();
    let mut all = vec![wait(model.prefill(prompt)).unwrap()];
    for step in 0..steps {
        all.push(wait(model.step(top(&all[step]))).unwrap());
    }
    all
}

/// The same for each prompt, all in one cache.
fn together(model: &mut Gpt2, prompts: &[Vec<TokenId>], steps: usize) -> Vec<Vec<Vec<f32>>> {
    model.open_rows(prompts.len()).unwrap();
    let prefill = |(row, prompt): (usize, &Vec<TokenId>)| vec![wait(model.prefill_row(row, prompt)).unwrap()];
    let mut all: Vec<Vec<Vec<f32>>> = prompts.iter().enumerate().map(prefill).collect();
    for step in 0..steps {
        let fed: Vec<_> = all.iter().map(|logits| top(&logits[step])).enumerate().collect();
        all.iter_mut().zip(wait(model.step_rows(&fed)).unwrap()).for_each(|(all, logits)| all.push(logits));
    }
    all
}

/// Greedily, the logits are near and the texts equal.
pub fn equal_each_alone(model: &mut Gpt2) {
    let prompts = prompts(model);
    let found = together(model, &prompts, 8);
    (0..prompts.len()).for_each(|row| assert_eq!(model.row_len(row), prompts[row].len() + 8));
    for (row, (prompt, found)) in prompts.iter().zip(found).enumerate() {
        for (step, (found, expected)) in found.iter().zip(&alone(model, prompt, 8)).enumerate() {
            near(found, expected, &format!("row {row}, step {step}"));
            assert_eq!(top(found), top(expected), "row {row}, step {step}");
        }
    }
}

/// After rows have changed places, with copies of some, each goes on as the text that it now has does.
pub fn equal_after_reordering(model: &mut Gpt2) {
    let mut texts = prompts(model);
    together(model, &texts, 0);
    let steps = [
        (vec![2, 0, 0, 3], vec![0, 1, 3]),
        (vec![3, 2, 1, 0], vec![3, 2, 1, 0]),
        (vec![0, 1, 2, 3], vec![2]),
        (vec![1, 1, 1, 1], vec![0, 1, 2, 3]),
    ];
    for (from, rows) in steps {
        model.reorder_rows(&from);
        texts = from.iter().map(|&row| texts[row].clone()).collect();
        let fed: Vec<_> = rows.iter().map(|&row| (row, TokenId(7 * row as u32 + 1))).collect();
        let found = wait(model.step_rows(&fed)).unwrap();
        fed.iter().for_each(|&(row, id)| texts[row].push(id));
        (0..4).for_each(|row| assert_eq!(model.row_len(row), texts[row].len()));
        for (found, row) in found.iter().zip(rows) {
            let expected = wait(model.logits_at_every_position(&texts[row])).unwrap();
            near(found, expected.last().unwrap(), &format!("row {row} after {from:?}"));
        }
    }
}

/// To the last bit: the same in every run, and whatever is in the other rows.
pub fn do_not_depend_on_others(model: &mut Gpt2) {
    let prompts = prompts(model);
    let first = together(model, &prompts, 3);
    assert_eq!(together(model, &prompts, 3), first);
    let mut others: Vec<Vec<TokenId>> = prompts.iter().rev().cloned().collect();
    others[1] = prompts[1].clone();
    let beside = together(model, &others, 3);
    assert_eq!(beside[1], first[1]);
    assert_ne!(beside[0], first[0]);
}

/// Twenty rows, of which a pass reads sixteen; every third is a copy of the row before.
pub fn more_than_one_pass(model: &mut Gpt2) {
    let prompts: Vec<Vec<TokenId>> =
        (0..20).map(|row| (0..=row % 5).map(|i| TokenId((row * 13 + i) as u32)).collect()).collect();
    together(model, &prompts, 0);
    let from: Vec<usize> = (0..20).map(|row| if row % 3 == 2 { row - 1 } else { row }).collect();
    model.reorder_rows(&from);
    let fed: Vec<_> = (0..20).map(|row| (row, TokenId(row as u32))).collect();
    let found = wait(model.step_rows(&fed)).unwrap();
    assert_eq!(found.len(), 20);
    for (row, found) in found.iter().enumerate() {
        let text = [&prompts[from[row]][..], &[TokenId(row as u32)]].concat();
        let expected = wait(model.logits_at_every_position(&text)).unwrap();
        near(found, expected.last().unwrap(), &format!("row {row}"));
    }
}
