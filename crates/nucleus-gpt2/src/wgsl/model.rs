//! The model with its cache.

use burn::tensor::{Device, Tensor};
use nucleus_decode::sampler::TokenId;

use super::kernels::Kernels;
use super::pass::{Cache, LOGIT_ROWS, PASS, Pass, Rows, Scratch, Weights};
use super::store::Store;
use crate::config::Config;
use crate::weights::{LoadError, LoadOptions, Workgroups};

/// A GPT-2 on WebGPU, computed by this crate's kernels.
#[derive(Debug)]
pub struct Model {
    config: Config,
    device: Device,
    workgroups: Workgroups,
    kernels: Kernels,
    weights: Weights,
    scratch: Scratch,
    cache: Cache,
    /// Positions in the cache.
    len: usize,
}

impl Model {
    /// Takes the weights out of `store`.
    ///
    /// # Errors
    /// [`LoadError::NotGiven`] where one never came.
    pub fn new(config: &Config, store: Store, device: &Device, options: &LoadOptions) -> Result<Self, LoadError> {
        let format = store.weights_format();
        let weights = store.weights(config)?;
        let head = weights.head.as_ref().unwrap_or(&weights.wte);
        let kernels = Kernels::new(config, options.workgroups, format, &weights.wte.cuts(), &head.cuts());
        // The store made matrices on this device, so that it is burn's WebGPU.
        let memory =
            || Some((Scratch::empty(config, options.workgroups, device)?, Cache::empty(config, config.n_ctx, device)?));
        let (scratch, cache) = memory().ok_or_else(|| LoadError::NotGiven { name: "WebGPU".into() })?;
        Ok(Self {
            config: config.clone(),
            device: device.clone(),
            workgroups: options.workgroups,
            kernels,
            weights,
            scratch,
            cache,
            len: 0,
        })
    }

    /// Positions in the cache.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Forgets all positions but the first `len`; the memory stays.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Encodes `ids`, which fit after what is cached, and appends them to it.
    ///
    /// # Shapes
    /// - result: [V], the logits of the last position
    pub fn extend(&mut self, ids: &[TokenId]) -> Tensor<1> {
        let start = self.len;
        let passes = ids.len().div_ceil(PASS);
        for (i, ids) in ids.chunks(PASS).enumerate() {
            let first = if i + 1 == passes { ids.len() - 1 } else { ids.len() };
            self.pass(&self.cache).run(Rows { ids, start: start + i * PASS, first });
        }
        self.len = start + ids.len();
        self.scratch.logits().start(self.config.n_vocab)
    }

    /// The logits of `ids` in one go, with a cache of their own: that of the model is left alone.
    ///
    /// `next` gives the following positions, [rows, V] each time and at most [`LOGIT_ROWS`], until there are no more.
    pub fn every_position<'a>(&'a self, ids: &'a [TokenId]) -> impl Iterator<Item = Tensor<1>> + use<'a> {
        let cache = Cache::empty(&self.config, ids.len(), &self.device);
        ids.chunks(LOGIT_ROWS).enumerate().filter_map(move |(i, ids)| {
            self.pass(cache.as_ref()?).run(Rows { ids, start: i * LOGIT_ROWS, first: 0 });
            Some(self.scratch.logits().start(ids.len() * self.config.n_vocab))
        })
    }

    fn pass<'a>(&'a self, cache: &'a Cache) -> Pass<'a> {
        Pass {
            config: &self.config,
            workgroups: self.workgroups,
            kernels: &self.kernels,
            weights: &self.weights,
            scratch: &self.scratch,
            cache,
        }
    }
}
