//! A vocabulary, and a model that is no more than random choices.

use nucleus_decode::{Constraint, ConstraintState, TokenTrie};
use nucleus_sampler::{TokenId, Uniforms};

/// The end of text.
pub const END: TokenId = TokenId(256);

/// One token for each byte, the end of text, and these.
pub fn vocabulary(more: &[&str]) -> Vec<Vec<u8>> {
    let bytes = (0..=u8::MAX).map(|byte| vec![byte]);
    let more = more.iter().map(|token| token.as_bytes().to_vec());
    bytes.chain([b"<|endoftext|>".to_vec()]).chain(more).collect()
}

/// Tokens that hold parts of several JSON tokens, and of characters.
pub const SPANNING: [&str; 16] =
    ["\":\"", "},", "\"},{\"", "[]", "{}", "\": ", "\",\"", ", ", "true", "ru", "e}", "null", "12", ".5", "e1", "世界"];

pub fn trie(tokens: &[Vec<u8>]) -> TokenTrie {
    TokenTrie::new(tokens.iter().map(Vec::as_slice), &[END])
}

/// A text of at most `limit` tokens, each chosen among those allowed: at random, but the end of text only where
/// `ends` says so. Nothing if the limit is too small.
pub fn random(constraint: &Constraint, trie: &TokenTrie, limit: usize, seed: u64, ends: bool) -> Option<Vec<u8>> {
    let mut state = ConstraintState::new(constraint, trie, Some(END)).unwrap();
    if state.least() > limit {
        return None;
    }
    let mut uniforms = Uniforms::new(seed);
    let mut text = Vec::new();
    for left in (1..=limit).rev() {
        assert!(state.least() <= left, "{left} tokens are left and {} needed", state.least());
        let mut allowed = state.allowed(left).clone();
        if !ends {
            allowed.remove(END);
        }
        if allowed.is_empty() {
            assert!(state.is_complete());
            break;
        }
        let place = (uniforms.draw().get() * allowed.len() as f64) as usize;
        let token = allowed.iter().nth(place).unwrap();
        if token == END {
            assert!(state.is_complete());
            break;
        }
        text.extend_from_slice(trie.bytes(token));
        state.accept(token);
    }
    assert!(state.is_complete(), "not complete: {}", String::from_utf8_lossy(&text));
    assert!(constraint.accepts(&text));
    Some(text)
}
