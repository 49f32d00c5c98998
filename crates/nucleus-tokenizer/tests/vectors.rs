//! The ids and bytes of GPT-2's vocabulary and of the two models that come with the page. One body, run natively and in
//! the browser: the two use the same regular expression engine, and the white-space look-ahead must be right in both.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::sync::LazyLock;

use nucleus_tokenizer::{SpecialTokens, Tokenizer};
use serde::Deserialize;

#[cfg(not(target_family = "wasm"))]
use core::prelude::v1::test;
#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[cfg(target_family = "wasm")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

const VECTORS: &[u8] = include_bytes!("../../../tests/vectors/tokenizer_vectors.json");
const GPT2_VOCAB: &[u8] = include_bytes!("../../../tests/vectors/gpt2/encoder.json");
const GPT2_MERGES: &[u8] = include_bytes!("../../../tests/vectors/gpt2/vocab.bpe");
const TALES_JSON: &[u8] = include_bytes!("../../../www/models/tales/tokenizer.json");
const TALES_REFERENCE: &[u8] = include_bytes!("../../../www/models/tales/reference.json");
const TINY_JSON: &[u8] = include_bytes!("../../../www/models/gpt2-tiny-random/tokenizer.json");
const TINY_REFERENCE: &[u8] = include_bytes!("../../../www/models/gpt2-tiny-random/reference.json");

const END: &str = "<|endoftext|>";

#[derive(Deserialize)]
struct Vectors {
    vocab_size: usize,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    text: String,
    ids: Vec<u32>,
    bytes: Vec<String>,
}

#[derive(Deserialize)]
struct Reference {
    prompts: Vec<Prompt>,
}

#[derive(Deserialize)]
struct Prompt {
    text: String,
    ids: Vec<u32>,
    greedy: Vec<u32>,
    greedy_text: String,
}

static GPT2: LazyLock<Tokenizer> = LazyLock::new(|| Tokenizer::from_vocab_and_merges(GPT2_VOCAB, GPT2_MERGES).unwrap());
static TALES: LazyLock<Tokenizer> = LazyLock::new(|| Tokenizer::from_json(TALES_JSON).unwrap());
static TINY: LazyLock<Tokenizer> = LazyLock::new(|| Tokenizer::from_json(TINY_JSON).unwrap());

fn typed(tokenizer: &Tokenizer, text: &str) -> Vec<u32> {
    tokenizer.encode(text, SpecialTokens::AsText).unwrap()
}

fn parsed(tokenizer: &Tokenizer, text: &str) -> Vec<u32> {
    tokenizer.encode(text, SpecialTokens::Parsed).unwrap()
}

