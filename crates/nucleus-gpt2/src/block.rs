//! One block of the stack.

use burn::tensor::Tensor;

use crate::attention::{Attention, Mask};
use crate::cache::LayerCache;
use crate::config::Config;
use crate::layer_norm::LayerNorm;
use crate::mlp::Mlp;
use crate::row::Span;
use crate::weights::{LoadError, Store};

/// `y = x + attention(ln_1(x))`, then `y + mlp(ln_2(y))`: the norm comes before each half ("pre-LN"), as GPT-2 has it.
#[derive(Debug)]
pub struct Block {
    /// Before the attention.
    pub ln_1: LayerNorm,
    /// The first half.
    pub attn: Attention,
    /// Before the MLP.
    pub ln_2: LayerNorm,
    /// The second half.
    pub mlp: Mlp,
}

impl Block {
    /// Takes the weights of block `layer`, counted from 0, out of `store`.
    pub fn from_store(config: &Config, layer: usize, store: &mut Store) -> Result<Self, LoadError> {
        let mut attn = |name: &str| store.linear(&format!("h.{layer}.attn.{name}"));
        let (c_attn, c_proj) = (attn("c_attn")?, attn("c_proj")?);
        let attn = Attention { c_attn, c_proj, n_head: config.n_head, scale: config.attention_scale(layer) };
        let mut mlp = |name: &str| store.linear(&format!("h.{layer}.mlp.{name}"));
        let (c_fc, c_proj) = (mlp("c_fc")?, mlp("c_proj")?);
        let mlp = Mlp { c_fc, activation: config.activation, c_proj };
        let mut norm = |name: &str| store.layer_norm(&format!("h.{layer}.{name}"), config.layer_norm_epsilon);
        Ok(Self { ln_1: norm("ln_1")?, attn, ln_2: norm("ln_2")?, mlp })
    }

    /// Arguments as of [`Attention::forward`].
    ///
    /// # Shapes
    /// - `x`, and the result: [n, C]
    pub fn forward(&self, x: Tensor<2>, spans: &[Span], masks: &[Mask], cache: &mut LayerCache) -> Tensor<2> {
        let y = self.attn.forward(self.ln_1.forward(x.clone()), spans, masks, cache) + x;
        self.mlp.forward(self.ln_2.forward(y.clone())) + y
    }
}
