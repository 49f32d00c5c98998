//! The kernels on a Vulkan device: against Hugging Face's numbers, and against burn's operations on random weights.
//!
//! `cargo xtask test` points the Vulkan loader to the software device that comes with Chromium.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use std::sync::OnceLock;

use burn::tensor::Device;
use burn::tensor::wgpu::{MemoryConfiguration, WgpuBackend};
use common::tiny::{self, Raw, raw};
use common::{config, model_file, rows, wait};
use half::f16;
use nucleus_decode::sampler::TokenId;
use nucleus_decode::{LanguageModel, Rows};
use nucleus_gpt2::checkpoint::Header;
use nucleus_gpt2::parity::{Extent, Report, compare_within, tolerance};
use nucleus_gpt2::{Config, Gpt2, LoadError, LoadOptions, Loader, WeightFormat, Workgroups};

const SHAPES: [Workgroups; 2] = [Workgroups::Plain, Workgroups::Tiled];
const FORMATS: [WeightFormat; 3] = [WeightFormat::F32, WeightFormat::F16, WeightFormat::Int8];

/// Every buffer in memory of its own, as in a browser: a kernel may not read and write the same.
fn device() -> Device {
    static DEVICE: OnceLock<Device> = OnceLock::new();
    DEVICE.get_or_init(open).clone()
}

/// One that no other test uses.
fn open() -> Device {
    let options = Device::wgpu_options().graphics_api(WgpuBackend::Vulkan).tasks_max(512);
    let opened = options.memory_config(MemoryConfiguration::ExclusivePages).init();
    opened.expect("no Vulkan device: run the tests with `cargo xtask test native`")
}

fn options(workgroups: Workgroups, weights: WeightFormat) -> LoadOptions {
    LoadOptions { workgroups, weights, ..LoadOptions::default() }
}

fn parity(model: &str, options: LoadOptions, extent: Extent) -> Report {
    let weights = model_file(model, "model.safetensors");
    let mut loaded = Gpt2::from_safetensors_with(&config(model), &weights, &device(), &options).unwrap();
    let report =
        wait(compare_within(&mut loaded, &model_file(model, "reference.json"), extent, tolerance(options.weights)))
            .unwrap();
    println!("{model} {options:?}: {report:?}");
    report
}

#[test]
fn tales_agrees_with_transformers() {
    let report = parity("tales", options(Workgroups::Plain, WeightFormat::F32), Extent::ALL);
    assert_eq!((report.prompts, report.greedy_tokens, report.batch_tokens, report.beams), (5, 150, 166, 18));
}

#[test]
fn random_weights_agree_with_transformers_in_both_shapes() {
    // A device in software is slow where threads wait for each other.
    let some = Extent { prompts: 1, new_tokens: 10, beams: 2, window: false };
    let all = (Workgroups::Plain, Extent::ALL, (90, 103));
    for (workgroups, extent, tokens) in [all, (Workgroups::Tiled, some, (10, 13))] {
        let report = parity("gpt2-tiny-random", options(workgroups, WeightFormat::F32), extent);
        assert_eq!((report.greedy_tokens, report.batch_tokens), tokens);
    }
}

#[test]
fn packed_weights_stay_within_their_tolerances() {
    let extent = Extent { new_tokens: 10, ..Extent::ALL };
    for (model, weights) in
        ["gpt2-tiny-random", "tales"].into_iter().flat_map(|m| [(m, WeightFormat::F16), (m, WeightFormat::Int8)])
    {
        parity(model, options(Workgroups::Plain, weights), extent);
    }
}

/// A matrix as the kernels hold it, rounded by a formula of this test's own. A model of these weights in burn's
/// operations must give what the kernels give.
fn rounded(tensor: &Raw, format: WeightFormat) -> Raw {
    let is_product = tensor.shape.len() == 2 && tensor.name != "wpe.weight";
    let numbers = match format {
        _ if !is_product => tensor.numbers.clone(),
        WeightFormat::F32 => tensor.numbers.clone(),
        WeightFormat::F16 => tensor.numbers.iter().map(|&x| f16::from_f32(x).to_f32()).collect(),
        WeightFormat::Int8 => tensor.numbers.chunks(32).flat_map(block_of_int8).collect(),
    };
    Raw { numbers, ..tensor.clone() }
}