fn bytes(tokenizer: &Tokenizer, ids: &[u32]) -> Vec<u8> {
    ids.iter().flat_map(|&id| tokenizer.bytes(id).unwrap()).copied().collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn every_vector_of_gpt2_has_its_ids_and_bytes() {
    let vectors: Vectors = serde_json::from_slice(VECTORS).unwrap();
    assert_eq!(GPT2.n_vocab(), vectors.vocab_size);
    assert!(vectors.cases.len() > 50);
    for case in vectors.cases {
        let ids = typed(&GPT2, &case.text);
        assert_eq!(ids, case.ids, "{:?}", case.text);
        let spelled: Vec<String> = ids.iter().map(|&id| hex(GPT2.bytes(id).unwrap())).collect();
        assert_eq!(spelled, case.bytes, "{:?}", case.text);
        assert_eq!(bytes(&GPT2, &ids), case.text.as_bytes(), "{:?}", case.text);
    }
}

#[test]
fn words_are_cut_before_they_are_merged() {
    assert_eq!(typed(&GPT2, "abc abc"), [39305, 450, 66]);
}

#[test]
fn the_last_space_of_a_run_belongs_to_the_next_word() {
    assert_eq!(typed(&GPT2, "a   b"), [64, 220, 220, 275]);
    assert_eq!(typed(&GPT2, "a   "), [64, 220, 220, 220]);
    assert_eq!(typed(&GPT2, "a \n b"), [64, 220, 198, 275]);
}

#[test]
fn a_long_run_of_white_space_is_one_word_like_a_short_one() {
    let text = format!("{}b", " ".repeat(Tokenizer::MAX_TEXT_BYTES - 1));
    let ids = typed(&GPT2, &text);
    assert_eq!(ids.last(), Some(&275), "the last space goes with the b");
    assert_eq!(bytes(&GPT2, &ids), text.as_bytes());
}

#[test]
fn every_character_comes_back_byte_for_byte() {
    let planes = [0..0xD800, 0xE000..0x3_2000, 0xE_0000..0xE_0200, 0x10_FF00..0x11_0000];
    let text: String = planes.into_iter().flatten().step_by(7).filter_map(char::from_u32).collect();
    assert_eq!(bytes(&GPT2, &typed(&GPT2, &text)), text.as_bytes());
}

#[test]
fn a_special_token_that_is_typed_is_text() {
    for tokenizer in [&GPT2, &TALES, &TINY] {
        let end = tokenizer.end_of_text().unwrap();
        assert_eq!(tokenizer.bytes(end), Some(END.as_bytes()));
        for (text, ends) in [
            (END.to_owned(), 1),
            (format!("{END}{END}{END}"), 3),
            (format!("{END} a {END}{END} b\n{END}"), 4),
            (format!("<|endoftext<|endoftext|>|>{END}"), 2),
            ("<|endoftext|".to_owned(), 0),
        ] {
            let as_text = typed(tokenizer, &text);
            assert!(!as_text.contains(&end), "{text:?}");
            assert_eq!(bytes(tokenizer, &as_text), text.as_bytes(), "{text:?}");
            let special = parsed(tokenizer, &text);
            assert_eq!(special.iter().filter(|&&id| id == end).count(), ends, "{text:?}");
            assert_eq!(bytes(tokenizer, &special), text.as_bytes(), "{text:?}");
        }
    }
}

#[test]
fn around_a_parsed_special_token_the_text_is_encoded_by_itself() {
    let text = format!("{END}Hello world{END}{END} man{END}");
    assert_eq!(parsed(&GPT2, &text), [50256, 15496, 995, 50256, 50256, 582, 50256]);
    assert_eq!(parsed(&GPT2, "Hello world"), typed(&GPT2, "Hello world"));
    assert!(parsed(&GPT2, "").is_empty());
}

#[test]
fn the_shipped_models_read_their_prompts_as_the_reference_does() {
    for (tokenizer, reference, n_vocab, end) in [(&TALES, TALES_REFERENCE, 4096, 0), (&TINY, TINY_REFERENCE, 512, 511)]
    {
        assert_eq!(tokenizer.n_vocab(), n_vocab);
        assert_eq!(tokenizer.end_of_text(), Some(end));
        let reference: Reference = serde_json::from_slice(reference).unwrap();
        assert!(!reference.prompts.is_empty());
        for prompt in reference.prompts {
            assert_eq!(typed(tokenizer, &prompt.text), prompt.ids, "{:?}", prompt.text);
            let text = bytes(tokenizer, &prompt.greedy);
            assert_eq!(String::from_utf8_lossy(&text), prompt.greedy_text, "{:?}", prompt.text);
        }
    }
}

#[test]
fn the_flat_table_has_the_bytes_of_every_id() {
    for tokenizer in [&GPT2, &TALES] {
        let (flat, ends) = tokenizer.all_bytes();
        assert_eq!(ends.len(), tokenizer.n_vocab());
        assert_eq!(ends.last().copied(), u32::try_from(flat.len()).ok());
        let mut start = 0;
        for (id, &end) in (0..).zip(ends) {
            assert_eq!(tokenizer.bytes(id), Some(&flat[start..end as usize]));
            assert!(end as usize > start, "every id stands for something");
            start = end as usize;
        }
        assert_eq!(tokenizer.bytes(ends.len() as u32), None);
    }
}
