use nucleus_tokenizer::{Tokenizer, TokenizerError as Error};
use serde_json::json;

use crate::TINY;
use crate::changed::{added, with, without};

macro_rules! assert_refused {
    ($result:expr, $pattern:pat) => {
        let error = $result.unwrap_err();
        assert!(matches!(error, $pattern), "{error:?}");
    };
}

#[test]
fn what_is_not_json_is_refused() {
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
    for bytes in [b"", &b"<!doctype html>"[..], pointer, &TINY[..TINY.len() / 2], b"\xFF\xFE{}", &[TINY, b"x"].concat()]
    {
        assert_refused!(Tokenizer::from_json(bytes), Error::NotJson(_));
    }
    assert_refused!(Tokenizer::from_vocab_and_merges(b"no", b""), Error::NotJson(_));
    let deep = "[".repeat(100_000);
    assert_refused!(Tokenizer::from_json(deep.as_bytes()), Error::NotJson(_) | Error::NotATokenizer(_));
}

#[test]
fn json_of_another_shape_is_refused() {
    for text in ["null", "3", "[]", "{}", r#"{"model": 3}"#, r#"{"model": {"type": 3}}"#] {
        assert_refused!(Tokenizer::from_json(text.as_bytes()), Error::NotATokenizer(_));
    }
    let error = without("", "model").unwrap_err();
    assert!(error.to_string().contains("model"), "{error}");
    assert_refused!(without("/model", "vocab"), Error::NotATokenizer(_));
    for id in [json!(-1), json!(1.5), json!("7"), json!(1u64 << 32), json!(null)] {
        assert_refused!(with("/model/vocab", "!", id), Error::NotATokenizer(_));
    }
    assert_refused!(with("/model", "merges", json!([["a", "b", "c"]])), Error::NotATokenizer(_));
    assert_refused!(Tokenizer::from_vocab_and_merges(b"[]", b""), Error::NotATokenizer(_));
}

#[test]
fn another_kind_of_model_is_named() {
    for found in ["WordPiece", "Unigram", "WordLevel", ""] {
        let error = with("/model", "type", json!(found)).unwrap_err();
        assert!(matches!(error, Error::NotBpe { .. }), "{error:?}");
        assert!(error.to_string().contains(found), "{error}");
    }
    let unigram = json!({ "model": { "type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0]] } });
    assert_refused!(Tokenizer::from_json(unigram.to_string().as_bytes()), Error::NotBpe { .. });
    let error = with("/model", "type", json!("x".repeat(1000))).unwrap_err();
    assert!(error.to_string().len() < 120, "{error}");
}

#[test]
fn another_way_of_cutting_words_is_named() {
    for found in ["Metaspace", "Whitespace", "Sequence"] {
        let error = with("", "pre_tokenizer", json!({ "type": found })).unwrap_err();
        assert!(matches!(error, Error::NotByteLevel { .. }), "{error:?}");
        assert!(error.to_string().contains(found), "{error}");
    }
    assert_refused!(with("", "pre_tokenizer", json!(null)), Error::NotByteLevel { .. });
    assert_refused!(without("", "pre_tokenizer"), Error::NotByteLevel { .. });
}

#[test]
fn settings_that_would_change_the_ids_are_named() {
    for (parent, part, value) in [
        ("", "normalizer", json!({ "type": "NFC" })),
        ("/model", "dropout", json!(0.1)),
        ("/model", "continuing_subword_prefix", json!("##")),
        ("/model", "end_of_word_suffix", json!("</w>")),
        ("/model", "ignore_merges", json!(true)),
    ] {
        let error = with(parent, part, value).unwrap_err();
        assert!(matches!(error, Error::Unsupported { part: named } if named == part), "{error:?}");
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn tokens_outside_the_byte_alphabet_are_named() {
    assert_refused!(with("/model/vocab", "▁the", json!(512)), Error::TokenNotByteLevel { id: 512 });
    assert_refused!(with("/model/vocab", "a b", json!(512)), Error::TokenNotByteLevel { id: 512 });
}

#[test]
fn merge_rules_are_looked_at_one_by_one() {
    assert_refused!(without("/model", "merges"), Error::NoMerges);
    assert_refused!(with("/model", "merges", json!(null)), Error::NoMerges);
    assert_refused!(with("/model", "merges", json!([])), Error::NoMerges);
    assert_refused!(with("/model", "merges", json!([["Ġ", "t"], "Ġt"])), Error::BadMerge { rule: 1 });
    let rule = |left: &str, right: &str| with("/model", "merges", json!([["Ġ", "t"], [left, right]]));
    assert_refused!(rule("no such token", "a"), Error::MergeOutOfVocabulary { rule: 1 });
    assert_refused!(rule("a", "no such token"), Error::MergeOutOfVocabulary { rule: 1 });
    assert_refused!(rule("~", "~"), Error::MergeOutOfVocabulary { rule: 1 });
    assert_refused!(rule("<|endoftext|>", "<|endoftext|>"), Error::MergeOutOfVocabulary { rule: 1 });
    assert_refused!(Tokenizer::from_vocab_and_merges(br#"{"a": 0, "b": 1, "ab": 2}"#, b""), Error::NoMerges);
    assert_refused!(Tokenizer::from_vocab_and_merges(br#"{"a": 0}"#, b"a"), Error::BadMerge { rule: 0 });
    assert_refused!(Tokenizer::from_vocab_and_merges(br#"{"a": 0}"#, b"\xFF"), Error::MergesNotText { valid_up_to: 0 });
}

#[test]
fn ids_are_looked_at_too() {
    assert_refused!(with("/model/vocab", "Ġzzz", json!(3)), Error::DuplicateId { id: 3 });
    assert_refused!(with("/model/vocab", "Ġzzz", json!(u32::MAX)), Error::IdTooLarge { id: u32::MAX, .. });
    assert_refused!(with("", "added_tokens", json!([added(1 << 20, "x", true)])), Error::IdTooLarge { .. });
    assert_refused!(with("", "added_tokens", json!([added(3, "<x>", true)])), Error::DuplicateId { id: 3 });
    assert_refused!(with("", "added_tokens", json!([added(3, "!", true)])), Error::BadAddedToken { id: 3 });
    assert_refused!(with("", "added_tokens", json!([added(600, "", true)])), Error::BadAddedToken { id: 600 });
    let twice = json!([added(600, "<x>", true), added(601, "<x>", true)]);
    assert_refused!(with("", "added_tokens", twice), Error::BadAddedToken { id: 601 });
    let both = json!([added(600, "<x>", true), added(600, "<y>", true)]);
    assert_refused!(with("", "added_tokens", both), Error::DuplicateId { id: 600 });
    assert_refused!(Tokenizer::from_vocab_and_merges(b"{}", b""), Error::EmptyVocabulary);
}
