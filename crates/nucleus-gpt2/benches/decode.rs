//! How fast `tales` writes on the CPU: one cached step at several depths, and a prompt.
#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench fails by panicking, and criterion's macros write functions without docs"
)]

use std::path::Path;

use burn::tensor::{Device, read_sync};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nucleus_decode::LanguageModel;
use nucleus_decode::sampler::TokenId;
use nucleus_gpt2::{Config, Gpt2};

fn tales() -> Gpt2 {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../www/models/tales");
    let file = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let config = Config::from_json(&file("config.json")).unwrap();
    Gpt2::from_safetensors(&config, &file("model.safetensors"), &Device::flex()).unwrap()
}

fn ids(n: usize) -> Vec<TokenId> {
    (0..n).map(|i| TokenId((i * 331 % 4096) as u32)).collect()
}

fn decode(criterion: &mut Criterion) {
    let mut model = tales();
    let mut group = criterion.benchmark_group("tales");
    for prompt in [8, 224] {
        let ids = ids(prompt + 32);
        group.throughput(Throughput::Elements(32));
        group.bench_function(format!("32 steps after {prompt} tokens"), |bencher| {
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
    group.throughput(Throughput::Elements(128));
    let prompt = ids(128);
    group.bench_function("prompt of 128 tokens", |bencher| {
        bencher.iter(|| read_sync(model.prefill(&prompt)).unwrap());
    });
}

criterion_group!(benches, decode);
criterion_main!(benches);
