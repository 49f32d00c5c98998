//! Batches and slots on real models: equal to HF's `generate` on a left-padded batch, and to each text alone.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;
use std::ops::ControlFlow;

use nucleus_decode::{
    BatchPlan, BatchStep, LanguageModel, Outcome, PaddedGrid, PastContext, Plan, Request, SlotsPlan, StopReason,
    Timeline, generate, generate_batch, generate_slots,
};
use nucleus_gpt2::{Config, Device, Gpt2};
use nucleus_sampler::{Settings, Temperature, TokenId};
use nucleus_tests::recorder::{wait, www};
use serde::Deserialize;

const MODELS: [&str; 2] = ["gpt2-tiny-random", "tales"];

#[derive(Deserialize)]
struct Reference {
    pad: TokenId,
    batch: Batch,
    batch_eos: Ended,
}

#[derive(Deserialize)]
struct Batch {
    input_ids: Vec<Vec<TokenId>>,
    attention_mask: Vec<Vec<u8>>,
    new_tokens: Vec<Vec<TokenId>>,
}

#[derive(Deserialize)]
struct Ended {
    eos: TokenId,
    new_tokens: Vec<Vec<TokenId>>,
}

impl Batch {
    /// What the mask shows of each row.
    fn prompts(&self) -> Vec<Vec<TokenId>> {
        let unmasked = |(ids, mask): (&Vec<TokenId>, &Vec<u8>)| {
            ids.iter().zip(mask).filter(|(_, mask)| **mask == 1).map(|(&id, _)| id).collect()
        };
        self.input_ids.iter().zip(&self.attention_mask).map(unmasked).collect()
    }
}

fn load(model: &str) -> (Gpt2, Reference) {
    let read = |file: &str| fs::read(www().join("models").join(model).join(file)).unwrap();
    let config = Config::from_json(&read("config.json")).unwrap();
    let loaded = Gpt2::from_safetensors(&config, &read("model.safetensors"), &Device::flex()).unwrap();
    (loaded, serde_json::from_slice(&read("reference.json")).unwrap())
}

fn greedy() -> Settings {
    Settings { temperature: Temperature::ZERO, ..Settings::default() }
}

fn plan(model: &Gpt2, reference: &Reference) -> BatchPlan {
    BatchPlan {
        prompts: reference.batch.prompts(),
        settings: greedy(),
        seed: 0,
        max_new_tokens: reference.batch.new_tokens[0].len(),
        end_of_text: None,
        pad: reference.pad,
        n_tokenizer: model.n_vocab(),
    }
}

fn run(model: &mut Gpt2, plan: &BatchPlan) -> (Vec<BatchStep>, Vec<Outcome>) {
    let mut steps = Vec::new();
    let outcomes = wait(generate_batch(model, plan, async |step| {
        steps.push(step);
        ControlFlow::Continue(())
    }));
    (steps, outcomes.unwrap())
}

/// What a run adds to the grid: the tokens, and the pad id after a row's end.
fn columns(plan: &BatchPlan, steps: &[BatchStep]) -> Vec<Vec<TokenId>> {
    let row = |row: usize| steps.iter().map(|step| step.rows[row].token()).collect();
    (0..plan.prompts.len()).map(row).collect()
}

#[test]
fn the_grid_is_the_one_that_the_reference_was_made_with() {
    for name in MODELS {
        let (_, reference) = load(name);
        let grid = PaddedGrid::new(&reference.batch.prompts(), reference.pad);
        for (row, found) in grid.rows().iter().enumerate() {
            assert_eq!(found.ids(), reference.batch.input_ids[row], "{name}");
            let mask: Vec<u8> = found.mask().iter().copied().map(u8::from).collect();
            assert_eq!(mask, reference.batch.attention_mask[row], "{name}");
        }
    }
}

/// Case 22.
#[test]
fn greedy_batches_are_those_of_the_reference() {
    for name in MODELS {
        let (mut model, reference) = load(name);
        let plan = plan(&model, &reference);
        let (steps, outcomes) = run(&mut model, &plan);
        assert_eq!(columns(&plan, &steps), reference.batch.new_tokens, "{name}");
        assert!(outcomes.iter().all(|outcome| outcome.reason == StopReason::TokenLimit));
    }
}