fn block_of_int8(block: &[f32]) -> Vec<f32> {
    let largest = block.iter().map(|x| x.abs()).fold(0.0, f32::max);
    block.iter().map(|x| (x * (127.0 / largest)).round() / 127.0 * largest).collect()
}

/// Weights that no format holds exactly, and small enough for a softmax with more than one token in it.
fn random(config: &Config) -> Vec<Raw> {
    let shrunk = |tensor: Raw| {
        let factor = if tensor.name.contains("ln_") { 1.0 } else { 0.31 };
        Raw { numbers: tensor.numbers.iter().map(|x| x * factor).collect(), ..tensor }
    };
    tiny::weights_of(config).into_iter().map(shrunk).collect()
}

/// In each of these something is smaller than a workgroup, or fills none; the context of the first has two tiles.
fn configs(multiple: usize) -> Vec<Config> {
    let c = |n: usize| n * multiple;
    [
        format!(
            r#"{{"n_embd": {}, "n_head": 2, "n_inner": {}, "n_layer": 1, "n_positions": 300, "vocab_size": 13}}"#,
            c(2),
            c(1)
        ),
        format!(r#"{{"n_embd": {}, "n_head": 1, "n_inner": {}, "n_positions": 90, "vocab_size": 9}}"#, c(1), c(5)),
        format!(r#"{{"n_embd": {}, "n_head": 3, "n_layer": 1, "n_positions": 90, "vocab_size": 70}}"#, c(3)),
    ]
    .map(|fields| tiny::config_with(&fields))
    .into()
}

fn ids(n: usize, config: &Config) -> Vec<TokenId> {
    (0..n).map(|i| TokenId(((7 * i + i * i / 3) % config.n_vocab) as u32)).collect()
}

/// Both sides add the same products in f32 in different orders.
fn near(found: &[f32], expected: &[f32], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-4 * expected.abs().max(1.0), "{what}: {found}, not {expected}");
    }
}

#[test]
fn kernels_agree_with_burns_operations_on_random_weights() {
    for format in FORMATS {
        for config in configs(if format == WeightFormat::Int8 { 32 } else { 4 }) {
            let tensors = random(&config);
            let as_held: Vec<Raw> = tensors.iter().map(|tensor| rounded(tensor, format)).collect();
            let mut reference = tiny::load(&config, &as_held).unwrap();
            for workgroups in SHAPES {
                let file = tiny::file(&tensors, "F32");
                let options = options(workgroups, format);
                let mut model = Gpt2::from_safetensors_with(&config, &file, &device(), &options).unwrap();
                agree(&mut model, &mut reference, &config, &format!("{workgroups:?} {format:?} {config:?}"));
            }
        }
    }
}

/// Prompts that take one, four, eight or sixteen rows at once, some of them with rows left over, and more than one pass.
fn agree(model: &mut Gpt2, reference: &mut Gpt2, config: &Config, what: &str) {
    for n in [1, 3, 7, 17, 70] {
        let prompt = ids(n, config);
        near(&wait(model.prefill(&prompt)).unwrap(), &wait(reference.prefill(&prompt)).unwrap(), what);
        for id in ids(2, config) {
            near(&wait(model.step(id)).unwrap(), &wait(reference.step(id)).unwrap(), what);
        }
    }
    let long = ids(config.n_ctx, config);
    let cached = model.len();
    let rows = wait(model.logits_at_every_position(&long)).unwrap();
    assert_eq!(model.len(), cached);
    for (row, expected) in rows.iter().zip(wait(reference.logits_at_every_position(&long)).unwrap()) {
        near(row, &expected, what);
    }
    near(&wait(model.step(TokenId(1))).unwrap(), &wait(reference.step(TokenId(1))).unwrap(), what);
    near(&wait(model.prefill(&long)).unwrap(), rows.last().unwrap(), what);
    rows_agree(model, reference, config, what);
}

