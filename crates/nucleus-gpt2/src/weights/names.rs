//! The tensors that a GPT-2 consists of, by the names of its checkpoints.

use crate::config::Config;

/// The token embedding, [V, C].
pub const WTE: &str = "wte.weight";
/// The position embedding, [`n_ctx`, C].
pub const WPE: &str = "wpe.weight";
/// A head of its own, [V, C]; most checkpoints leave it out, since it is the token embedding.
pub const HEAD: &str = "lm_head.weight";

/// Every tensor that must be there, with its shape. The head is not among them: see [`HEAD`].
pub fn expected(config: &Config) -> Vec<(Box<str>, Vec<usize>)> {
    let (c, inner) = (config.n_embd, config.n_inner);
    let mut all: Vec<(Box<str>, Vec<usize>)> = vec![
        (WTE.into(), vec![config.n_vocab, c]),
        (WPE.into(), vec![config.n_ctx, c]),
        ("ln_f.weight".into(), vec![c]),
        ("ln_f.bias".into(), vec![c]),
    ];
    for layer in 0..config.n_layer {
        let mut add = |name: &str, shape: &[usize]| all.push((format!("h.{layer}.{name}").into(), shape.to_vec()));
        for norm in ["ln_1", "ln_2"] {
            add(&format!("{norm}.weight"), &[c]);
            add(&format!("{norm}.bias"), &[c]);
        }
        for (linear, d_in, d_out) in
            [("attn.c_attn", c, 3 * c), ("attn.c_proj", c, c), ("mlp.c_fc", c, inner), ("mlp.c_proj", inner, c)]
        {
            add(&format!("{linear}.weight"), &[d_in, d_out]);
            add(&format!("{linear}.bias"), &[d_out]);
        }
    }
    all
}

/// The name without the prefix that `GPT2LMHeadModel` puts before the names of `GPT2Model`.
pub fn plain(name: &str) -> &str {
    name.strip_prefix("transformer.").unwrap_or(name)
}

/// Whether the plain name is that of a causal mask, which older checkpoints store with every block.
pub fn is_mask(name: &str, config: &Config) -> bool {
    let mask = name.strip_suffix(".attn.bias").or_else(|| name.strip_suffix(".attn.masked_bias"));
    let layer = mask.and_then(|block| block.strip_prefix("h.")).and_then(|layer| layer.parse::<usize>().ok());
    layer.is_some_and(|layer| layer < config.n_layer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpt2_small_has_148_tensors_and_124_439_808_parameters() {
        let all = expected(&Config::from_json(br#"{"model_type": "gpt2"}"#).unwrap());
        let parameters: usize = all.iter().map(|(_, shape)| shape.iter().product::<usize>()).sum();
        assert_eq!((all.len(), parameters), (148, 124_439_808));
    }

    #[test]
    fn masks_are_those_of_existing_blocks() {
        let config = Config::from_json(br#"{"model_type": "gpt2", "n_layer": 2}"#).unwrap();
        assert!(is_mask("h.0.attn.bias", &config) && is_mask("h.1.attn.masked_bias", &config));
        assert!(!is_mask("h.2.attn.bias", &config) && !is_mask("h.0.attn.c_attn.bias", &config));
        assert_eq!((plain("transformer.wte.weight"), plain("lm_head.weight")), ("wte.weight", "lm_head.weight"));
    }
}
