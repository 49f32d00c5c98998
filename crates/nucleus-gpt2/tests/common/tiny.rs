//! A checkpoint small enough to write in a test, in every form that checkpoints come in.

use burn::tensor::Device;
use half::{bf16, f16};
use nucleus_gpt2::{Config, Gpt2, LoadError};

/// 11 tokens, 8 positions, width 8, two blocks of two heads.
pub fn config() -> Config {
    config_with("{}")
}

/// The same with other or more fields, given as JSON.
pub fn config_with(fields: &str) -> Config {
    let base = r#"{"model_type": "gpt2", "vocab_size": 11, "n_positions": 8, "n_embd": 8, "n_layer": 2, "n_head": 2}"#;
    let mut all: serde_json::Map<String, serde_json::Value> = serde_json::from_str(base).unwrap();
    all.extend(serde_json::from_str::<serde_json::Map<_, _>>(fields).unwrap());
    Config::from_json(&serde_json::to_vec(&all).unwrap()).unwrap()
}

/// A tensor before it is written.
#[derive(Clone)]
pub struct Raw {
    pub name: String,
    pub shape: Vec<usize>,
    pub numbers: Vec<f32>,
}

/// Multiples of 1/128 below 1 in size: exact in f32, in f16 and in bf16.
fn numbers(n: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761);
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 24) as f32 - 127.5).trunc() / 128.0
    };
    (0..n).map(|_| next()).collect()
}

/// A tensor of such numbers.
pub fn raw(name: &str, shape: &[usize], seed: u32) -> Raw {
    Raw { name: name.into(), shape: shape.into(), numbers: numbers(shape.iter().product(), seed) }
}

/// All weights of [`config`], by plain names.
pub fn weights() -> Vec<Raw> {
    weights_of(&config())
}

/// All weights that a configuration asks for, by plain names.
pub fn weights_of(config: &Config) -> Vec<Raw> {
    let (c, inner) = (config.n_embd, config.n_inner);
    let mut all =
        vec![("wte.weight".to_owned(), vec![config.n_vocab, c]), ("wpe.weight".to_owned(), vec![config.n_ctx, c])];
    for layer in 0..config.n_layer {
        for (name, shape) in [
            ("ln_1.weight", vec![c]),
            ("ln_1.bias", vec![c]),
            ("attn.c_attn.weight", vec![c, 3 * c]),
            ("attn.c_attn.bias", vec![3 * c]),
            ("attn.c_proj.weight", vec![c, c]),
            ("attn.c_proj.bias", vec![c]),
            ("ln_2.weight", vec![c]),
            ("ln_2.bias", vec![c]),
            ("mlp.c_fc.weight", vec![c, inner]),
            ("mlp.c_fc.bias", vec![inner]),
            ("mlp.c_proj.weight", vec![inner, c]),
            ("mlp.c_proj.bias", vec![c]),
        ] {
            all.push((format!("h.{layer}.{name}"), shape));
        }
    }
    all.extend([("ln_f.weight".to_owned(), vec![c]), ("ln_f.bias".to_owned(), vec![c])]);
    all.iter().zip(1..).map(|((name, shape), seed)| raw(name, shape, seed)).collect()
}

/// Writes the tensors as a safetensors file.
pub fn file(tensors: &[Raw], dtype: &str) -> Vec<u8> {
    let mut entries = vec![r#""__metadata__": {"format": "pt"}"#.to_owned()];
    let mut data = Vec::new();
    for Raw { name, shape, numbers } in tensors {
        let begin = data.len();
        numbers.iter().for_each(|&x| match dtype {
            "F32" => data.extend(x.to_le_bytes()),
            "F16" => data.extend(f16::from_f32(x).to_le_bytes()),
            "BF16" => data.extend(bf16::from_f32(x).to_le_bytes()),
            "F64" => data.extend(f64::from(x).to_le_bytes()),
            other => panic!("no writer for {other}"),
        });
        let end = data.len();
        entries
            .push(format!(r#""{name}": {{"dtype": "{dtype}", "shape": {shape:?}, "data_offsets": [{begin}, {end}]}}"#));
    }
    assemble(&format!("{{{}}}", entries.join(", ")), &data)
}

/// Length, header, data.
pub fn assemble(header: &str, data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
}

/// The model of these tensors, in f32.
pub fn load(config: &Config, tensors: &[Raw]) -> Result<Gpt2, LoadError> {
    Gpt2::from_safetensors(config, &file(tensors, "F32"), &Device::flex())
}
