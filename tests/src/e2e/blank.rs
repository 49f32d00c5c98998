//! A checkpoint of zeros: large enough to be asked about and kept, and with nothing to say.

use anyhow::Result;
use serde_json::{Map, Value, json};

/// The vocabulary of the model whose tokenizer goes with it.
const VOCABULARY: usize = 4096;
const CONTEXT: usize = 64;
const WIDTH: usize = 512;
const LAYERS: usize = 3;

/// `config.json`.
#[must_use]
pub fn config() -> String {
    json!({
        "model_type": "gpt2", "vocab_size": VOCABULARY, "n_positions": CONTEXT, "n_embd": WIDTH, "n_head": 8,
        "n_layer": LAYERS, "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5, "tie_word_embeddings": true,
    })
    .to_string()
}

/// `model.safetensors`: 46.4 MB.
///
/// # Errors
/// When the header cannot be written.
pub fn weights() -> Result<Vec<u8>> {
    let mut header = Map::new();
    let mut end = 0;
    for (name, shape) in tensors() {
        let start = end;
        end += shape.iter().product::<usize>() * size_of::<f32>();
        header.insert(name, json!({ "dtype": "F32", "shape": shape, "data_offsets": [start, end] }));
    }
    let header = serde_json::to_vec(&Value::Object(header))?;
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header);
    file.resize(file.len() + end, 0);
    Ok(file)
}

/// Names and shapes, as published checkpoints of GPT-2 have them.
fn tensors() -> Vec<(String, Vec<usize>)> {
    let mut all = vec![
        ("wte.weight".to_owned(), vec![VOCABULARY, WIDTH]),
        ("wpe.weight".to_owned(), vec![CONTEXT, WIDTH]),
        ("ln_f.weight".to_owned(), vec![WIDTH]),
        ("ln_f.bias".to_owned(), vec![WIDTH]),
    ];
    for layer in 0..LAYERS {
        for norm in ["ln_1", "ln_2"] {
            all.push((format!("h.{layer}.{norm}.weight"), vec![WIDTH]));
            all.push((format!("h.{layer}.{norm}.bias"), vec![WIDTH]));
        }
        for (name, from, to) in [("attn.c_attn", 1, 3), ("attn.c_proj", 1, 1), ("mlp.c_fc", 1, 4), ("mlp.c_proj", 4, 1)]
        {
            all.push((format!("h.{layer}.{name}.weight"), vec![from * WIDTH, to * WIDTH]));
            all.push((format!("h.{layer}.{name}.bias"), vec![to * WIDTH]));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use nucleus_gpt2::{Config, checkpoint::Header};

    use super::*;

    #[test]
    fn it_is_a_checkpoint_that_is_worth_keeping() {
        let file = weights().unwrap();
        assert_eq!(Header::of_file(&file).unwrap().file_length(), file.len() as u64);
        assert!(file.len() > 40_000_000, "{}", file.len());
        let config = Config::from_json(config().as_bytes()).unwrap();
        assert_eq!((config.n_embd, config.n_layer, config.n_vocab), (WIDTH, LAYERS, VOCABULARY));
    }
}
