//! Comparison with Hugging Face `transformers`, on any device: the one body of the native and the browser test.
//!
//! The reference values are those of `make_hf_reference.py`, which explains them.

mod batch;
mod beam;
mod distance;
mod error;

use std::ops::ControlFlow;

use nucleus_decode::sampler::{RepetitionPenalty, Settings, Temperature, TokenId};
use nucleus_decode::{LanguageModel, PastContext, Plan, Step, generate};
use serde::Deserialize;

use self::distance::{ids, near, same_top};
pub use self::error::ParityError;
use crate::model::Gpt2;
use crate::weights::WeightFormat;

/// How far a logit may lie from PyTorch's, in either direction.
///
/// Both sides add the same f32 products in different orders. A logit of the models compared is at most 40 in size, where
/// neighbouring f32 are 4e-6 apart, and a few dozen roundings of that size lie on its way; the reference is rounded to
/// 1e-6. A wrong epsilon, GELU, scale or position shows at 1e-3 and above.
pub const LOGIT_TOLERANCE: f64 = 1e-4;

/// As [`LOGIT_TOLERANCE`], for weights held as `format`, of the two models compared, whose logits have a standard
/// deviation of 2.3 and 3.1.
///
/// Rounding moves each weight at random, so the errors in a sum of products grow as the sum itself does, with the root of
/// the number of terms: a result is off by as large a part of its spread as a weight is of its own. The layers add to
/// that, and the largest of thousands of logits is four or five deviations off.
///
/// * f16 keeps 11 bits: a weight is off by 2^-12 of its size at most, about 1/10,000 on average; a logit by 1/200 of the
///   spread at most. Exact, and within [`LOGIT_TOLERANCE`], where the checkpoint is f16.
/// * int8 has steps of 1/127 of the largest of 32 weights, about two deviations of them, and half a step is 1/130 of
///   one: a logit is off by 1/10 of the spread at most.
pub fn tolerance(format: WeightFormat) -> f64 {
    match format {
        WeightFormat::F32 => LOGIT_TOLERANCE,
        WeightFormat::F16 => 1e-2,
        WeightFormat::Int8 => 0.25,
    }
}

/// How much of the reference to compare; a slow device takes less.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// The first so many prompts, and rows of the batch.
    pub prompts: usize,
    /// Tokens to generate greedily from each.
    pub new_tokens: usize,
    /// The first so many beam searches.
    pub beams: usize,
    /// Whether to encode the longest window, of `n_ctx` tokens.
    pub window: bool,
}

impl Extent {
    /// Everything there is.
    pub const ALL: Self = Self { prompts: usize::MAX, new_tokens: usize::MAX, beams: usize::MAX, window: true };
}

/// What was compared and how far apart it was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Prompts.
    pub prompts: usize,
    /// Tokens generated greedily, all equal. Where a run parts from the reference at two tokens that the tolerance
    /// cannot tell apart, the rest of it is not counted.
    pub greedy_tokens: usize,
    /// Tokens generated greedily by rows of different length side by side, all equal; of a row that has ended, none.
    pub batch_tokens: usize,
    /// The same with a repetition penalty of 1.3.
    pub penalised_tokens: usize,
    /// Beam searches that found the same sequences, where the weights are held as the reference's.
    pub beams: usize,
    /// Largest distance of a logit from the reference.
    pub logits: f64,
    /// Largest distance of a log-probability from the reference, in nats.
    pub scores: f64,
    /// Largest distance between the logits with and without the cache.
    pub cached: f64,
}

#[derive(Deserialize)]
struct Reference {
    prompts: Vec<Prompt>,
    #[serde(flatten)]
    batch: batch::Reference,
    beams: Vec<beam::Reference>,
    window: Window,
}

#[derive(Deserialize)]
struct Prompt {
    ids: Vec<u32>,
    last_logits: Vec<f64>,
    argmax_every_position: Vec<u32>,
    nll: Vec<f64>,
    greedy: Vec<u32>,
    greedy_repetition_penalty_1_3: Vec<u32>,
}

#[derive(Deserialize)]
struct Window {
    used: Vec<u32>,
    top10: Vec<(u32, f64)>,
}

