//! `config.json`: the sizes of a GPT-2, and a refusal by name of whatever is not one.

use serde::Deserialize;

use crate::activation::Activation;
use crate::checkpoint::{Impostor, impostor};

/// The sizes and constants of a GPT-2. Made by [`Config::from_json`] only, and valid from then on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Config {
    /// Rows of the token embedding, and logits per position.
    pub n_vocab: usize,
    /// Positions that the model knows: prompt and new tokens together. `n_positions` in the file.
    pub n_ctx: usize,
    /// Width of the residual stream, C.
    pub n_embd: usize,
    /// Number of blocks.
    pub n_layer: usize,
    /// Attention heads per block, H; divides `n_embd`.
    pub n_head: usize,
    /// Width of the MLP: 4 C where the file says null or nothing.
    pub n_inner: usize,
    /// Added to the variance in every layer norm.
    pub layer_norm_epsilon: f64,
    /// The MLP's nonlinearity.
    pub activation: Activation,
    /// Whether attention scores are divided by `sqrt(d_head)`.
    pub scale_attn_weights: bool,
    /// Whether the scores of block i, counted from 0, are divided by i + 1 as well.
    pub scale_attn_by_inverse_layer_idx: bool,
    /// Whether a checkpoint without `lm_head.weight` is complete: the token embedding is then the head too.
    pub tie_word_embeddings: bool,
    /// The id that ends a text, below `n_vocab`: `eos_token_id`, of a list the first. `None` where the file has none.
    pub end_of_text: Option<u32>,
}

/// Why a `config.json` was refused.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file is something else under the name of a configuration.
    #[error("config.json: {0}")]
    Impostor(#[from] Impostor),
    /// Not JSON, or a field of the wrong type.
    #[error("config.json cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// Another architecture.
    #[error("config.json describes a model of type \"{0}\", but only \"gpt2\" can be run: choose a GPT-2 checkpoint")]
    NotGpt2(Box<str>),
    /// A size that no GPT-2 has.
    #[error("config.json: {field} is {value}, but must be 1 to {max}")]
    Size {
        /// The field, as the file calls it.
        field: &'static str,
        /// What the file says.
        value: usize,
        /// The largest value accepted.
        max: usize,
    },
    /// The heads do not divide the width.
    #[error("config.json: n_head is {n_head}, but must divide n_embd, {n_embd}")]
    Heads {
        /// What the file says.
        n_head: usize,
        /// What the file says.
        n_embd: usize,
    },
    /// An epsilon that cannot keep a square root away from 0.
    #[error("config.json: layer_norm_epsilon is {0}, but must be more than 0 and less than 1")]
    Epsilon(f64),
    /// An activation that GPT-2 does not have.
    #[error(
        "config.json: activation_function is \"{0}\", but must be gelu_new, gelu_fast, gelu_pytorch_tanh, gelu, relu, silu, swish or tanh"
    )]
    Activation(Box<str>),
    /// A feature that changes the computation and is not built.
    #[error("config.json: {0} is set, which is not supported: choose a plain GPT-2 checkpoint")]
    Unsupported(&'static str),
}

/// The file as `transformers` writes it; what is absent has the value of `GPT2Config`.
///
/// `reorder_and_upcast_attn` is read past on purpose: it asks for attention scores in float32, and here they always are.
#[derive(Deserialize)]
#[serde(default)]
struct File {
    model_type: Option<Box<str>>,
    architectures: Option<Vec<Box<str>>>,
    vocab_size: usize,
    n_positions: Option<usize>,
    n_ctx: Option<usize>,
    n_embd: usize,
    n_layer: usize,
    n_head: usize,
    n_inner: Option<usize>,
    activation_function: Box<str>,
    layer_norm_epsilon: f64,
    scale_attn_weights: bool,
    scale_attn_by_inverse_layer_idx: bool,
    add_cross_attention: bool,
    tie_word_embeddings: bool,
    quantization_config: Option<serde::de::IgnoredAny>,
    eos_token_id: Option<OneOrMore>,
}

/// An id, or a list of ids.
#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(i64),
    More(Vec<i64>),
}

impl OneOrMore {
    /// The first that a vocabulary of this size has: configurations of cut-down models may keep GPT-2's 50256.
    fn first_below(&self, n_vocab: usize) -> Option<u32> {
        let ids = match self {
            Self::One(id) => std::slice::from_ref(id),
            Self::More(ids) => ids,
        };
        ids.iter().filter_map(|&id| u32::try_from(id).ok()).find(|&id| (id as usize) < n_vocab)
    }
}

