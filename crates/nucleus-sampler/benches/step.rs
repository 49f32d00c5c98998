//! A whole traced step over GPT-2's vocabulary. `step_numpy.py` times the same step in NumPy, on
//! the same logits, and prints the ratio.
#![cfg_attr(target_family = "wasm", no_main)]
#![cfg(not(target_family = "wasm"))]
#![allow(missing_docs, reason = "criterion's macros make public functions without any")]
#![allow(clippy::unwrap_used, reason = "the settings are constants")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use nucleus_sampler::{Ranking, Settings, Temperature, TopK, TopP, Uniforms, Unit, step, step_ranked};

const N_VOCAB: usize = 50_257;

/// Name, temperature, top-k (0 is off), top-p (1 is off).
const CASES: [(&str, f64, u32, f64); 4] = [
    ("a: T 0.8, k 40, p 0.95", 0.8, 40, 0.95),
    ("b: T 0.8, k off, p 0.9", 0.8, 0, 0.9),
    ("c: T 0.8, all off", 0.8, 0, 1.0),
    ("d: T 1.3, k off, p 0.95 (thousands stay)", 1.3, 0, 0.95),
];

/// About a normal distribution with a standard deviation of 3: twelve uniforms added up.
fn logits() -> Vec<f32> {
    let mut uniforms = Uniforms::new(50_257);
    let mut normal = || (0..12).map(|_| uniforms.draw().get()).sum::<f64>() - 6.0;
    (0..N_VOCAB).map(|_| (3.0 * normal()) as f32).collect()
}

fn steps(criterion: &mut Criterion) {
    let logits = logits();
    let ranking = Ranking::new(&logits);
    let u = Unit::new(0.37).unwrap();
    for (name, temperature, top_k, top_p) in CASES {
        let settings = Settings {
            temperature: Temperature::new(temperature).unwrap(),
            top_k: TopK::from(top_k),
            top_p: TopP::new(top_p).unwrap(),
            ..Settings::default()
        };
        let size = step(&logits, &settings, u).unwrap().nucleus_size();
        println!("{name}: {size} kept");
        criterion.bench_function(&format!("step/{name}"), |bencher| {
            bencher.iter(|| step(black_box(&logits), &settings, u).unwrap());
        });
        criterion.bench_function(&format!("step_ranked/{name}"), |bencher| {
            bencher.iter(|| step_ranked(black_box(&logits), &ranking, &settings, u).unwrap());
        });
    }
    criterion.bench_function("ranking", |bencher| {
        bencher.iter(|| Ranking::new(black_box(&logits)));
    });
}

criterion_group!(benches, steps);
criterion_main!(benches);