/// Rows of very different length side by side, and copies of them.
fn rows_agree(model: &mut Gpt2, reference: &mut Gpt2, config: &Config, what: &str) {
    for model in [&mut *model, &mut *reference] {
        model.open_rows(3).unwrap();
        for (row, n) in [5, 1, config.n_ctx - 2].into_iter().enumerate() {
            wait(model.prefill_row(row, &ids(n, config))).unwrap();
        }
    }
    let mut step = |rows: &[usize], from: [usize; 3]| {
        let fed: Vec<_> = rows.iter().map(|&row| (row, TokenId(row as u32 + 3))).collect();
        let [found, expected] = [&mut *model, &mut *reference].map(|model| {
            let logits = wait(model.step_rows(&fed)).unwrap();
            model.reorder_rows(&from);
            logits
        });
        found.iter().zip(&expected).for_each(|(found, expected)| near(found, expected, what));
    };
    step(&[0, 1, 2], [0, 1, 2]);
    step(&[1, 0], [2, 2, 0]);
    step(&[2, 1], [1, 1, 2]);
    step(&[2], [0, 2, 2]);
    step(&[2, 1], [0, 1, 2]);
}

#[test]
fn every_activation_is_that_of_burns_operations() {
    for name in ["gelu_new", "gelu", "relu", "silu", "tanh"] {
        let config = tiny::config_with(&format!(r#"{{"activation_function": "{name}"}}"#));
        let tensors = tiny::weights_of(&config);
        let mut reference = tiny::load(&config, &tensors).unwrap();
        let mut model = Gpt2::from_safetensors(&config, &tiny::file(&tensors, "F32"), &device()).unwrap();
        let prompt = ids(8, &config);
        near(&wait(model.prefill(&prompt)).unwrap(), &wait(reference.prefill(&prompt)).unwrap(), name);
    }
}

#[test]
fn scales_of_the_attention_are_those_of_the_configuration() {
    let config = tiny::config_with(r#"{"scale_attn_by_inverse_layer_idx": true, "scale_attn_weights": false}"#);
    let tensors = tiny::weights_of(&config);
    let mut reference = tiny::load(&config, &tensors).unwrap();
    let mut model = Gpt2::from_safetensors(&config, &tiny::file(&tensors, "F32"), &device()).unwrap();
    let prompt = ids(8, &config);
    near(&wait(model.prefill(&prompt)).unwrap(), &wait(reference.prefill(&prompt)).unwrap(), "scales");
}

/// The logits of a run, as bits.
fn bits(options: &LoadOptions) -> Vec<u32> {
    let config = config("gpt2-tiny-random");
    let weights = model_file("gpt2-tiny-random", "model.safetensors");
    let mut model = Gpt2::from_safetensors_with(&config, &weights, &device(), options).unwrap();
    let mut all = wait(model.prefill(&ids(19, &config))).unwrap();
    for id in ids(5, &config) {
        all.extend(wait(model.step(id)).unwrap());
    }
    all.into_iter().map(f32::to_bits).collect()
}

#[test]
fn two_runs_give_the_same_bits() {
    for options in SHAPES.map(|workgroups| options(workgroups, WeightFormat::F32)) {
        assert_eq!(bits(&options), bits(&options), "{options:?}");
    }
}

/// CASE 29: where the embedding is cut must not matter, not even for the last bit.
#[test]
fn an_embedding_in_pieces_gives_the_same_bits() {
    for workgroups in SHAPES {
        let whole = options(workgroups, WeightFormat::F16);
        let row = 2 * config("gpt2-tiny-random").n_embd;
        // The products of the tiny model's blocks are below this, its embedding is not.
        let cut = LoadOptions { max_tensor_bytes: 4 * row * row, ..whole };
        assert_eq!(bits(&whole), bits(&cut));
    }
}

#[test]
fn a_matrix_that_cannot_be_bound_is_named() {
    let config = tiny::config();
    let options = LoadOptions { max_tensor_bytes: 600, ..LoadOptions::default() };
    let refused = Gpt2::from_safetensors_with(&config, &tiny::file(&tiny::weights(), "F32"), &device(), &options);
    let Err(LoadError::TooLarge { name, bytes, limit }) = refused else { panic!("{refused:?}") };
    assert_eq!((&*name, bytes, limit), ("h.0.attn.c_attn.weight", 768, 600));
}

#[test]
fn parts_of_any_length_make_the_same_model() {
    let (config, file) = (tiny::config_with(r#"{"n_embd": 32}"#), tiny::file);
    for (format, dtype) in FORMATS.into_iter().flat_map(|format| ["F32", "F16", "BF16"].map(|dtype| (format, dtype))) {
        let options = options(Workgroups::Plain, format);
        let file = file(&tiny::weights_of(&config), dtype);
        let whole = Gpt2::from_safetensors_with(&config, &file, &device(), &options).unwrap();
        let mut loader = Loader::new(&config, &Header::of_file(&file).unwrap(), &device(), &options).unwrap();
        for tensor in loader.wanted().to_vec() {
            for part in tensor.bytes(&file).chunks(37) {
                loader.put_part(&tensor.name, part).unwrap();
            }
        }
        let parts = loader.finish().unwrap();
        let logits = |model: &Gpt2| wait(model.logits_at_every_position(&ids(8, &config))).unwrap();
        assert_eq!(logits(&whole), logits(&parts), "{format:?} {dtype}");
    }
}

#[test]
fn a_head_of_its_own_is_used_and_an_equal_one_is_not_kept() {
    let config = tiny::config();
    let with_head = |seed| {
        let mut tensors = tiny::weights();
        tensors.push(raw("lm_head.weight", &[11, 8], seed));
        tensors
    };
    // The seed of the token embedding is 1: it is the first tensor.
    for tensors in [with_head(1), with_head(77)] {
        let mut reference = tiny::load(&config, &tensors).unwrap();
        let mut model = Gpt2::from_safetensors(&config, &tiny::file(&tensors, "F32"), &device()).unwrap();
        let prompt = ids(8, &config);
        near(&wait(model.prefill(&prompt)).unwrap(), &wait(reference.prefill(&prompt)).unwrap(), "head");
    }
}

fn tiny_random(options: &LoadOptions, device: &Device) -> Gpt2 {
    let weights = model_file("gpt2-tiny-random", "model.safetensors");
    Gpt2::from_safetensors_with(&config("gpt2-tiny-random"), &weights, device, options).unwrap()
}

#[test]
fn rows_are_what_each_is_alone() {
    for (workgroups, format) in
        FORMATS.map(|format| (Workgroups::Plain, format)).into_iter().chain([(Workgroups::Tiled, WeightFormat::F16)])
    {
        let mut model = tiny_random(&options(workgroups, format), &device());
        rows::equal_each_alone(&mut model);
        rows::equal_after_reordering(&mut model);
    }
}

#[test]
fn rows_have_the_same_bits_in_every_run_and_beside_any_others() {
    for workgroups in SHAPES {
        let mut model = tiny_random(&options(workgroups, WeightFormat::F32), &device());
        rows::do_not_depend_on_others(&mut model);
    }
}

#[test]
fn more_rows_than_go_through_at_once() {
    rows::more_than_one_pass(&mut tiny_random(&options(Workgroups::Plain, WeightFormat::F32), &device()));
}

/// CASE 34, for rows: opening and closing them leaves nothing behind.
#[test]
fn fifty_openings_leave_the_pool_flat() {
    let device = open();
    let mut model = tiny_random(&options(Workgroups::Plain, WeightFormat::F32), &device);
    let mut usage = |rows: usize| {
        model.open_rows(rows).unwrap();
        for row in [0, rows - 1] {
            wait(model.prefill_row(row, &[TokenId(46), TokenId(row as u32)])).unwrap();
        }
        model.reorder_rows(&vec![rows - 1; rows]);
        wait(model.step_rows(&[(0, TokenId(9))])).unwrap();
        let usage = device.memory_pool_usage().unwrap();
        (usage.bytes_in_use, usage.bytes_reserved)
    };
    usage(8);
    let (one, eight) = (usage(1), usage(8));
    assert!(eight.0 > one.0 && eight.1 > one.1, "{one:?}, {eight:?}");
    for _ in 0..50 {
        assert_eq!((usage(1), usage(8)), (one, eight));
    }
}

/// A binding holds a block's keys of all rows, so its size limits how many there are.
#[test]
fn as_many_rows_as_a_binding_holds() {
    let config = tiny::config();
    // A row takes 256 of them, 8 positions of 8 numbers; the largest matrix 1,024.
    let options = LoadOptions { max_tensor_bytes: 1100, ..LoadOptions::default() };
    let file = tiny::file(&tiny::weights(), "F32");
    let mut model = Gpt2::from_safetensors_with(&config, &file, &device(), &options).unwrap();
    model.open_rows(4).unwrap();
    let refused = model.open_rows(5).unwrap_err().to_string();
    assert_eq!(refused, "5 rows cannot be opened, since this device has room for 1 to 4: take a number between");
}
