//! How fast a model writes on the CPU: burn's operations and this crate's own in each weight format, for `tales` and for
//! a model of GPT-2's size; and what several texts side by side cost.
#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench fails by panicking, and criterion's macros write functions without docs"
)]

use std::path::Path;

use burn::tensor::{Device, read_sync};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use nucleus_decode::sampler::TokenId;
use nucleus_decode::{LanguageModel, Rows};
use nucleus_gpt2::checkpoint::Header;
use nucleus_gpt2::{Config, Gpt2, LoadOptions, Loader, WeightFormat};

/// What to compute with.
fn variants() -> impl Iterator<Item = (&'static str, LoadOptions)> {
    [
        ("burn, f32", WeightFormat::F32, false),
        ("f32", WeightFormat::F32, true),
        ("f16", WeightFormat::F16, true),
        ("int8", WeightFormat::Int8, true),
    ]
    .into_iter()
    .map(|(name, weights, own_kernels)| (name, LoadOptions { weights, own_kernels, ..LoadOptions::default() }))
}

fn tales(options: &LoadOptions) -> Gpt2 {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../www/models/tales");
    let file = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let config = Config::from_json(&file("config.json")).unwrap();
    Gpt2::from_safetensors_with(&config, &file("model.safetensors"), &Device::flex(), options).unwrap()
}

/// GPT-2's shape, with 124,439,808 random weights.
fn random(options: &LoadOptions) -> Gpt2 {
    let config = Config::from_json(br#"{"model_type": "gpt2"}"#).unwrap();
    let mut length = 0;
    let mut entry = |name: String, shape: &[usize]| {
        let start = length;
        length += 2 * shape.iter().product::<usize>();
        format!(r#""{name}": {{"dtype": "BF16", "shape": {shape:?}, "data_offsets": [{start}, {length}]}}"#)
    };
    let c = config.n_embd;
    let mut all = vec![
        entry("wte.weight".into(), &[config.n_vocab, c]),
        entry("wpe.weight".into(), &[config.n_ctx, c]),
        entry("ln_f.weight".into(), &[c]),
        entry("ln_f.bias".into(), &[c]),
    ];
    for layer in 0..config.n_layer {
        for norm in ["ln_1", "ln_2"] {
            all.push(entry(format!("h.{layer}.{norm}.weight"), &[c]));
            all.push(entry(format!("h.{layer}.{norm}.bias"), &[c]));
        }
        for (linear, d_in, d_out) in
            [("attn.c_attn", c, 3 * c), ("attn.c_proj", c, c), ("mlp.c_fc", c, 4 * c), ("mlp.c_proj", 4 * c, c)]
        {
            all.push(entry(format!("h.{layer}.{linear}.weight"), &[d_in, d_out]));
            all.push(entry(format!("h.{layer}.{linear}.bias"), &[d_out]));
        }
    }
    let json = format!("{{{}}}", all.join(", "));
    let header = Header::parse(json.as_bytes(), (8 + json.len() + length) as u64).unwrap();
    let mut loader = Loader::new(&config, &header, &Device::flex(), options).unwrap();
    let mut state = 1u32;
    for tensor in loader.wanted().to_vec() {
        // The upper half of an f32 from 2^-6 to 2^-5, of either sign.
        let bytes = (tensor.range.start..tensor.range.end).step_by(2).flat_map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 16) as u16 & 0x807f | 0x3c80).to_le_bytes()
        });
        loader.put(&tensor.name, &bytes.collect::<Vec<u8>>()).unwrap();
    }
    loader.finish().unwrap()
}

fn ids(n: usize) -> Vec<TokenId> {
    (0..n).map(|i| TokenId((i * 331 % 4096) as u32)).collect()
}

/// 32 cached steps after a prompt, which is not timed.
fn steps(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, model: &mut Gpt2, prompt: usize) {
    let ids = ids(prompt + 32);
    group.throughput(Throughput::Elements(32));
    group.bench_function(format!("{name}: 32 steps after {prompt} tokens"), |bencher| {
        bencher.iter_custom(|runs| {
            (0..runs)
                .map(|_| {
                    read_sync(model.prefill(&ids[..prompt])).unwrap();
                    let start = std::time::Instant::now();
                    ids[prompt..].iter().for_each(|&id| drop(read_sync(model.step(id)).unwrap()));
                    start.elapsed()
                })
                .sum()
        });
    });
}

/// 32 steps of `rows` rows together, each after a prompt of 8 tokens, which is not timed. Beside it stands as many times
/// the 32 steps of one row.
fn rows(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, model: &mut Gpt2, rows: usize) {
    let ids = ids(8 + 32);
    group.throughput(Throughput::Elements(32 * rows as u64));
    model.open_rows(rows).unwrap();
    group.bench_function(format!("{name}: 32 steps of {rows} rows"), |bencher| {
        bencher.iter_custom(|runs| {
            let run = |_| {
                (0..rows).for_each(|row| drop(read_sync(model.prefill_row(row, &ids[..8])).unwrap()));
                let start = std::time::Instant::now();
                for &id in &ids[8..] {
                    let fed: Vec<_> = (0..rows).map(|row| (row, id)).collect();
                    read_sync(model.step_rows(&fed)).unwrap();
                }
                start.elapsed()
            };
            (0..runs).map(run).sum()
        });
    });
    model.open_rows(1).unwrap();
}

fn prompt(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, model: &mut Gpt2, n: usize) {
    let ids = ids(n);
    group.throughput(Throughput::Elements(n as u64));
    group.bench_function(format!("{name}: prompt of {n} tokens"), |bencher| {
        bencher.iter(|| read_sync(model.prefill(&ids)).unwrap());
    });
}

fn decode(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tales");
    for (name, options) in variants() {
        let mut model = tales(&options);
        steps(&mut group, name, &mut model, 8);
        steps(&mut group, name, &mut model, 224);
        prompt(&mut group, name, &mut model, 128);
        [1, 4, 8].into_iter().for_each(|n| rows(&mut group, name, &mut model, n));
    }
    group.finish();
    let mut group = criterion.benchmark_group("124M");
    group.sample_size(10);
    for (name, options) in variants() {
        let mut model = random(&options);
        steps(&mut group, name, &mut model, 32);
        prompt(&mut group, name, &mut model, 32);
    }
}

criterion_group!(benches, decode);
criterion_main!(benches);
