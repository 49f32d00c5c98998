//! How long each figure takes at GPT-2's vocabulary with every filter off, which is the most it can
//! be.
#![allow(missing_docs, reason = "criterion's macros make public items")]
#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use nucleus_charts::{RowWindow, RunStep, Scene, Size, Vocabulary, Zoom, draw, ladder, logits_table, nucleus_size};
use nucleus_sampler::{Ranking, Settings, TokenId, Uniforms, Unit, step};

struct Words;

impl Vocabulary for Words {
    fn bytes(&self, _: TokenId) -> &[u8] {
        b" token"
    }
}

fn figures(criterion: &mut Criterion) {
    let size = Size::new(720.0, 400.0);
    for (name, spread) in [("flat", 0.5), ("peaked", 20.0)] {
        let mut noise = Uniforms::new(7);
        let logits: Vec<f32> = (0..50_257).map(|_| spread * noise.draw().get() as f32).collect();
        let trace = step(&logits, &Settings::default(), Unit::new(0.6142).unwrap()).unwrap();
        let ranking = Ranking::new(&logits);
        let scene = Scene { logits: &logits, ranking: &ranking, trace: &trace, vocabulary: &Words };
        let zoom = Zoom::around(&scene);
        let window = RowWindow { start: 0, count: 20 };

        let mut group = criterion.benchmark_group(name);
        group.bench_function("logits_table", |b| b.iter(|| logits_table(black_box(&scene), window)));
        group.bench_function("ladder", |b| b.iter(|| ladder(black_box(&scene), size)));
        group.bench_function("draw", |b| b.iter(|| draw(black_box(&scene), Zoom::FULL, size)));
        group.bench_function("draw, enlarged", |b| b.iter(|| draw(black_box(&scene), zoom, size)));
        group.finish();
    }
    let point = |i: usize| RunStep { nucleus_size: 1 + i * i % 997, entropy: 2.0, token: TokenId(0) };
    let run: Vec<RunStep> = (0..256).map(point).collect();
    criterion.bench_function("nucleus_size, 256 steps", |b| {
        b.iter(|| nucleus_size(black_box(&run), Some(9), &Words, size));
    });
}

criterion_group!(benches, figures);
criterion_main!(benches);
