//! Beam search and samples on real models: equal to HF's `generate(num_beams=...)` by either rule of stopping, and to runs
//! alone.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;
use std::ops::ControlFlow;

use nucleus_decode::{
    BeamOutcome, BeamPlan, BeamWidth, EarlyStopping, LanguageModel, LengthPenalty, PastContext, Plan, beam_search,
    generate, sample_many,
};
use nucleus_gpt2::{Config, Device, Gpt2};
use nucleus_sampler::{Settings, Temperature, TokenId};
use nucleus_tests::recorder::{wait, www};
use serde::Deserialize;

const MODELS: [&str; 2] = ["gpt2-tiny-random", "tales"];

/// The new tokens of a sequence in the reference, at most.
const MOST_NEW_TOKENS: usize = 12;

/// HF adds a dozen f32 log-probabilities of up to 10 nats, which it rounds to 1e-6 each, and each may be as far off as
/// two logits may be: 1e-4.
const SUM_TOLERANCE: f64 = 2e-3;

#[derive(Deserialize)]
struct Reference {
    beams: Vec<Searched>,
}

#[derive(Deserialize)]
struct Searched {
    prompt: Vec<TokenId>,
    width: BeamWidth,
    length_penalty: LengthPenalty,
    eos: TokenId,
    sequences: Vec<Vec<TokenId>>,
    scores: Vec<f64>,
}

impl Searched {
    fn plan(&self, model: &Gpt2, early_stopping: EarlyStopping) -> BeamPlan {
        BeamPlan {
            prompt: self.prompt.clone(),
            width: self.width,
            length_penalty: self.length_penalty,
            early_stopping,
            n_results: self.sequences.len(),
            max_new_tokens: MOST_NEW_TOKENS,
            end_of_text: Some(self.eos),
            n_tokenizer: model.n_vocab(),
        }
    }

    /// The sequences without the padding that follows an end of text.
    fn unpadded(&self) -> Vec<Vec<TokenId>> {
        let unpadded = |tokens: &Vec<TokenId>| {
            let end = tokens.iter().position(|&token| token == self.eos).map_or(tokens.len(), |end| end + 1);
            tokens[..end].to_vec()
        };
        self.sequences.iter().map(unpadded).collect()
    }
}

fn load(model: &str) -> (Gpt2, Reference) {
    let read = |file: &str| fs::read(www().join("models").join(model).join(file)).unwrap();
    let config = Config::from_json(&read("config.json")).unwrap();
    let loaded = Gpt2::from_safetensors(&config, &read("model.safetensors"), &Device::flex()).unwrap();
    (loaded, serde_json::from_slice(&read("reference.json")).unwrap())
}

fn search(model: &mut Gpt2, plan: &BeamPlan) -> BeamOutcome {
    wait(beam_search(model, plan, async |_| ControlFlow::Continue(()))).unwrap()
}

/// The rule of HF's default, and the one that never stops too soon.
#[test]
fn beams_equal_the_reference_by_either_rule() {
    for name in MODELS {
        let (mut model, reference) = load(name);
        for searched in &reference.beams {
            let Searched { width, length_penalty, eos, .. } = searched;
            for rule in [EarlyStopping::Heuristic, EarlyStopping::Exact] {
                let what = format!("{name}, {width:?}, {length_penalty:?}, end {eos}, {rule:?}");
                let plan = searched.plan(&model, rule);
                let found = search(&mut model, &plan);
                let tokens: Vec<Vec<TokenId>> = found.results.iter().map(|result| result.tokens.clone()).collect();
                assert_eq!(tokens, searched.unpadded(), "{what}");
                for (result, expected) in found.results.iter().zip(&searched.scores) {
                    let limit = SUM_TOLERANCE / (result.tokens.len() as f64).powf(length_penalty.get());
                    assert!((result.score - expected).abs() < limit, "{what}: {} is not {expected}", result.score);
                }
            }
        }
    }
}

#[test]
fn one_beam_and_the_path_beside_the_beams_are_greedy() {
    for name in MODELS {
        let (mut model, reference) = load(name);
        let searched = &reference.beams[0];
        let alone = Plan {
            settings: Settings { temperature: Temperature::ZERO, ..Settings::default() },
            max_new_tokens: MOST_NEW_TOKENS,
            end_of_text: Some(searched.eos),
            ..sampled(&model, &searched.prompt)
        };
        let alone = wait(generate(&mut model, &alone, async |_| ControlFlow::Continue(()))).unwrap();
        for width in [1, 4] {
            let plan = searched.plan(&model, EarlyStopping::Exact);
            let plan = BeamPlan { width: BeamWidth::new(width).unwrap(), n_results: 1, ..plan };
            let found = search(&mut model, &plan);
            assert_eq!(found.greedy.tokens, alone.tokens);
            if width == 1 {
                assert_eq!(found.results[0].tokens, alone.tokens);
            }
        }
    }
}

fn sampled(model: &Gpt2, prompt: &[TokenId]) -> Plan {
    Plan {
        prompt: prompt.to_vec(),
        settings: Settings::default(),
        seed: 42,
        stream: None,
        script: nucleus_decode::Script::default(),
        max_new_tokens: 8,
        end_of_text: None,
        n_tokenizer: model.n_vocab(),
        past_context: PastContext::Slide,
    }
}

/// To the bit: the cache that is set back to the prompt is what it was after the prompt.
#[test]
fn each_sample_is_a_run_alone() {
    for name in MODELS {
        let (mut model, reference) = load(name);
        let plan = sampled(&model, &reference.beams[0].prompt);
        let samples = wait(sample_many(&mut model, &plan, 5, async |_| ControlFlow::Continue(()))).unwrap();
        for (stream, sample) in (0..).zip(&samples) {
            let plan = Plan { stream: Some(stream), ..plan.clone() };
            let alone = wait(generate(&mut model, &plan, async |_| ControlFlow::Continue(()))).unwrap();
            assert_eq!(*sample, alone, "{name}, sample {stream}");
        }
        assert!(samples.windows(2).any(|pair| pair[0].tokens != pair[1].tokens), "{name}: all samples are the same");
    }
}
