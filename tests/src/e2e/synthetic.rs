//! A recorded run of a model that does not exist, with as many tokens as GPT-2 has.

use anyhow::{Context, Result};
use half::f16;
use nucleus_sampler::{Settings, TokenId, Uniforms, step};
use nucleus_session::{Recording, RecordingEntry, Values, Vocabulary};

/// GPT-2's vocabulary.
pub const N_VOCAB: usize = 50_257;

/// Its name in addresses.
const NAME: &str = "synthetic";

/// The files to add to a site: the run, and a list of recordings that has it first.
///
/// # Errors
/// When the run cannot be written.
pub fn files(steps: usize) -> Result<[(String, Vec<u8>); 2]> {
    let entry =
        RecordingEntry { name: NAME.to_owned(), title: format!("{N_VOCAB} tokens"), note: "Made up.".to_owned() };
    let list = ("recordings/index.json".to_owned(), serde_json::to_vec(&[&entry])?);
    Ok([(entry.address(), recording(steps)?.to_bytes()?), list])
}

fn recording(steps: usize) -> Result<Recording> {
    let settings = Settings::default();
    let seed = 1;
    let logits: Vec<Vec<f16>> = (0..steps).map(|step| logits(step as u64)).collect();
    let mut uniforms = Uniforms::new(seed);
    let mut tokens = Vec::new();
    for row in &logits {
        let row: Vec<f32> = row.iter().map(|logit| logit.to_f32()).collect();
        tokens.push(step(&row, &settings, uniforms.draw())?.token);
    }
    Ok(Recording {
        model: NAME.to_owned(),
        title: NAME.to_owned(),
        values: Values {
            prompt: "Once".to_owned(),
            special_tokens: false,
            settings,
            seed,
            new_tokens: u32::try_from(steps)?,
        },
        prompt: vec![TokenId(0)],
        prompt_log_probabilities: None,
        end_of_text: None,
        tokens,
        logits,
        vocabulary: vocabulary().context("the words do not fit together")?,
    })
}

/// Zipf's law, which the tokens of a text follow: the logit falls with the logarithm of the rank. Which token has which rank
/// is as good as random, and so is a small rest; GPT-2's logits are about -100 and below.
fn logits(step: u64) -> Vec<f16> {
    let mut noise = Uniforms::spawned(step, 0);
    let mut ranks: Vec<usize> = (0..N_VOCAB).collect();
    for last in (1..N_VOCAB).rev() {
        ranks.swap(last, (noise.draw().get() * (last + 1) as f64) as usize);
    }
    let logit = |rank: usize, rest: f64| -90.0 - 1.1 * (rank as f64 + 1.0).ln() + 0.5 * rest;
    ranks.into_iter().map(|rank| f16::from_f64(logit(rank, noise.draw().get()))).collect()
}

/// " t0", " t1", and so on.
fn vocabulary() -> Option<Vocabulary> {
    let mut flat = Vec::new();
    let mut ends = Vec::new();
    for id in 0..N_VOCAB {
        flat.extend_from_slice(format!(" t{id}").as_bytes());
        ends.push(u32::try_from(flat.len()).ok()?);
    }
    Vocabulary::new(flat, ends).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_can_read_it() {
        let [(address, run), (_, list)] = files(2).unwrap();
        assert_eq!(address, "recordings/synthetic.safetensors");
        let run = Recording::from_bytes(&run).unwrap().into_run(NAME).unwrap();
        assert_eq!(run.steps().len(), 2);
        assert_eq!(run.steps()[0].logits.len(), N_VOCAB);
        let list: Vec<RecordingEntry> = serde_json::from_slice(&list).unwrap();
        assert_eq!(list[0].name, NAME);
    }
}
