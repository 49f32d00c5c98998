//! Several rows side by side on the CPU (cases 22 and 23): with burn's operations and with this crate's own.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use burn::tensor::Device;
use common::{config, load, model_file, rows, tiny, wait};
use nucleus_decode::sampler::TokenId;
use nucleus_decode::{LanguageModel, Rows};
use nucleus_gpt2::{Gpt2, LoadOptions, ModelError, WeightFormat};

fn models() -> impl Iterator<Item = Gpt2> {
    let all =
        [(false, WeightFormat::F32), (true, WeightFormat::F32), (true, WeightFormat::F16), (true, WeightFormat::Int8)];
    all.into_iter().map(|(own_kernels, weights)| {
        let options = LoadOptions { own_kernels, weights, ..LoadOptions::default() };
        let file = model_file("gpt2-tiny-random", "model.safetensors");
        Gpt2::from_safetensors_with(&config("gpt2-tiny-random"), &file, &Device::flex(), &options).unwrap()
    })
}

#[test]
fn rows_are_what_each_is_alone() {
    models().for_each(|mut model| rows::equal_each_alone(&mut model));
    rows::equal_each_alone(&mut load("tales"));
}

#[test]
fn rows_may_change_places() {
    models().for_each(|mut model| rows::equal_after_reordering(&mut model));
}

#[test]
fn rows_have_the_same_bits_in_every_run_and_beside_any_others() {
    models().for_each(|mut model| rows::do_not_depend_on_others(&mut model));
}

#[test]
fn more_rows_than_go_through_at_once() {
    models().take(2).for_each(|mut model| rows::more_than_one_pass(&mut model));
}

/// This crate's own arithmetic sums a row in the same order whatever stands beside it.
#[test]
fn on_the_cpu_a_row_has_the_bits_that_it_has_alone() {
    for mut model in models().skip(1) {
        let prompts = rows::prompts(&model);
        model.open_rows(4).unwrap();
        let prefill = |(row, prompt): (usize, &Vec<TokenId>)| wait(model.prefill_row(row, prompt)).unwrap();
        let first: Vec<Vec<f32>> = prompts.iter().enumerate().map(prefill).collect();
        let second = wait(model.step_rows(&[0, 1, 2, 3].map(|row| (row, TokenId(row as u32))))).unwrap();
        model.open_rows(1).unwrap();
        for (row, prompt) in prompts.iter().enumerate() {
            assert_eq!(wait(model.prefill(prompt)).unwrap(), first[row]);
            assert_eq!(wait(model.step(TokenId(row as u32))).unwrap(), second[row]);
        }
    }
}

/// What the decoding of one text reads and writes is row 0.
#[test]
fn a_single_text_is_row_0() {
    for mut model in models() {
        let prompts = rows::prompts(&model);
        model.open_rows(2).unwrap();
        wait(model.prefill_row(1, &prompts[2])).unwrap();
        let expected = wait(model.prefill_row(0, &prompts[0])).unwrap();
        assert_eq!(wait(model.prefill(&prompts[0])).unwrap(), expected);
        let next = wait(model.step(TokenId(3))).unwrap();
        assert_eq!((model.len(), model.row_len(0), model.row_len(1)), (10, 10, 23));
        model.rewind(9);
        assert_eq!((model.len(), model.row_len(1)), (9, 23));
        assert_eq!(wait(model.step_rows(&[(0, TokenId(3))])).unwrap(), [next]);
    }
}

fn sentence<T: std::fmt::Debug>(refused: Result<T, ModelError>) -> String {
    refused.unwrap_err().to_string()
}

/// 11 tokens, 8 positions.
#[test]
fn what_cannot_be_is_said_and_changes_nothing() {
    let mut model = tiny::load(&tiny::config(), &tiny::weights()).unwrap();
    model.open_rows(3).unwrap();
    wait(model.prefill_row(0, &[1, 2].map(TokenId))).unwrap();
    wait(model.prefill_row(1, &[1, 2, 3, 4, 5, 6, 7, 8].map(TokenId))).unwrap();
    let mut step = |fed: &[(usize, u32)]| {
        let fed: Vec<_> = fed.iter().map(|&(row, id)| (row, TokenId(id))).collect();
        let refused = sentence(wait(model.step_rows(&fed)));
        assert_eq!([0, 1, 2].map(|row| model.row_len(row)), [2, 8, 0]);
        refused
    };
    assert_eq!(step(&[(0, 1), (3, 1)]), "row 3 is not open, since 3 are, counted from 0: open more of them");
    assert_eq!(step(&[(0, 1), (2, 1)]), "row 2 has read 0 tokens, and a step needs 1 before it: give the row a prompt");
    assert_eq!(
        step(&[(0, 1), (0, 1)]),
        "row 0 is named more than once, but a step adds 1 token to a row: name each row once"
    );
    assert!(step(&[(0, 1), (1, 1)]).starts_with("9 tokens are too many"));
    assert!(step(&[(0, 11)]).starts_with("token id 11 is unknown"));
    assert!(wait(model.step_rows(&[])).unwrap().is_empty());
    assert!(sentence(wait(model.prefill_row(3, &[TokenId(1)]))).starts_with("row 3 is not open"));
    assert!(sentence(wait(model.prefill_row(0, &[]))).starts_with("there are no tokens"));
    assert!(sentence(wait(model.prefill_row(0, &[TokenId(1); 9]))).starts_with("9 tokens are too many"));
    let sentences = [0, 65].map(|rows| sentence(model.open_rows(rows)));
    let expected = "rows cannot be opened, since this device has room for 1 to 64: take a number between";
    assert_eq!(sentences, [0, 65].map(|rows| format!("{rows} {expected}")));
    assert_eq!([0, 1, 2].map(|row| model.row_len(row)), [2, 8, 0]);
}

/// No row is read from where there is none.
#[test]
fn a_row_without_a_source_is_empty() {
    let mut model = tiny::load(&tiny::config(), &tiny::weights()).unwrap();
    model.open_rows(3).unwrap();
    (0..3).for_each(|row| drop(wait(model.prefill_row(row, &[TokenId(1)])).unwrap()));
    model.reorder_rows(&[1, 3]);
    assert_eq!([0, 1, 2, 3].map(|row| model.row_len(row)), [1, 0, 0, 0]);
    assert!(sentence(wait(model.step_rows(&[(1, TokenId(1))]))).starts_with("row 1 has read 0 tokens"));
}
