//! Laws that hold for every file and every text: nothing panics, and no byte of a text is lost.

use nucleus_tokenizer::{SpecialTokens, Tokenizer, TokenizerError as Error};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::TINY;

/// Tokens of the byte alphabet, then some that are outside it, or empty.
const TOKENS: [&str; 13] = ["a", "b", "Ġ", "Ã", "©", "ab", "Ġa", "aba", "<|endoftext|>", "<x>", "<x>a", "é", ""];

fn token() -> impl Strategy<Value = String> {
    prop_oneof![8 => 0..TOKENS.len() - 2, 1 => 0..TOKENS.len()].prop_map(|index| TOKENS[index].to_owned())
}

/// A file of the right shape, in which now and then something contradicts something else.
fn small_file() -> impl Strategy<Value = Value> {
    let first = 5..TOKENS.len() - 1;
    let vocab = first.prop_flat_map(|n| Just(TOKENS[..n].to_vec()).prop_shuffle());
    let stray = prop::option::weighted(0.1, (token(), prop_oneof![0..20u32, any::<u32>()]));
    let rules = prop::sample::subsequence(vec![("a", "b"), ("Ġ", "a"), ("ab", "a")], 1..=3).prop_shuffle();
    let stray_rule = prop::option::weighted(0.1, (token(), token()));
    let added = prop::collection::vec((token(), 0..9u32, prop::array::uniform5(any::<bool>())), 0..3);
    let switches = (any::<bool>(), any::<bool>());
    (vocab, stray, rules, stray_rule, added, switches).prop_map(
        |(vocab, stray, rules, stray_rule, added, (add_prefix_space, use_regex))| {
            let mut ids: Map<String, Value> =
                (0u32..).zip(vocab).map(|(id, token)| (token.to_owned(), json!(id))).collect();
            let added: Vec<Value> =
                added.into_iter().map(|(token, id, flags)| spell_added(&ids, &token, id, flags)).collect();
            ids.extend(stray.map(|(token, id)| (token, json!(id))));
            let rules: Vec<Value> =
                rules.into_iter().map(|rule| json!(rule)).chain(stray_rule.map(|rule| json!(rule))).collect();
            json!({
                "added_tokens": added,
                "pre_tokenizer": { "type": "ByteLevel", "add_prefix_space": add_prefix_space, "use_regex": use_regex },
                "model": { "type": "BPE", "vocab": ids, "merges": rules },
            })
        },
    )
}

/// An added token with the vocabulary's id for it, or else with one of nine.
fn spell_added(ids: &Map<String, Value>, token: &str, id: u32, flags: [bool; 5]) -> Value {
    let id = ids.get(token).cloned().unwrap_or(json!(id + 8));
    let [single_word, lstrip, rstrip, normalized, special] = flags;
    json!({ "id": id, "content": token, "single_word": single_word, "lstrip": lstrip, "rstrip": rstrip,
            "normalized": normalized, "special": special })
}

/// A text in which the tokens of [`small_file`] occur.
fn small_text() -> impl Strategy<Value = String> {
    let parts = prop::sample::select(vec!["a", "b", " ", "ab", "é", "Ã", "<x>", "x", "\n", "<|endoftext|>"]);
    prop::collection::vec(parts, 0..12).prop_map(|parts| parts.concat())
}

/// Whether an added token takes the white space beside it.
fn strips(file: &Value) -> bool {
    file["added_tokens"].as_array().unwrap().iter().any(|token| token["lstrip"] == true || token["rstrip"] == true)
}

fn spelled(tokenizer: &Tokenizer, ids: &[u32]) -> String {
    let bytes: Vec<u8> = ids.iter().flat_map(|&id| tokenizer.bytes(id).unwrap()).copied().collect();
    String::from_utf8(bytes).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn no_file_crashes_or_loses_text(file in small_file(), text in small_text()) {
        if let Ok(tokenizer) = Tokenizer::from_json(file.to_string().as_bytes()) {
            for special in [SpecialTokens::AsText, SpecialTokens::Parsed] {
                match tokenizer.encode(&text, special) {
                    Ok(ids) if strips(&file) => prop_assert!(ids.iter().all(|&id| tokenizer.bytes(id).is_some())),
                    Ok(ids) if file["pre_tokenizer"]["add_prefix_space"] == true => {
                        prop_assert_eq!(spelled(&tokenizer, &ids).replace(' ', ""), text.replace(' ', ""));
                    }
                    Ok(ids) => prop_assert_eq!(&spelled(&tokenizer, &ids), &text),
                    Err(error) => prop_assert!(matches!(error, Error::NoTokenForByte { .. }), "{:?}", error),
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_comes_back_byte_for_byte(text: String) {
        let tokenizer = Tokenizer::from_json(TINY).unwrap();
        let ids = tokenizer.encode(&text, SpecialTokens::AsText).unwrap();
        prop_assert_eq!(spelled(&tokenizer, &ids), text);
    }

    #[test]
    fn bytes_of_any_kind_are_no_tokenizer(bytes: Vec<u8>, cut: prop::sample::Index) {
        prop_assert!(Tokenizer::from_json(&bytes).is_err());
        prop_assert!(Tokenizer::from_json(&TINY[..cut.index(TINY.len() - 2)]).is_err());
        let merges = [b"a ", bytes.as_slice()].concat();
        let result = Tokenizer::from_vocab_and_merges(br#"{"a": 0}"#, &merges);
        prop_assert!(result.is_err());
    }
}
