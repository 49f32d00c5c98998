//! The same weights in every form give the same logits, and what does not fit is named (cases 29 and 38).
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use burn::tensor::Device;
use common::tiny::{self, Raw, raw};
use common::wait;
use nucleus_decode::LanguageModel;
use nucleus_decode::sampler::TokenId;
use nucleus_gpt2::checkpoint::Header;
use nucleus_gpt2::{Config, Gpt2, LoadOptions, Loader, WeightFormat};

const IDS: [TokenId; 5] = [TokenId(10), TokenId(0), TokenId(3), TokenId(3), TokenId(7)];

fn logits(model: &Gpt2) -> Vec<Vec<f32>> {
    wait(model.logits_at_every_position(&IDS)).unwrap()
}

fn logits_of_file(file: &[u8]) -> Vec<Vec<f32>> {
    logits(&Gpt2::from_safetensors(&tiny::config(), file, &Device::flex()).unwrap())
}

fn expected() -> Vec<Vec<f32>> {
    logits_of_file(&tiny::file(&tiny::weights(), "F32"))
}

/// The weights with the prefix that `GPT2LMHeadModel` writes.
fn prefixed() -> Vec<Raw> {
    tiny::weights().into_iter().map(|tensor| Raw { name: format!("transformer.{}", tensor.name), ..tensor }).collect()
}

#[test]
fn the_logits_tell_positions_and_tokens_apart() {
    let logits = expected();
    assert!(logits.iter().flatten().all(|logit| logit.is_finite()));
    assert_ne!(logits[2], logits[3], "the same token at two positions");
}

#[test]
fn number_formats_and_prefixes_do_not_matter() {
    for dtype in ["F32", "F16", "BF16"] {
        assert_eq!(logits_of_file(&tiny::file(&tiny::weights(), dtype)), expected(), "{dtype}");
        assert_eq!(logits_of_file(&tiny::file(&prefixed(), dtype)), expected(), "{dtype} with prefix");
    }
}

#[test]
fn masks_and_the_order_of_tensors_do_not_matter() {
    let mut tensors = prefixed();
    for layer in 0..2 {
        tensors.push(raw(&format!("transformer.h.{layer}.attn.bias"), &[1, 1, 8, 8], 99));
        tensors.push(raw(&format!("transformer.h.{layer}.attn.masked_bias"), &[], 99));
    }
    tensors.reverse();
    assert_eq!(logits_of_file(&tiny::file(&tensors, "F16")), expected());
}

#[test]
fn a_head_equal_to_the_embedding_changes_nothing_wherever_it_stands() {
    let head = Raw { name: "lm_head.weight".into(), ..tiny::weights()[0].clone() };
    let mut last = prefixed();
    last.push(head.clone());
    let mut first = prefixed();
    first.insert(0, head);
    for tensors in [first, last] {
        assert_eq!(logits_of_file(&tiny::file(&tensors, "BF16")), expected());
    }
}

#[test]
fn a_head_of_its_own_is_used() {
    // Twice the embedding: twice the logits, exactly.
    let mut head = Raw { name: "lm_head.weight".into(), ..tiny::weights()[0].clone() };
    head.numbers.iter_mut().for_each(|x| *x *= 2.0);
    let doubled: Vec<Vec<f32>> = expected().iter().map(|row| row.iter().map(|x| 2.0 * x).collect()).collect();
    for at in [0, prefixed().len()] {
        let mut tensors = prefixed();
        tensors.insert(at, head.clone());
        assert_eq!(logits_of_file(&tiny::file(&tensors, "F32")), doubled);
    }
}

#[test]
fn cutting_the_embedding_changes_nothing() {
    // A row has 32 bytes: pieces of one row, of 2, of 4 and all 11.
    for max_tensor_bytes in [1, 64, 130, 10_000] {
        let options = LoadOptions { max_tensor_bytes, ..LoadOptions::default() };
        let file = tiny::file(&tiny::weights(), "F16");
        let mut model = Gpt2::from_safetensors_with(&tiny::config(), &file, &Device::flex(), &options).unwrap();
        assert_eq!(logits(&model), expected(), "{max_tensor_bytes} bytes");
        let last = wait(model.prefill(&IDS)).unwrap();
        let whole = wait(tiny::load(&tiny::config(), &tiny::weights()).unwrap().prefill(&IDS)).unwrap();
        assert_eq!(last, whole, "{max_tensor_bytes} bytes");
    }
}

