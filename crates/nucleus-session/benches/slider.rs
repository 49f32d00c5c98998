//! What a moved slider costs at GPT-2's vocabulary: a frame of the page has 16 ms for all it does.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a bench fails by panicking, and its macros make undocumented functions"
)]

use criterion::{Criterion, criterion_group, criterion_main};
use nucleus_sampler::{Settings, TokenId, Uniforms, step};
use nucleus_session::{
    Control, Effect, Keeping, ModelInfo, Msg, Report, Request, Session, StepReport, Vocabulary, WeightFormat,
};

const N_VOCAB: usize = 50_257;

/// Logits spread like a language model's: a few likely ones, a long tail.
fn logits() -> Vec<f32> {
    let mut uniforms = Uniforms::new(5);
    (0..N_VOCAB).map(|_| (-40.0 - 6.0 * libm::log(uniforms.draw().get() + 1e-9)) as f32).collect()
}

/// A session with one step in focus.
fn session() -> Session {
    let mut session = Session::new();
    let _ = session.update(Msg::Opened { query: "?prompt=Once".into() });
    let model = ModelInfo {
        name: "gpt2".into(),
        n_vocab: N_VOCAB,
        n_ctx: 1024,
        n_layer: 12,
        n_head: 12,
        n_embd: 768,
        parameters: 124_439_808,
        end_of_text: None,
        weights: WeightFormat::F32,
        device_memory: 0,
        keeping: Keeping::NotNeeded,
    };
    let ready = Report::Ready { model, vocabulary: Vocabulary::default() };
    let effects = session.update(Msg::Reported { report: ready, logits: None, at_ms: 0.0 });
    let run = effects.iter().find_map(|effect| match effect {
        Effect::Send(Request::Generate(request)) => Some(request.run),
        _ => None,
    });
    let trace = step(&logits(), &Settings::default(), Uniforms::nth(1, 0)).unwrap();
    let step = StepReport { token: TokenId(0), ..StepReport::of(&trace, 0, 0, 1.0) };
    let report = Report::Step { run: run.unwrap(), step };
    let _ = session.update(Msg::Reported { report, logits: Some(logits()), at_ms: 0.0 });
    session
}

fn bench(criterion: &mut Criterion) {
    for (name, query) in [("nucleus of 0.9", ["0", "0.9"]), ("nothing removed", ["0", "1"])] {
        let mut session = session();
        for (control, text) in [Control::TopK, Control::TopP].into_iter().zip(query) {
            let _ = session.update(Msg::Typed { control, text: text.into() });
        }
        let mut position = 0.5;
        criterion.bench_function(&format!("moved slider, {name}"), |bencher| {
            bencher.iter(|| {
                position = if position > 1.9 { 0.5 } else { position + 0.01 };
                let moved = Msg::MovedSlider { control: Control::Temperature, position };
                let effects = session.update(moved);
                (effects, session.focus().unwrap())
            });
        });
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