impl Default for File {
    fn default() -> Self {
        Self {
            model_type: None,
            architectures: None,
            vocab_size: 50_257,
            n_positions: None,
            n_ctx: None,
            n_embd: 768,
            n_layer: 12,
            n_head: 12,
            n_inner: None,
            activation_function: "gelu_new".into(),
            layer_norm_epsilon: 1e-5,
            scale_attn_weights: true,
            scale_attn_by_inverse_layer_idx: false,
            add_cross_attention: false,
            tie_word_embeddings: true,
            quantization_config: None,
            eos_token_id: None,
        }
    }
}

/// The first 60 characters of a word that a reader is shown.
fn shortened(word: &str) -> Box<str> {
    match word.char_indices().nth(60) {
        Some((end, _)) => format!("{}\u{2026}", &word[..end]).into(),
        None => word.into(),
    }
}

impl Config {
    /// Reads `config.json` as Hugging Face `transformers` writes it.
    ///
    /// # Errors
    /// [`ConfigError`] where the file is not JSON, describes another architecture, or a size or feature is out of range.
    pub fn from_json(bytes: &[u8]) -> Result<Self, ConfigError> {
        if let Some(found) = impostor(bytes) {
            return Err(found.into());
        }
        let file: File = serde_json::from_slice(bytes)?;
        file.is_gpt2()?;
        let activation = Activation::from_name(&file.activation_function)
            .ok_or_else(|| ConfigError::Activation(shortened(&file.activation_function)))?;
        let config = Self {
            n_vocab: file.vocab_size,
            n_ctx: file.n_positions.or(file.n_ctx).unwrap_or(1024),
            n_embd: file.n_embd,
            n_layer: file.n_layer,
            n_head: file.n_head,
            n_inner: file.n_inner.unwrap_or(file.n_embd.saturating_mul(4)),
            layer_norm_epsilon: file.layer_norm_epsilon,
            activation,
            scale_attn_weights: file.scale_attn_weights,
            scale_attn_by_inverse_layer_idx: file.scale_attn_by_inverse_layer_idx,
            tie_word_embeddings: file.tie_word_embeddings,
            end_of_text: file.eos_token_id.and_then(|ids| ids.first_below(file.vocab_size)),
        };
        config.check()?;
        Ok(config)
    }

    /// Width of one head, D = C / H.
    pub fn d_head(&self) -> usize {
        self.n_embd / self.n_head
    }

    /// The factor on the attention scores of block `layer`, counted from 0.
    pub fn attention_scale(&self, layer: usize) -> f64 {
        let scale = if self.scale_attn_weights { (self.d_head() as f64).sqrt().recip() } else { 1.0 };
        if self.scale_attn_by_inverse_layer_idx { scale / (layer + 1) as f64 } else { scale }
    }

    /// The limits are far above any GPT-2; below them no weight has 2^32 elements, which matters where `usize` has 32 bits.
    fn check(&self) -> Result<(), ConfigError> {
        let sizes = [
            ("vocab_size", self.n_vocab, 1 << 18),
            ("n_positions", self.n_ctx, 1 << 16),
            ("n_embd", self.n_embd, 1 << 13),
            ("n_layer", self.n_layer, 1 << 10),
            ("n_head", self.n_head, 1 << 13),
            ("n_inner", self.n_inner, 1 << 16),
        ];
        for (field, value, max) in sizes {
            if value == 0 || value > max {
                return Err(ConfigError::Size { field, value, max });
            }
        }
        if !self.n_embd.is_multiple_of(self.n_head) {
            return Err(ConfigError::Heads { n_head: self.n_head, n_embd: self.n_embd });
        }
        if !(self.layer_norm_epsilon > 0.0 && self.layer_norm_epsilon < 1.0) {
            return Err(ConfigError::Epsilon(self.layer_norm_epsilon));
        }
        Ok(())
    }
}