/// Parts may end anywhere, in the middle of a number too, and the embedding is packed as its rows come.
#[test]
fn parts_of_any_length_are_the_whole() {
    let head = Raw { name: "lm_head.weight".into(), ..tiny::weights()[0].clone() };
    let tied: Vec<Raw> = prefixed().into_iter().chain([head]).collect();
    for (tensors, length) in [(prefixed(), 1), (prefixed(), 7), (tied.clone(), 33), (tied, 10_000)] {
        for weights in [WeightFormat::F32, WeightFormat::F16] {
            let file = tiny::file(&tensors, "F16");
            let options = LoadOptions { weights, ..LoadOptions::default() };
            let header = Header::of_file(&file).unwrap();
            let mut loader = Loader::new(&tiny::config(), &header, &Device::flex(), &options).unwrap();
            for tensor in loader.wanted().to_vec() {
                let mut parts = tensor.bytes(&file).chunks(length);
                parts.try_for_each(|part| loader.put_part(&tensor.name, part)).unwrap();
            }
            // What the file holds in f16 is exact in either format.
            assert_eq!(logits(&loader.finish().unwrap()), expected(), "{weights:?}, {length} bytes a part");
        }
    }
}

fn refusal(config: &Config, tensors: &[Raw]) -> String {
    tiny::load(config, tensors).unwrap_err().to_string()
}

#[test]
fn a_missing_tensor_is_named_with_its_shape() {
    let mut tensors = prefixed();
    tensors.retain(|tensor| tensor.name != "transformer.h.1.mlp.c_fc.weight");
    let sentence = refusal(&tiny::config(), &tensors);
    assert!(
        sentence.starts_with("the checkpoint has no tensor \"h.1.mlp.c_fc.weight\", of shape [8, 32]"),
        "{sentence}"
    );
}

#[test]
fn an_extra_tensor_is_named_with_its_shape() {
    for name in ["transformer.h.2.ln_1.weight", "h.0.attn.rotary", "transformer.h.2.attn.bias"] {
        let mut tensors = prefixed();
        tensors.push(raw(name, &[8], 5));
        let sentence = refusal(&tiny::config(), &tensors);
        assert!(
            sentence.starts_with(&format!("the checkpoint has a tensor \"{name}\", of shape [8], that")),
            "{sentence}"
        );
    }
}

#[test]
fn a_misshapen_tensor_is_named_with_both_shapes() {
    let sentence = refusal(&tiny::config_with(r#"{"n_inner": 16}"#), &prefixed());
    assert!(sentence.contains("mlp.c_fc.weight\" has shape [8, 32], but config.json asks for [8, 16]"), "{sentence}");
    // PyTorch's linear stores [out, in]: it must not load by accident.
    let mut tensors = tiny::weights();
    tensors.iter_mut().find(|tensor| tensor.name == "h.0.attn.c_attn.weight").unwrap().shape.reverse();
    let sentence = refusal(&tiny::config(), &tensors);
    assert!(
        sentence.contains("\"h.0.attn.c_attn.weight\" has shape [24, 8], but config.json asks for [8, 24]"),
        "{sentence}"
    );
}

#[test]
fn one_tensor_under_two_names_is_refused() {
    let mut tensors = prefixed();
    tensors.push(tiny::weights()[1].clone());
    let sentence = refusal(&tiny::config(), &tensors);
    assert!(sentence.contains("both \"wpe.weight\" and \"transformer.wpe.weight\""), "{sentence}");
}

#[test]
fn weights_in_f64_are_named() {
    let file = tiny::file(&tiny::weights()[..1], "F64");
    let sentence = Gpt2::from_safetensors(&tiny::config(), &file, &Device::flex()).unwrap_err().to_string();
    assert!(sentence.starts_with("tensor \"wte.weight\" is stored as F64, but"), "{sentence}");
}

#[test]
fn an_untied_model_needs_its_head() {
    let config = tiny::config_with(r#"{"tie_word_embeddings": false}"#);
    let sentence = refusal(&config, &tiny::weights());
    assert!(sentence.starts_with("the checkpoint has no tensor \"lm_head.weight\", of shape [11, 8]"), "{sentence}");
}

#[test]
fn a_loader_takes_tensors_in_any_order_and_counts_their_bytes() {
    let file = tiny::file(&tiny::weights(), "F16");
    let header = Header::of_file(&file).unwrap();
    let new = || Loader::new(&tiny::config(), &header, &Device::flex(), &LoadOptions::default()).unwrap();
    let mut loader = new();
    for tensor in loader.wanted().to_vec().iter().rev() {
        let bytes = tensor.bytes(&file);
        let short = loader.put(&tensor.name, &bytes[1..]).unwrap_err().to_string();
        assert!(short.contains(&format!("has {} bytes, but {} were given", bytes.len(), bytes.len() - 1)), "{short}");
        loader.put(&tensor.name, bytes).unwrap();
    }
    assert_eq!(logits(&loader.finish().unwrap()), expected());

    let mut loader = new();
    assert!(loader.put("h.0.attn.bias", &[]).unwrap_err().to_string().contains("\"h.0.attn.bias\" was given, but"));
    assert!(loader.finish().unwrap_err().to_string().contains("\"wte.weight\" was not given"));
}
