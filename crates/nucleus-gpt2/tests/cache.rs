//! With the cache and without it, at the ends of the context, and again (cases 20 and 21).
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::{load, tiny, wait};
use nucleus_decode::LanguageModel;
use nucleus_decode::sampler::TokenId;
use nucleus_gpt2::Gpt2;

/// One position and many go through different products, whose sums differ in order only.
const TOLERANCE: f32 = 2e-5;

fn largest_distance(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

/// Any text: ids that jump about in the vocabulary.
fn ids(model: &Gpt2, n: usize) -> Vec<TokenId> {
    (0..n).map(|i| TokenId(((i * i * 31 + i * 17 + 5) % model.n_vocab()) as u32)).collect()
}

/// From the first position to the last of the context, every cached step equals the full pass.
#[test]
fn every_cached_step_equals_the_full_pass() {
    let mut model = load("gpt2-tiny-random");
    let ids = ids(&model, model.n_ctx());
    let full = wait(model.logits_at_every_position(&ids)).unwrap();
    for prompt in [1, 2, 40, ids.len()] {
        let mut logits = wait(model.prefill(&ids[..prompt])).unwrap();
        for position in prompt.. {
            assert_eq!(model.len(), position);
            let distance = largest_distance(&logits, &full[position - 1]);
            assert!(distance <= TOLERANCE, "prompt of {prompt}, position {}: {distance}", position - 1);
            if position == ids.len() {
                break;
            }
            logits = wait(model.step(ids[position])).unwrap();
        }
    }
}

#[test]
fn two_runs_give_the_same_bits() {
    let run = || {
        let mut model = load("tales");
        let ids = ids(&model, 20);
        let mut all = vec![wait(model.prefill(&ids[..12])).unwrap()];
        all.extend(ids[12..].iter().map(|&id| wait(model.step(id)).unwrap()));
        all
    };
    let first = run();
    assert_eq!(first, run());
}

#[test]
fn a_prefill_forgets_what_was_cached() {
    let mut model = load("gpt2-tiny-random");
    let ids = ids(&model, 30);
    let fresh = wait(model.prefill(&ids[20..])).unwrap();
    wait(model.prefill(&ids)).unwrap();
    assert_eq!(wait(model.prefill(&ids[20..])).unwrap(), fresh);
    assert_eq!(model.len(), 10);
}

#[test]
fn the_context_is_filled_to_the_last_position_and_no_further() {
    let mut model = load("gpt2-tiny-random");
    let (n_ctx, long) = (model.n_ctx(), ids(&model, model.n_ctx() + 1));
    let sentence = wait(model.prefill(&long)).unwrap_err().to_string();
    assert_eq!(sentence, "65 tokens are too many, since the model has 64 positions: leave out the oldest");
    wait(model.prefill(&long[..n_ctx - 1])).unwrap();
    let last = wait(model.step(long[n_ctx - 1])).unwrap();
    assert!(last.iter().all(|logit| logit.is_finite()));
    assert!(wait(model.step(long[n_ctx])).unwrap_err().to_string().starts_with("65 tokens are too many"));
    assert_eq!(model.len(), n_ctx, "what was refused is not in the cache");
    // The window that follows: the last n_ctx tokens, encoded anew, are the same as without a cache.
    let window = wait(model.prefill(&long[1..])).unwrap();
    let full = wait(model.logits_at_every_position(&long[1..])).unwrap();
    assert!(largest_distance(&window, &full[n_ctx - 1]) <= TOLERANCE);
}

#[test]
fn what_cannot_be_encoded_is_said() {
    let mut model = tiny::load(&tiny::config(), &tiny::weights()).unwrap();
    assert_eq!(wait(model.prefill(&[])).unwrap_err().to_string(), "there are no tokens to encode: give at least 1");
    let sentence = wait(model.prefill(&[TokenId(0), TokenId(11)])).unwrap_err().to_string();
    assert_eq!(
        sentence,
        "token id 11 is unknown, since the model's vocabulary has 11 entries: use this model's tokenizer"
    );
    assert!(wait(model.score(&[])).is_err() && wait(model.logits_at_every_position(&[])).is_err());
}
