//! The whole model: ids in, logits out.

use burn::tensor::{Device, Tensor, TensorReadError};
use nucleus_decode::sampler::TokenId;

use crate::attention::causal_mask;
use crate::block::Block;
use crate::cache::LayerCache;
use crate::checkpoint::Header;
use crate::config::Config;
use crate::embedding::Embedding;
use crate::layer_norm::LayerNorm;
use crate::weights::{LoadError, LoadOptions, Loader, Store};

/// Logits that are read back at once, in bytes, where there are many positions: few enough for a phone.
const READ_BYTES: usize = 8 << 20;

/// A GPT-2 with its key/value cache, on one device.
///
/// `logits = ln_f(block_n(.. block_1(wte[ids] + wpe[positions]) ..)) head^T` (Radford et al. 2019; `modeling_gpt2.py`).
#[derive(Debug)]
pub struct Gpt2 {
    config: Config,
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

/// Why the model gave no logits.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// Nothing to encode.
    #[error("there are no tokens to encode: give at least 1")]
    Empty,
    /// More tokens than positions.
    #[error("{n} tokens are too many, since the model has {n_ctx} positions: leave out the oldest")]
    TooLong {
        /// Tokens given and cached together.
        n: usize,
        /// The model's limit.
        n_ctx: usize,
    },
    /// An id that the model has no embedding for.
    #[error("token id {id} is unknown, since the model's vocabulary has {n_vocab} entries: use this model's tokenizer")]
    UnknownId {
        /// The id.
        id: TokenId,
        /// The model's limit.
        n_vocab: usize,
    },
    /// The device did not give its results back; it may be lost.
    #[error("the device did not give back its results: {0}")]
    Device(#[from] TensorReadError),
}

impl Gpt2 {
    /// Loads a checkpoint that is in memory as a whole. Where it is not, use a [`Loader`].
    ///
    /// # Errors
    /// [`LoadError`] where the file is broken or does not fit `config`.
    pub fn from_safetensors(config: &Config, bytes: &[u8], device: &Device) -> Result<Self, LoadError> {
        Self::from_safetensors_with(config, bytes, device, &LoadOptions::default())
    }

    /// As [`from_safetensors`](Self::from_safetensors), with options.
    ///
    /// # Errors
    /// The same.
    pub fn from_safetensors_with(
        config: &Config,
        bytes: &[u8],
        device: &Device,
        options: &LoadOptions,
    ) -> Result<Self, LoadError> {
        let mut loader = Loader::new(config, &Header::of_file(bytes)?, device, options)?;
        for tensor in loader.wanted().to_vec() {
            loader.put(&tensor.name, tensor.bytes(bytes))?;
        }
        loader.finish()
    }

    /// Takes the weights out of `store`.
    pub(crate) fn from_store(config: &Config, store: &mut Store, device: &Device) -> Result<Self, LoadError> {
        // A checkpoint whose head equals its token embedding gives only the first of the two.
        let (wte, head) = match (store.wte.take(), store.head.take()) {
            (Some(wte), head) => (wte, head),
            (None, Some(both)) => (both, None),
            (None, None) => return Err(LoadError::NotGiven { name: "wte.weight".into() }),
        };
        Ok(Self {
            wte,
            wpe: store.matrix("wpe.weight")?,
            blocks: (0..config.n_layer)
                .map(|layer| Block::from_store(config, layer, store))
                .collect::<Result<_, _>>()?,
            ln_f: store.layer_norm("ln_f", config.layer_norm_epsilon)?,
            head,
            cache: (0..config.n_layer).map(|_| LayerCache::new(config, device)).collect(),
            config: config.clone(),
            device: device.clone(),
        })
    }

    /// The sizes of the model.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Where the weights lie and the work is done.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Tokens in the cache.
    pub(crate) fn cached(&self) -> usize {
        self.cache.first().map_or(0, LayerCache::len)
    }

    /// Forgets what was cached; the memory stays.
    pub(crate) fn clear(&mut self) {
        self.cache.iter_mut().for_each(LayerCache::clear);
    }

