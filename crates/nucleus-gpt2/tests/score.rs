//! Log-probabilities of a given text.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::{tiny, wait};
use nucleus_decode::LanguageModel;
use nucleus_decode::sampler::{TokenId, log_softmax_at};
use nucleus_gpt2::Gpt2;

/// Any text: ids that jump about in the vocabulary.
fn ids(model: &Gpt2, n: usize) -> Vec<TokenId> {
    (0..n).map(|i| TokenId(((i * i * 31 + i * 17 + 5) % model.n_vocab()) as u32)).collect()
}

#[test]
fn scores_are_log_softmax_and_leave_the_cache_alone() {
    let mut model = tiny::load(&tiny::config(), &tiny::weights()).unwrap();
    let ids = ids(&model, 6);
    wait(model.prefill(&ids[..3])).unwrap();
    let scores = wait(model.score(&ids)).unwrap();
    assert_eq!((model.len(), scores.len()), (3, 5));
    let full = wait(model.logits_at_every_position(&ids)).unwrap();
    for (i, score) in scores.iter().enumerate() {
        let sum: f64 = full[i].iter().map(|&logit| f64::from(logit).exp()).sum();
        let expected = f64::from(full[i][ids[i + 1].index()]) - sum.ln();
        assert!((score - expected).abs() < 1e-12, "position {i}: {score}, not {expected}");
    }
    let undisturbed = wait(model.step(ids[3])).unwrap();
    assert!(undisturbed.iter().zip(&full[3]).all(|(a, b)| (a - b).abs() < 2e-5));
    assert!(wait(model.score(&ids[..1])).unwrap().is_empty());
}

/// 262,144 logits have a mebibyte, of which eight are read at once: 20 positions take three reads.
#[test]
fn a_text_longer_than_one_read_is_scored_as_its_prefixes_are() {
    let fields = r#"{"vocab_size": 262144, "n_positions": 20, "n_embd": 4, "n_head": 1, "n_layer": 1}"#;
    let config = tiny::config_with(fields);
    let mut model = tiny::load(&config, &tiny::weights_of(&config)).unwrap();
    let ids = ids(&model, 20);
    let scores = wait(model.score(&ids)).unwrap();
    let full = wait(model.logits_at_every_position(&ids)).unwrap();
    assert_eq!((scores.len(), full.len()), (19, 20));
    for last in [0, 7, 8, 15, 16, 18] {
        let logits = wait(model.prefill(&ids[..=last])).unwrap();
        let expected = log_softmax_at(&logits, ids[last + 1]);
        assert!((scores[last] - expected).abs() < 1e-5, "position {last}: {}, not {expected}", scores[last]);
        assert!(full[last].iter().zip(&logits).all(|(a, b)| (a - b).abs() < 2e-5), "position {last}");
    }
}
