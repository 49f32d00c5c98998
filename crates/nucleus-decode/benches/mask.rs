//! How long the mask for one step takes at GPT-2's vocabulary of 50,257 tokens, in the states in which most tokens are
//! allowed, in which few are, and again where the set is known.
#![allow(missing_docs, reason = "criterion's macros make public items")]
#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

use std::collections::HashMap;
use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use nucleus_decode::{Constraint, ConstraintState, TokenTrie};
use nucleus_sampler::TokenId;

const SCHEMA: &str = r#"{"type": "object", "required": ["name", "age"], "properties": {
    "name": {"type": "string"},
    "age": {"type": "integer"},
    "kind": {"enum": ["cat", "dog", "fox"]},
    "friends": {"type": "array", "items": {"type": "string", "maxLength": 20}}
}}"#;

/// GPT-2's own vocabulary, in the alphabet in which its file writes bytes: printable Latin-1 stands for itself, the
/// rest is moved to U+0100 and on.
fn gpt2() -> Vec<Vec<u8>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/gpt2/encoder.json");
    let ids: HashMap<String, usize> = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let printable = |byte: &u8| matches!(byte, 33..=126 | 161..=172 | 174..=255);
    let moved = (0..=255_u8).filter(|byte| !printable(byte)).zip(256_u32..);
    let alphabet = (0..=255_u8).filter(printable).map(|byte| (byte, u32::from(byte))).chain(moved);
    let alphabet: HashMap<char, u8> = alphabet.map(|(byte, c)| (char::from_u32(c).unwrap(), byte)).collect();
    let mut tokens = vec![Vec::new(); ids.len()];
    for (text, id) in ids {
        tokens[id] = text.chars().map(|c| alphabet[&c]).collect();
    }
    tokens
}

fn mask(criterion: &mut Criterion) {
    let tokens = gpt2();
    let end = TokenId(50_256);
    let slices = || tokens.iter().map(Vec::as_slice);
    let trie = TokenTrie::new(slices(), &[end]);
    let constraint = Constraint::json_schema(SCHEMA).unwrap();
    let begun = ConstraintState::new(&constraint, &trie, Some(end)).unwrap();
    let at = |text: &[u8]| {
        let mut state = begun.clone();
        for byte in text {
            let id = tokens.iter().position(|token| token == &[*byte]).unwrap();
            state.accept(TokenId(id as u32));
        }
        state
    };
    let texts: [(&str, &[u8]); 3] =
        [("start", b""), ("in a string", b"{\"name\":\"a"), ("in a number", b"{\"name\":\"a\",\"age\":1")];
    for (name, text) in texts {
        let state = at(text);
        let mut known = state.clone();
        println!("{name}: {} tokens are allowed", known.allowed(100).len());
        criterion.bench_function(&format!("{name}, new"), |b| {
            let new = || state.clone();
            b.iter_batched_ref(new, |state| black_box(state.allowed(100)).is_empty(), BatchSize::LargeInput);
        });
        criterion.bench_function(&format!("{name}, known"), |b| b.iter(|| black_box(known.allowed(100)).is_empty()));
    }
    println!("the schema's automaton has {} states", constraint.n_states());
    criterion.bench_function("compile the schema", |b| b.iter(|| Constraint::json_schema(black_box(SCHEMA))));
    criterion.bench_function("begin a run", |b| b.iter(|| ConstraintState::new(&constraint, &trie, Some(end))));
    criterion.bench_function("arrange the vocabulary", |b| b.iter(|| TokenTrie::new(slices(), &[end])));
}

criterion_group!(benches, mask);
criterion_main!(benches);