    /// Encodes `ids` after what is cached, and appends them to it.
    ///
    /// # Shapes
    /// - result: [1, V], the logits of the last position
    pub(crate) fn extend(&mut self, ids: &[TokenId]) -> Result<Tensor<2>, ModelError> {
        let start = self.cached();
        self.check(ids, start)?;
        let n = ids.len();
        let mask = (n > 1).then(|| causal_mask(n, start + n, &self.device));
        let mut x = self.embed(ids, start);
        for (block, cache) in self.blocks.iter().zip(&mut self.cache) {
            x = block.forward(x, mask.as_ref(), Some(cache));
        }
        Ok(self.logits(x.slice_dim(0, n - 1..n)))
    }

    /// Encodes `ids` in one pass, without the cache.
    ///
    /// # Shapes
    /// - result: [n, C], what goes into [`logits`](Self::logits)
    pub(crate) fn encode(&self, ids: &[TokenId]) -> Result<Tensor<2>, ModelError> {
        self.check(ids, 0)?;
        let n = ids.len();
        let mask = (n > 1).then(|| causal_mask(n, n, &self.device));
        Ok(self.blocks.iter().fold(self.embed(ids, 0), |x, block| block.forward(x, mask.as_ref(), None)))
    }

    /// Logits of every position, n rows of V, from one pass without the cache, which is left alone. A reference: the
    /// logits of all positions lie in memory together.
    ///
    /// # Errors
    /// [`ModelError`] where `ids` are none or more than `n_ctx`, one is unknown, or the device fails.
    pub async fn logits_at_every_position(&self, ids: &[TokenId]) -> Result<Vec<Vec<f32>>, ModelError> {
        let x = self.encode(ids)?;
        let mut all = Vec::with_capacity(ids.len());
        for range in self.read_ranges(ids.len()) {
            let logits = read(self.logits(x.clone().slice_dim(0, range))).await?;
            all.extend(logits.chunks_exact(self.config.n_vocab).map(<[f32]>::to_vec));
        }
        Ok(all)
    }

    /// The final norm and the head.
    ///
    /// # Shapes
    /// - `x`: [n, C]
    /// - result: [n, V]
    pub(crate) fn logits(&self, x: Tensor<2>) -> Tensor<2> {
        self.head.as_ref().unwrap_or(&self.wte).logits(self.ln_f.forward(x))
    }

    /// Positions 0..n in ranges whose logits are at most [`READ_BYTES`], at least one position each.
    pub(crate) fn read_ranges(&self, n: usize) -> impl Iterator<Item = std::ops::Range<usize>> + use<> {
        let rows = (READ_BYTES / (self.config.n_vocab * size_of::<f32>())).max(1);
        (0..n).step_by(rows).map(move |start| start..n.min(start + rows))
    }

    /// Token and position embedding.
    fn embed(&self, ids: &[TokenId], start: usize) -> Tensor<2> {
        self.wte.rows_of(ids, &self.device) + self.wpe.clone().slice_dim(0, start..start + ids.len())
    }

    fn check(&self, ids: &[TokenId], start: usize) -> Result<(), ModelError> {
        let Config { n_ctx, n_vocab, .. } = self.config;
        let n = start + ids.len();
        match ids.iter().find(|id| id.index() >= n_vocab) {
            _ if ids.is_empty() => Err(ModelError::Empty),
            _ if n > n_ctx => Err(ModelError::TooLong { n, n_ctx }),
            Some(&id) => Err(ModelError::UnknownId { id, n_vocab }),
            None => Ok(()),
        }
    }
}

/// The one read-back; asynchronous, since a browser has no other.
pub(crate) async fn read(logits: Tensor<2>) -> Result<Vec<f32>, ModelError> {
    let data = logits.into_data_async().await.map_err(TensorReadError::from)?;
    Ok(data.try_into_vec::<f32>().map_err(TensorReadError::from)?)
}
