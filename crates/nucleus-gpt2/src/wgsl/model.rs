//! The model with its cache.

use burn::tensor::{Device, Tensor};
use nucleus_decode::sampler::TokenId;

use super::cache::Cache;
use super::kernels::Kernels;
use super::pass::{LOGIT_ROWS, PASS, Pass, Scratch, Weights};
use super::store::Store;
use crate::config::Config;
use crate::row::{Row, Source, following};
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
        let memory = || {
            Some((Scratch::empty(config, options.workgroups, device)?, Cache::empty(config, 1, config.n_ctx, device)?))
        };
        let (scratch, cache) = memory().ok_or_else(|| LoadError::NotGiven { name: "WebGPU".into() })?;
        Ok(Self {
            config: config.clone(),
            device: device.clone(),
            workgroups: options.workgroups,
            kernels,
            weights,
            scratch,
            cache,
        })
    }

    /// Makes room for `slots` texts, with nothing of what was there; `false`, and room for none, where there is no memory.
    pub fn open(&mut self, slots: usize) -> bool {
        // What was there goes first: there need not be room for both.
        self.cache = Cache::default();
        self.device.memory_cleanup();
        let cache = Cache::empty(&self.config, slots, self.config.n_ctx, &self.device);
        cache.map(|cache| self.cache = cache).is_some()
    }

    /// Puts into each slot what its source has, all at once.
    pub fn reorder(&mut self, sources: &[Source]) {
        self.cache.reorder(sources, &self.config, &self.kernels.reorder, &self.scratch);
    }

    /// Encodes `rows`, whose positions are those after what their slots have, and adds them to the cache.
    ///
    /// # Shapes
    /// - result: [n, V], the logits of the rows from `first` on, which are in the last [`PASS`] of them and at most
    ///   [`LOGIT_ROWS`]
    pub fn pass(&mut self, rows: &[Row], first: usize) -> Tensor<1> {
        for (i, part) in rows.chunks(PASS).enumerate() {
            self.over(&self.cache).run(part, first.saturating_sub(i * PASS).min(part.len()));
        }
        self.scratch.logits().start((rows.len() - first) * self.config.n_vocab)
    }

    /// The logits of `ids` in one go, with a cache of their own: that of the model is left alone.
    ///
    /// `next` gives the following positions, [rows, V] each time and at most [`LOGIT_ROWS`], until there are no more.
    pub fn every_position<'a>(&'a self, ids: &'a [TokenId]) -> impl Iterator<Item = Tensor<1>> + use<'a> {
        let cache = Cache::empty(&self.config, 1, ids.len(), &self.device);
        ids.chunks(LOGIT_ROWS).enumerate().filter_map(move |(i, ids)| {
            self.over(cache.as_ref()?).run(&following(ids, i * LOGIT_ROWS, 0), 0);
            Some(self.scratch.logits().start(ids.len() * self.config.n_vocab))
        })
    }

    fn over<'a>(&'a self, cache: &'a Cache) -> Pass<'a> {
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
