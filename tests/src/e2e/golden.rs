//! What the model and the generator are known to give.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::site::repository;

/// A prompt and what HF transformers makes of it with the model `tales`.
#[derive(Clone, Debug, Deserialize)]
pub struct Reference {
    /// The prompt.
    pub text: String,
    /// The argmax tokens, one after the other.
    pub greedy: Vec<u32>,
    /// Their text.
    pub greedy_text: String,
    /// How many tokens a nucleus of p = 0.9 has after the prompt, at temperature 1.
    pub nucleus_size_p90: usize,
}

/// The reference for a prompt.
///
/// # Errors
/// When there is none.
pub fn reference(prompt: &str) -> Result<Reference> {
    #[derive(Deserialize)]
    struct References {
        prompts: Vec<Reference>,
    }
    let all: References = read("www/models/tales/reference.json")?;
    let found = all.prompts.into_iter().find(|reference| reference.text == prompt);
    found.with_context(|| format!("no reference for the prompt {prompt:?}"))
}

/// The first numbers of `numpy.random.default_rng(seed).random()`.
///
/// # Errors
/// When the vectors do not have that seed.
pub fn uniforms(seed: u64) -> Result<Vec<f64>> {
    #[derive(Deserialize)]
    struct Vectors {
        uniforms: BTreeMap<String, Vec<f64>>,
    }
    let mut vectors: Vectors = read("tests/vectors/sampler_vectors.json")?;
    vectors.uniforms.remove(&seed.to_string()).with_context(|| format!("no uniforms of the seed {seed}"))
}

fn read<T: DeserializeOwned>(path: &str) -> Result<T> {
    let path = repository().join(path);
    let file = File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_reader(BufReader::new(file)).with_context(|| format!("in {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_and_a_seed_are_found_by_name_and_others_are_not() {
        let once = reference("Once upon a time").unwrap();
        assert_eq!(once.greedy.len(), 30);
        assert!(once.greedy_text.starts_with(" there was"));
        assert!(reference("Call me Ishmael").is_err());
        assert_eq!(uniforms(42).unwrap()[0], 0.773_956_048_555_963_3);
        assert!(uniforms(43).is_err());
    }
}