/// Case 23: the pad id stands after the end of a row, as in the reference.
#[test]
fn greedy_batches_that_end_are_those_of_the_reference() {
    for name in MODELS {
        let (mut model, reference) = load(name);
        let end_of_text = Some(reference.batch_eos.eos);
        let plan = BatchPlan { end_of_text, ..plan(&model, &reference) };
        let (steps, outcomes) = run(&mut model, &plan);
        assert_eq!(columns(&plan, &steps), reference.batch_eos.new_tokens, "{name}");
        let ended: Vec<_> = outcomes.iter().filter(|outcome| outcome.reason == StopReason::EndOfText).collect();
        assert!(!ended.is_empty() && ended.len() < outcomes.len(), "{name}");
        assert!(ended.iter().all(|outcome| outcome.tokens.last() == end_of_text.as_ref()));
    }
}

/// Log-probabilities within the rounding of a pass over several rows; tokens exactly.
#[test]
fn each_row_is_what_it_is_alone() {
    for name in MODELS {
        let (mut model, reference) = load(name);
        let batch = BatchPlan { end_of_text: Some(reference.batch_eos.eos), ..plan(&model, &reference) };
        let (_, outcomes) = run(&mut model, &batch);
        for (row, outcome) in outcomes.into_iter().enumerate() {
            let alone = Plan {
                prompt: batch.prompts[row].clone(),
                settings: batch.settings,
                seed: batch.seed,
                stream: Some(row as u32),
                script: nucleus_decode::Script::default(),
                max_new_tokens: batch.max_new_tokens,
                end_of_text: batch.end_of_text,
                n_tokenizer: batch.n_tokenizer,
                past_context: PastContext::Stop,
            };
            let alone = wait(generate(&mut model, &alone, async |_| ControlFlow::Continue(()))).unwrap();
            assert_eq!((&outcome.tokens, outcome.reason), (&alone.tokens, alone.reason), "{name}, row {row}");
            let apart = (outcome.sum() - alone.sum()).abs();
            assert!(apart < 1e-3, "{name}, row {row}: {apart}");
        }
    }
}

fn serve(model: &mut Gpt2, plan: &SlotsPlan) -> (Timeline, Vec<Outcome>) {
    let mut timeline = Timeline::new(plan.slots);
    let outcomes = wait(generate_slots(model, plan, async |step| {
        timeline.push(&step);
        ControlFlow::Continue(())
    }));
    (timeline, outcomes.unwrap())
}

/// The prompts of the reference twice over, a new one every third step.
fn requests(model: &Gpt2, reference: &Reference, slots: usize, settings: Settings) -> SlotsPlan {
    let prompts = reference.batch.prompts();
    let twice = prompts.iter().chain(&prompts).enumerate();
    let request = |(index, prompt): (usize, &Vec<TokenId>)| Request {
        prompt: prompt.clone(),
        max_new_tokens: reference.batch.new_tokens[0].len(),
        arrives_at: 3 * index,
    };
    SlotsPlan {
        slots,
        requests: twice.map(request).collect(),
        settings,
        seed: 7,
        end_of_text: Some(reference.batch_eos.eos),
        n_tokenizer: model.n_vocab(),
    }
}

/// A slot is used again and again, and what it held before leaves no trace.
#[test]
fn requests_in_slots_are_the_texts_of_the_reference() {
    for name in MODELS {
        let (mut model, reference) = load(name);
        let plan = requests(&model, &reference, 2, greedy());
        let (timeline, outcomes) = serve(&mut model, &plan);
        let n_rows = reference.batch_eos.new_tokens.len();
        for (index, outcome) in outcomes.iter().enumerate() {
            let expected = &reference.batch_eos.new_tokens[index % n_rows];
            assert_eq!(outcome.tokens, expected[..outcome.tokens.len()], "{name}, request {index}");
            let is_whole = outcome.tokens.len() == expected.len() || outcome.reason == StopReason::EndOfText;
            assert!(is_whole, "{name}, request {index}");
        }
        let n_tokens: Vec<usize> = outcomes.iter().map(|outcome| outcome.tokens.len()).collect();
        let by_batch = Timeline::static_batches(plan.slots, &plan.requests, &n_tokens);
        let shares = [&timeline, &by_batch].map(|timeline| timeline.utilization().share().unwrap());
        assert!(shares[0] > shares[1], "{name}: {shares:?}");
    }
}

#[test]
fn drawn_texts_do_not_depend_on_the_number_of_slots() {
    for name in MODELS {
        let (mut model, reference) = load(name);
        let texts = [1, 2, 5].map(|slots| {
            let plan = requests(&model, &reference, slots, Settings::default());
            serve(&mut model, &plan).1.into_iter().map(|outcome| outcome.tokens).collect::<Vec<_>>()
        });
        assert_eq!(texts[0], texts[1], "{name}");
        assert_eq!(texts[0], texts[2], "{name}");
        let n_rows = texts[0].len() / 2;
        assert_ne!(texts[0][..n_rows], texts[0][n_rows..], "{name}: the same prompts by other streams");
    }
}
