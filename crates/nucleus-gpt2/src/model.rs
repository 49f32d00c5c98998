//! The whole model: ids in, logits out.

use burn::tensor::{Device, Tensor, TensorReadError};
use nucleus_decode::sampler::TokenId;

use crate::checkpoint::Header;
use crate::config::Config;
use crate::ops::Ops;
use crate::weights::{LoadError, LoadOptions, Loader};
use crate::wgsl;

/// A GPT-2 with its key/value cache, on one device.
///
/// `logits = ln_f(block_n(.. block_1(wte[ids] + wpe[positions]) ..)) head^T` (Radford et al. 2019; `modeling_gpt2.py`).
#[derive(Debug)]
pub struct Gpt2 {
    config: Config,
    device: Device,
    body: Body,
}

/// Weights, cache and how they are computed with.
#[derive(Debug)]
pub(crate) enum Body {
    /// In burn's operations.
    Ops(Box<Ops>),
    /// By this crate's kernels on WebGPU.
    Wgsl(Box<wgsl::Model>),
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

    /// A model of the weights that a [`Loader`] put on the device.
    pub(crate) fn new(config: &Config, body: Body, device: &Device) -> Self {
        Self { config: config.clone(), device: device.clone(), body }
    }

    /// The sizes of the model.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Where the weights lie and the work is done.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Has kernels compiled before the first prompt needs them: a token is computed by each kind, and forgotten. Nothing
    /// to do where there are none.
    ///
    /// # Errors
    /// [`ModelError::Device`] where the device fails.
    pub async fn warm_up(&mut self) -> Result<(), ModelError> {
        if matches!(self.body, Body::Wgsl(_)) {
            for n in [1, self.config.n_ctx.min(16)] {
                self.truncate(0);
                self.extend(&vec![TokenId(0); n]).await?;
            }
            self.truncate(0);
        }
        Ok(())
    }

    /// Tokens in the cache.
    pub(crate) fn cached(&self) -> usize {
        match &self.body {
            Body::Ops(ops) => ops.len(),
            Body::Wgsl(model) => model.len(),
        }
    }

    /// Forgets all cached tokens but the first `len`; the memory stays.
    pub(crate) fn truncate(&mut self, len: usize) {
        match &mut self.body {
            Body::Ops(ops) => ops.truncate(len),
            Body::Wgsl(model) => model.truncate(len),
        }
    }

    /// Encodes `ids` after what is cached, appends them to it, and reads back the logits of the last position.
    pub(crate) async fn extend(&mut self, ids: &[TokenId]) -> Result<Vec<f32>, ModelError> {
        self.check(ids, self.cached())?;
        match &mut self.body {
            Body::Ops(ops) => read(ops.extend(ids)).await,
            Body::Wgsl(model) => read(model.extend(ids)).await,
        }
    }

    /// Logits of every position, n rows of V, from one pass without the cache, which is left alone. A reference: the
    /// logits of all positions lie in memory together.
    ///
    /// # Errors
    /// [`ModelError`] where `ids` are none or more than `n_ctx`, one is unknown, or the device fails.
    pub async fn logits_at_every_position(&self, ids: &[TokenId]) -> Result<Vec<Vec<f32>>, ModelError> {
        let mut all = Vec::with_capacity(ids.len());
        self.each_position(ids, |_, logits| all.push(logits.to_vec())).await?;
        Ok(all)
    }

    /// As [`logits_at_every_position`](Self::logits_at_every_position), but a few positions at a time: `each` is called
    /// with the position, from 0, and its V logits.
    pub(crate) async fn each_position(
        &self,
        ids: &[TokenId],
        mut each: impl FnMut(usize, &[f32]),
    ) -> Result<(), ModelError> {
        self.check(ids, 0)?;
        let mut position = 0;
        let mut take = |logits: Vec<f32>| {
            for row in logits.chunks_exact(self.config.n_vocab) {
                each(position, row);
                position += 1;
            }
        };
        match &self.body {
            Body::Ops(ops) => {
                for logits in ops.every_position(ids) {
                    take(read(logits).await?);
                }
            }
            Body::Wgsl(model) => {
                for logits in model.every_position(ids) {
                    take(read(logits).await?);
                }
            }
        }
        Ok(())
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
async fn read<const D: usize>(logits: Tensor<D>) -> Result<Vec<f32>, ModelError> {
    let data = logits.into_data_async().await.map_err(TensorReadError::from)?;
    Ok(data.try_into_vec::<f32>().map_err(TensorReadError::from)?)
}
