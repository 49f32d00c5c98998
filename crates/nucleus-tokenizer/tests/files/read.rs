use nucleus_tokenizer::{SpecialTokens, Tokenizer, TokenizerError as Error};
use serde_json::json;

use crate::changed::{added, changed, with};
use crate::{END, TINY};

#[test]
fn a_gap_in_the_ids_stands_for_nothing() {
    let tokenizer = with("", "added_tokens", json!([added(600, "<é>", true)])).unwrap();
    assert_eq!(tokenizer.n_vocab(), 601);
    assert_eq!(tokenizer.bytes(555), Some(&b""[..]));
    assert_eq!(tokenizer.bytes(600), Some("<é>".as_bytes()));
    assert_eq!(tokenizer.encode("<é>", SpecialTokens::Parsed).unwrap(), [600]);
}

#[test]
fn added_tokens_that_are_not_special_are_found_in_any_text() {
    let tokens = json!([added(511, END, true), added(512, "<user>", false), added(513, "<user>:", false)]);
    let tokenizer = with("", "added_tokens", tokens).unwrap();
    let encode = |text, special| tokenizer.encode(text, special).unwrap();
    for special in [SpecialTokens::AsText, SpecialTokens::Parsed] {
        assert_eq!(encode("<user><user>:", special), [512, 513], "the longest spelling wins");
    }
    let ids = encode("<user><|endoftext|><user>", SpecialTokens::AsText);
    assert_eq!((ids[0], ids[ids.len() - 1]), (512, 512));
    assert!(!ids.contains(&511));
    assert_eq!(encode("<user><|endoftext|><user>", SpecialTokens::Parsed), [512, 511, 512]);
}

#[test]
fn a_file_may_ask_for_a_leading_space() {
    let plain = Tokenizer::from_json(TINY).unwrap();
    let spaced = with("/pre_tokenizer", "add_prefix_space", json!(true)).unwrap();
    let encode = |tokenizer: &Tokenizer, text| tokenizer.encode(text, SpecialTokens::AsText).unwrap();
    assert_eq!(encode(&spaced, "the king"), encode(&plain, " the king"));
    assert_eq!(encode(&spaced, " the king"), encode(&plain, " the king"));
    assert_ne!(encode(&plain, "the king"), encode(&plain, " the king"));
    assert!(encode(&spaced, "").is_empty());
}

#[test]
fn older_spellings_of_the_file_are_read() {
    let today = Tokenizer::from_json(TINY).unwrap();
    let older = changed(|file| {
        let model = file["model"].as_object_mut().unwrap();
        model.remove("type");
        model.insert("continuing_subword_prefix".to_owned(), json!(""));
        model.insert("end_of_word_suffix".to_owned(), json!(""));
        for rule in model["merges"].as_array_mut().unwrap() {
            *rule = json!(format!("{} {}", rule[0].as_str().unwrap(), rule[1].as_str().unwrap()));
        }
    })
    .unwrap();
    let text = "Once upon a time there was a king, and the king's daughter.";
    let encode = |tokenizer: &Tokenizer| tokenizer.encode(text, SpecialTokens::AsText).unwrap();
    assert_eq!(encode(&older), encode(&today));
    assert!(encode(&today).len() < text.len(), "some rules were used");
    assert_eq!(older.all_bytes(), today.all_bytes());
}

#[test]
fn a_byte_without_a_token_is_named_and_not_dropped() {
    let letters = Tokenizer::from_vocab_and_merges(br#"{"a": 0, "b": 1, "ab": 2, "<": 3}"#, b"a b").unwrap();
    assert_eq!(letters.encode("abba<", SpecialTokens::AsText).unwrap(), [2, 1, 0, 3]);
    assert_eq!(letters.end_of_text(), None);
    for (text, byte) in [("abc", b'c'), ("cab", b'c'), ("a b", b' '), ("ab\u{e9}", 0xC3)] {
        let error = letters.encode(text, SpecialTokens::AsText).unwrap_err();
        assert!(matches!(error, Error::NoTokenForByte { byte: named } if named == byte), "{text}: {error:?}");
    }
}

#[test]
fn a_text_beyond_the_limit_is_refused_with_both_numbers() {
    let tokenizer = Tokenizer::from_json(TINY).unwrap();
    let text = "a".repeat(Tokenizer::MAX_TEXT_BYTES + 1);
    let error = tokenizer.encode(&text, SpecialTokens::AsText).unwrap_err();
    assert!(matches!(error, Error::TextTooLong { length: 1_000_001, limit: 1_000_000 }), "{error:?}");
    assert!(tokenizer.encode(&text[1..], SpecialTokens::AsText).is_ok());
}