/// Compares `model`, with weights in f32, with the reference of its checkpoint.
///
/// # Errors
/// [`ParityError`] that says where and by how much they differ.
pub async fn compare(model: &mut Gpt2, reference: &[u8], extent: Extent) -> Result<Report, ParityError> {
    compare_within(model, reference, extent, LOGIT_TOLERANCE).await
}

/// The same for any format: a logit may be off by `limit`, see [`tolerance`]. The passes with the cache and without it
/// use the same weights: between them, [`LOGIT_TOLERANCE`] holds, or a hundredth of `limit` where that is more, since
/// another order of a sum can move a rounded input by one step.
///
/// # Errors
/// The same.
pub async fn compare_within(
    model: &mut Gpt2,
    reference: &[u8],
    extent: Extent,
    limit: f64,
) -> Result<Report, ParityError> {
    let reference: Reference = serde_json::from_slice(reference)?;
    let mut report = Report::default();
    for (i, prompt) in reference.prompts.iter().take(extent.prompts).enumerate() {
        every_position(model, i, prompt, limit, &mut report).await?;
        scores(model, i, prompt, limit, &mut report).await?;
        cached(model, i, prompt, LOGIT_TOLERANCE.max(limit / 100.0), &mut report).await?;
        let cut = |ids: &[u32]| ids[..extent.new_tokens.min(ids.len())].to_vec();
        report.greedy_tokens += greedy(model, i, prompt, &cut(&prompt.greedy), 1.0, limit).await?;
        let expected = cut(&prompt.greedy_repetition_penalty_1_3);
        report.penalised_tokens += greedy(model, i, prompt, &expected, PENALTY, limit).await?;
        report.prompts += 1;
    }
    report.batch_tokens = batch::compare(model, &reference.batch, extent, limit).await?;
    if limit <= LOGIT_TOLERANCE {
        report.beams = beam::compare(model, &reference.beams, extent.beams, limit).await?;
    }
    if extent.window {
        window(model, &reference.window, limit, &mut report).await?;
    }
    Ok(report)
}

/// Argmax at every position, and the last position's logits, from one pass without the cache.
async fn every_position(
    model: &Gpt2,
    i: usize,
    prompt: &Prompt,
    limit: f64,
    report: &mut Report,
) -> Result<(), ParityError> {
    let logits = model.logits_at_every_position(&ids(&prompt.ids)).await?;
    for (index, (row, &expected)) in logits.iter().zip(&prompt.argmax_every_position).enumerate() {
        same_top(i, "the likeliest after position", index, row, TokenId(expected), limit)?;
    }
    let last = logits.last().into_iter().flatten().map(|&logit| f64::from(logit));
    report.logits = report.logits.max(near(i, "a logit", limit, last.zip(prompt.last_logits.iter().copied()))?);
    Ok(())
}

/// Log-probabilities of the prompt's own tokens. They may be as far off as two logits.
async fn scores(
    model: &mut Gpt2,
    i: usize,
    prompt: &Prompt,
    limit: f64,
    report: &mut Report,
) -> Result<(), ParityError> {
    let scores = model.score(&ids(&prompt.ids)).await?;
    let expected = prompt.nll.iter().map(|nll| -nll);
    report.scores = report.scores.max(near(i, "a log-probability", 2.0 * limit, scores.into_iter().zip(expected))?);
    Ok(())
}

/// Token by token through the cache, against the pass without it; and a prefill, against both.
async fn cached(
    model: &mut Gpt2,
    i: usize,
    prompt: &Prompt,
    limit: f64,
    report: &mut Report,
) -> Result<(), ParityError> {
    let ids = ids(&prompt.ids);
    let full = model.logits_at_every_position(&ids).await?;
    let mut steps = vec![model.prefill(&ids[..1]).await?];
    for &id in &ids[1..] {
        steps.push(model.step(id).await?);
    }
    let prefilled = model.prefill(&ids).await?;
    let pairs = full.iter().zip(&steps).chain(full.last().map(|last| (last, &prefilled)));
    let pairs = pairs.flat_map(|(a, b)| a.iter().zip(b)).map(|(&a, &b)| (a.into(), b.into()));
    report.cached = report.cached.max(near(i, "a cached logit", limit, pairs)?);
    Ok(())
}

/// The repetition penalty of `greedy_repetition_penalty_1_3`.
const PENALTY: f64 = 1.3;

