//! Every option of the configuration, against the formulas of `modeling_gpt2.py` written out in f64.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use std::collections::HashMap;

use common::tiny::{self, Raw};
use common::wait;
use nucleus_decode::sampler::TokenId;
use nucleus_gpt2::{Activation, Config};

type Rows = Vec<Vec<f64>>;

struct Weights(HashMap<String, Vec<f64>>);

impl Weights {
    fn new(tensors: &[Raw]) -> Self {
        Self(tensors.iter().map(|raw| (raw.name.clone(), raw.numbers.iter().map(|&x| x.into()).collect())).collect())
    }

    /// `x W + b`, with W as [in, out].
    fn linear(&self, name: &str, x: &Rows) -> Rows {
        let (w, b) = (&self.0[&format!("{name}.weight")], &self.0[&format!("{name}.bias")]);
        let out =
            |row: &[f64], j: usize| b[j] + row.iter().enumerate().map(|(i, x)| x * w[i * b.len() + j]).sum::<f64>();
        x.iter().map(|row| (0..b.len()).map(|j| out(row, j)).collect()).collect()
    }

    fn layer_norm(&self, name: &str, x: &Rows, epsilon: f64) -> Rows {
        let (gamma, beta) = (&self.0[&format!("{name}.weight")], &self.0[&format!("{name}.bias")]);
        let norm = |row: &Vec<f64>| {
            let n = row.len() as f64;
            let mean = row.iter().sum::<f64>() / n;
            let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
            (0..row.len()).map(|i| (row[i] - mean) / (variance + epsilon).sqrt() * gamma[i] + beta[i]).collect()
        };
        x.iter().map(norm).collect()
    }

    fn row(&self, name: &str, index: usize, c: usize) -> &[f64] {
        &self.0[name][index * c..(index + 1) * c]
    }
}

fn add(a: &Rows, b: &Rows) -> Rows {
    a.iter().zip(b).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a + b).collect()).collect()
}

fn activate(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::GeluTanh => {
            0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3))).tanh())
        }
        Activation::Relu => x.max(0.0),
        Activation::Silu => x / (1.0 + (-x).exp()),
        Activation::Tanh => x.tanh(),
        Activation::GeluErf => panic!("std has no erf"),
    }
}

/// Each position, in each head, over itself and those before it.
fn attend(qkv: &Rows, config: &Config, scale: f64) -> Rows {
    let (c, d) = (config.n_embd, config.n_embd / config.n_head);
    let head_out = |i: usize, column: usize| {
        let head = column / d * d;
        let scores = (0..=i).map(|j| scale * (0..d).map(|t| qkv[i][head + t] * qkv[j][c + head + t]).sum::<f64>());
        let weights: Vec<f64> = scores.map(f64::exp).collect();
        (0..=i).map(|j| weights[j] * qkv[j][2 * c + column]).sum::<f64>() / weights.iter().sum::<f64>()
    };
    (0..qkv.len()).map(|i| (0..c).map(|column| head_out(i, column)).collect()).collect()
}

fn forward(config: &Config, weights: &Weights, ids: &[TokenId]) -> Rows {
    let c = config.n_embd;
    let embed = |(i, id): (usize, &TokenId)| -> Vec<f64> {
        weights
            .row("wte.weight", id.index(), c)
            .iter()
            .zip(weights.row("wpe.weight", i, c))
            .map(|(a, b)| a + b)
            .collect()
    };
    let mut x: Rows = ids.iter().enumerate().map(embed).collect();
    for layer in 0..config.n_layer {
        let h = |name: &str| format!("h.{layer}.{name}");
        let d = (c / config.n_head) as f64;
        let mut scale = if config.scale_attn_weights { 1.0 / d.sqrt() } else { 1.0 };
        if config.scale_attn_by_inverse_layer_idx {
            scale /= (layer + 1) as f64;
        }
        let normed = weights.layer_norm(&h("ln_1"), &x, config.layer_norm_epsilon);
        let heads = attend(&weights.linear(&h("attn.c_attn"), &normed), config, scale);
        x = add(&x, &weights.linear(&h("attn.c_proj"), &heads));
        let normed = weights.layer_norm(&h("ln_2"), &x, config.layer_norm_epsilon);
        let mut inner = weights.linear(&h("mlp.c_fc"), &normed);
        inner.iter_mut().flatten().for_each(|x| *x = activate(config.activation, *x));
        x = add(&x, &weights.linear(&h("mlp.c_proj"), &inner));
    }
    let x = weights.layer_norm("ln_f", &x, config.layer_norm_epsilon);
    let logit = |row: &Vec<f64>, id: usize| row.iter().zip(weights.row("wte.weight", id, c)).map(|(a, b)| a * b).sum();
    x.iter().map(|row| (0..config.n_vocab).map(|id| logit(row, id)).collect()).collect()
}

/// Logits are at most 10 in size here; 1e-5 is ten roundings of one.
fn check(fields: &str, tensors: &[Raw]) -> Rows {
    let config = tiny::config_with(fields);
    let ids: Vec<TokenId> = [3, 1, 4, 1, 5, 9, 2, 6].map(TokenId).to_vec();
    let expected = forward(&config, &Weights::new(tensors), &ids);
    let found = wait(tiny::load(&config, tensors).unwrap().logits_at_every_position(&ids)).unwrap();
    for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!((f64::from(*found) - expected).abs() < 1e-5, "{fields}: {found}, not {expected}");
    }
    expected
}

#[test]
fn each_option_does_what_it_says_and_matters() {
    let plain = check("{}", &tiny::weights());
    for fields in [
        r#"{"scale_attn_weights": false}"#,
        r#"{"scale_attn_by_inverse_layer_idx": true}"#,
        r#"{"layer_norm_epsilon": 0.01}"#,
        r#"{"activation_function": "relu"}"#,
        r#"{"activation_function": "silu"}"#,
        r#"{"activation_function": "tanh"}"#,
        r#"{"n_head": 4}"#,
    ] {
        let other = check(fields, &tiny::weights());
        let gap = plain.iter().flatten().zip(other.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(gap > 1e-3, "{fields} changes nothing, so this test would not see a mistake");
    }
    assert_eq!(check(r#"{"reorder_and_upcast_attn": true}"#, &tiny::weights()), plain);
}

#[test]
fn the_inner_width_may_be_any() {
    let fields = r#"{"n_inner": 5}"#;
    check(fields, &tiny::weights_of(&tiny::config_with(fields)));
}