impl File {
    fn is_gpt2(&self) -> Result<(), ConfigError> {
        let architecture = self.architectures.iter().flatten().next().map_or("", |name| name);
        let by_architecture = matches!(architecture, "GPT2LMHeadModel" | "GPT2Model");
        match self.model_type.as_deref() {
            Some("gpt2") => {}
            None if by_architecture => {}
            found => return Err(ConfigError::NotGpt2(shortened(found.unwrap_or(architecture)))),
        }
        if self.add_cross_attention {
            return Err(ConfigError::Unsupported("add_cross_attention"));
        }
        if self.quantization_config.is_some() {
            return Err(ConfigError::Unsupported("quantization_config"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(fields: &str) -> Result<Config, ConfigError> {
        Config::from_json(format!(r#"{{"model_type": "gpt2", {fields}}}"#).as_bytes())
    }

    fn refusal(fields: &str) -> String {
        read(fields).unwrap_err().to_string()
    }

    #[test]
    fn what_is_absent_is_gpt2_small() {
        let config = Config::from_json(br#"{"model_type": "gpt2"}"#).unwrap();
        assert_eq!(
            (config.n_vocab, config.n_ctx, config.n_embd, config.n_layer, config.n_head),
            (50_257, 1024, 768, 12, 12)
        );
        assert_eq!((config.n_inner, config.d_head(), config.activation), (3072, 64, Activation::GeluTanh));
        assert_eq!(config.attention_scale(5), 0.125);
    }

    #[test]
    fn a_word_of_any_length_makes_a_short_sentence() {
        let long = "\u{e9}".repeat(100_000);
        for json in [
            format!(r#"{{"model_type": "{long}"}}"#),
            format!(r#"{{"model_type": "gpt2", "activation_function": "{long}"}}"#),
        ] {
            let sentence = Config::from_json(json.as_bytes()).unwrap_err().to_string();
            assert!(sentence.chars().count() < 300 && sentence.contains('\u{2026}'), "{sentence}");
        }
    }

    #[test]
    fn null_n_inner_is_four_times_the_width_and_n_ctx_stands_in_for_n_positions() {
        let config = read(r#""n_inner": null, "n_embd": 96, "n_head": 6, "n_ctx": 77"#).unwrap();
        assert_eq!((config.n_inner, config.n_ctx), (384, 77));
        assert_eq!(read(r#""n_inner": 100, "n_ctx": 77, "n_positions": 78"#).unwrap().n_ctx, 78);
    }

    #[test]
    fn the_two_scales_multiply() {
        let config = read(r#""scale_attn_by_inverse_layer_idx": true"#).unwrap();
        assert_eq!(config.attention_scale(3), 0.125 / 4.0);
        assert_eq!(read(r#""scale_attn_weights": false"#).unwrap().attention_scale(3), 1.0);
    }

    #[test]
    fn other_architectures_are_refused_by_name() {
        let refusal = |json: &str| Config::from_json(json.as_bytes()).unwrap_err().to_string();
        assert!(refusal(r#"{"model_type": "llama"}"#).contains("\"llama\""));
        assert!(refusal(r#"{"architectures": ["GPTNeoForCausalLM"]}"#).contains("\"GPTNeoForCausalLM\""));
        assert!(refusal(r#"{"vocab_size": 3}"#).contains("only \"gpt2\""));
        assert!(Config::from_json(br#"{"architectures": ["GPT2LMHeadModel"]}"#).is_ok());
    }

    #[test]
    fn refusals_say_the_value_and_the_limit() {
        assert_eq!(refusal(r#""n_head": 5"#), "config.json: n_head is 5, but must divide n_embd, 768");
        assert_eq!(refusal(r#""n_layer": 0"#), "config.json: n_layer is 0, but must be 1 to 1024");
        assert!(refusal(r#""vocab_size": 4000000000"#).contains("vocab_size is 4000000000, but must be 1 to 262144"));
        assert!(refusal(r#""layer_norm_epsilon": 0.0"#).contains("layer_norm_epsilon is 0"));
        assert!(refusal(r#""activation_function": "quick_gelu""#).contains("\"quick_gelu\""));
        assert!(refusal(r#""add_cross_attention": true"#).contains("add_cross_attention"));
        assert!(refusal(r#""quantization_config": {"bits": 4}"#).contains("quantization_config"));
        assert!(refusal(r#""n_embd": "wide""#).contains("cannot be read"));
    }

    #[test]
    fn the_end_of_text_is_an_id_or_the_first_of_a_list_if_the_vocabulary_has_it() {
        let end = |field: &str| read(field).unwrap().end_of_text;
        assert_eq!(end(r#""eos_token_id": 50256"#), Some(50_256));
        assert_eq!(end(r#""eos_token_id": [7, 8]"#), Some(7));
        for field in [r#""n_ctx": 5"#, r#""eos_token_id": null"#, r#""eos_token_id": []"#, r#""eos_token_id": -1"#] {
            assert_eq!(end(field), None, "{field}");
        }
        assert_eq!(end(r#""eos_token_id": 50256, "vocab_size": 512"#), None);
        assert!(refusal(r#""eos_token_id": "end""#).contains("cannot be read"));
    }

    #[test]
    fn what_is_not_a_configuration_at_all_is_named() {
        let page = Config::from_json(b"<!DOCTYPE html><html>Not found</html>").unwrap_err().to_string();
        assert!(page.contains("web page"), "{page}");
        assert!(Config::from_json(b"").is_err());
    }
}
