//! The model in burn's operations: on any device, and what kernels are held against.

use std::ops::Range;

use burn::tensor::{Device, Tensor};
use nucleus_decode::sampler::TokenId;

use crate::attention::causal_mask;
use crate::block::Block;
use crate::cache::LayerCache;
use crate::config::Config;
use crate::embedding::Embedding;
use crate::layer_norm::LayerNorm;
use crate::weights::{LoadError, Store};

/// Logits that are read back at once, in bytes, where there are many positions: few enough for a phone.
const READ_BYTES: usize = 8 << 20;

/// Weights and cache as burn tensors.
#[derive(Debug)]
pub struct Ops {
    n_vocab: usize,
    device: Device,
    wte: Embedding,
    /// [`n_ctx`, C].
    wpe: Tensor<2>,
    blocks: Vec<Block>,
    ln_f: LayerNorm,
    /// `None`: the token embedding is the head too.
    head: Option<Embedding>,
    /// One per block, all of the same length.
    cache: Vec<LayerCache>,
}

impl Ops {
    /// Takes the weights out of `store`.
    ///
    /// # Errors
    /// [`LoadError::NotGiven`] where one never came.
    pub fn new(config: &Config, store: &mut Store, device: &Device) -> Result<Self, LoadError> {
        // A checkpoint whose head equals its token embedding gives only the first of the two.
        let (wte, head) = match (store.wte.take(), store.head.take()) {
            (Some(wte), head) => (wte, head),
            (None, Some(both)) => (both, None),
            (None, None) => return Err(LoadError::NotGiven { name: "wte.weight".into() }),
        };
        Ok(Self {
            n_vocab: config.n_vocab,
            wte,
            wpe: store.matrix("wpe.weight")?,
            blocks: (0..config.n_layer)
                .map(|layer| Block::from_store(config, layer, store))
                .collect::<Result<_, _>>()?,
            ln_f: store.layer_norm("ln_f", config.layer_norm_epsilon)?,
            head,
            cache: (0..config.n_layer).map(|_| LayerCache::new(config, device)).collect(),
            device: device.clone(),
        })
    }

    /// Positions in the cache.
    pub fn len(&self) -> usize {
        self.cache.first().map_or(0, LayerCache::len)
    }

    /// Forgets all positions but the first `len`; the memory stays.
    pub fn truncate(&mut self, len: usize) {
        self.cache.iter_mut().for_each(|cache| cache.truncate(len));
    }

    /// Encodes `ids`, which fit after what is cached, and appends them to it.
    ///
    /// # Shapes
    /// - result: [1, V], the logits of the last position
    pub fn extend(&mut self, ids: &[TokenId]) -> Tensor<2> {
        let (start, n) = (self.len(), ids.len());
        let mask = (n > 1).then(|| causal_mask(n, start + n, &self.device));
        let mut x = self.embed(ids, start);
        for (block, cache) in self.blocks.iter().zip(&mut self.cache) {
            x = block.forward(x, mask.as_ref(), Some(cache));
        }
        self.logits(x.slice_dim(0, n - 1..n))
    }

    /// The logits of `ids` from one pass without the cache, some positions at a time.
    ///
    /// # Shapes
    /// - each: [rows, V], of the positions that follow those before
    pub fn every_position(&self, ids: &[TokenId]) -> impl Iterator<Item = Tensor<2>> + use<'_> {
        let n = ids.len();
        let mask = (n > 1).then(|| causal_mask(n, n, &self.device));
        let x = self.blocks.iter().fold(self.embed(ids, 0), |x, block| block.forward(x, mask.as_ref(), None));
        self.read_ranges(n).map(move |range| self.logits(x.clone().slice_dim(0, range)))
    }

    /// The final norm and the head.
    ///
    /// # Shapes
    /// - `x`: [n, C]
    /// - result: [n, V]
    fn logits(&self, x: Tensor<2>) -> Tensor<2> {
        self.head.as_ref().unwrap_or(&self.wte).logits(self.ln_f.forward(x))
    }

    /// Positions 0..n in ranges whose logits are at most [`READ_BYTES`], at least one position each.
    fn read_ranges(&self, n: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let rows = (READ_BYTES / (self.n_vocab * size_of::<f32>())).max(1);
        (0..n).step_by(rows).map(move |start| start..n.min(start + rows))
    }

    /// Token and position embedding.
    fn embed(&self, ids: &[TokenId], start: usize) -> Tensor<2> {
        self.wte.rows_of(ids, &self.device) + self.wpe.clone().slice_dim(0, start..start + ids.len())
    }
}