/// The run that a user gets at temperature 0. Returns how many tokens are those expected, up to one that the tolerance cannot
/// tell from another.
async fn greedy(
    model: &mut Gpt2,
    i: usize,
    prompt: &Prompt,
    expected: &[u32],
    penalty: f64,
    limit: f64,
) -> Result<usize, ParityError> {
    let repetition_penalty = RepetitionPenalty::new(penalty)?;
    let plan = Plan {
        prompt: ids(&prompt.ids),
        settings: Settings { temperature: Temperature::ZERO, repetition_penalty, ..Settings::default() },
        seed: 0,
        stream: None,
        script: nucleus_decode::Script::default(),
        max_new_tokens: expected.len(),
        end_of_text: None,
        n_tokenizer: model.n_vocab(),
        past_context: PastContext::Stop,
    };
    let mut steps = Vec::new();
    generate(model, &plan, async |step| {
        steps.push(step);
        ControlFlow::Continue(())
    })
    .await?;
    for (step, &expected) in steps.iter().zip(&ids(expected)) {
        if step.trace.token != expected {
            let logits = penalised(step);
            return same_top(i, "new token", step.index, &logits, expected, limit * penalty).map(|()| step.index);
        }
    }
    Ok(steps.len())
}

/// The logits that the token was taken from.
fn penalised(step: &Step) -> Vec<f32> {
    let mut logits = step.logits.clone();
    for token in step.trace.lowering.iter().flat_map(|lowering| &lowering.tokens) {
        logits[token.id.index()] = token.to as f32;
    }
    logits
}

/// The ten likeliest after a window of `n_ctx` tokens.
async fn window(model: &mut Gpt2, window: &Window, limit: f64, report: &mut Report) -> Result<(), ParityError> {
    let logits = model.prefill(&ids(&window.used)).await?;
    same_top(0, "the likeliest after window", 0, &logits, TokenId(window.top10[0].0), limit)?;
    let pairs = window.top10.iter().map(|&(id, expected)| (logits[id as usize].into(), expected));
    report.logits = report.logits.max(near(0, "a logit of the window", limit, pairs)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, read_sync};

    use super::*;
    use crate::config::Config;
    use crate::weights::LoadOptions;

    fn report(model: &str, weights: WeightFormat, own_kernels: bool) -> Report {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../www/models").join(model);
        let file = |name: &str| std::fs::read(folder.join(name)).unwrap();
        let config = Config::from_json(&file("config.json")).unwrap();
        let options = LoadOptions { weights, own_kernels, ..LoadOptions::default() };
        let weights_file = file("model.safetensors");
        let mut model = Gpt2::from_safetensors_with(&config, &weights_file, &Device::flex(), &options).unwrap();
        let limit = tolerance(weights);
        let report = read_sync(compare_within(&mut model, &file("reference.json"), Extent::ALL, limit)).unwrap();
        println!("{weights:?}, own kernels {own_kernels}: {report:?}");
        report
    }

    #[test]
    fn random_weights_agree_with_transformers() {
        for own_kernels in [false, true] {
            let report = report("gpt2-tiny-random", WeightFormat::F32, own_kernels);
            assert_eq!((report.prompts, report.greedy_tokens, report.batch_tokens, report.beams), (3, 90, 103, 18));
            assert_eq!((report.prompts, report.greedy_tokens, report.penalised_tokens), (3, 90, 90));
        }
    }

    #[test]
    fn tales_agrees_with_transformers() {
        for own_kernels in [false, true] {
            let report = report("tales", WeightFormat::F32, own_kernels);
            assert_eq!((report.prompts, report.greedy_tokens, report.batch_tokens, report.beams), (5, 150, 166, 18));
            assert_eq!((report.prompts, report.greedy_tokens, report.penalised_tokens), (5, 150, 150));
        }
    }

    #[test]
    fn rounded_random_weights_are_near_transformers() {
        report("gpt2-tiny-random", WeightFormat::F16, true);
        report("gpt2-tiny-random", WeightFormat::Int8, true);
    }

    #[test]
    fn rounded_tales_is_near_transformers() {
        report("tales", WeightFormat::F16, true);
        report("tales", WeightFormat::Int8, true);
    }
}
