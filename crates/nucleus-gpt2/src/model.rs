//! The whole model: ids in, logits out.

use burn::tensor::{Device, Tensor, TensorReadError};
use nucleus_decode::sampler::TokenId;

use crate::checkpoint::Header;
use crate::config::Config;
use crate::error::ModelError;
use crate::ops::Ops;
use crate::row::{Row, Source, following};
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
    /// Tokens in the cache, for each row that is open.
    lens: Vec<usize>,
    /// How many rows may be open.
    most_rows: usize,
}

/// How many rows may be open, however small they are: as many as go through the model together.
const MOST_ROWS: usize = wgsl::PASS;

/// Weights, cache and how they are computed with.
#[derive(Debug)]
pub(crate) enum Body {
    /// In burn's operations.
    Ops(Box<Ops>),
    /// By this crate's kernels on WebGPU.
    Wgsl(Box<wgsl::Model>),
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

    /// A model of the weights that a [`Loader`] put on the device, with one row. No tensor of the cache is to have more
    /// than `max_tensor_bytes`, or more rows than one.
    pub(crate) fn new(config: &Config, body: Body, device: &Device, max_tensor_bytes: usize) -> Self {
        Self {
            config: config.clone(),
            device: device.clone(),
            body,
            lens: vec![0],
            most_rows: (max_tensor_bytes / row_bytes(config)).clamp(1, MOST_ROWS),
        }
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
                self.truncate(0, 0);
                self.extend(0, &vec![TokenId(0); n]).await?;
            }
            self.truncate(0, 0);
        }
        Ok(())
    }

    /// Makes room for `rows` empty rows. The memory of other rows is given back first.
    pub(crate) fn open(&mut self, rows: usize) -> Result<(), ModelError> {
        let limit = self.most_rows;
        if !(1..=limit).contains(&rows) {
            return Err(ModelError::RowCount { rows, limit });
        }
        if self.rows() == rows || self.allocate(rows) {
            self.lens = vec![0; rows];
            return Ok(());
        }
        self.lens = vec![0; usize::from(self.allocate(1))];
        let bytes = 2 * rows * self.config.n_layer * row_bytes(&self.config);
        Err(ModelError::Memory { rows, bytes: bytes as u64 })
    }

    fn allocate(&mut self, rows: usize) -> bool {
        match &mut self.body {
            Body::Ops(ops) => ops.open(rows),
            Body::Wgsl(model) => model.open(rows),
        }
    }

    /// How many rows are open.
    pub(crate) fn rows(&self) -> usize {
        self.lens.len()
    }

    /// Tokens in the cache of a row.
    pub(crate) fn row(&self, row: usize) -> Result<usize, ModelError> {
        self.lens.get(row).copied().ok_or(ModelError::UnknownRow { row, rows: self.rows() })
    }

    /// Forgets all cached tokens of a row but the first `len`; the memory stays.
    pub(crate) fn truncate(&mut self, row: usize, len: usize) {
        if let Some(cached) = self.lens.get_mut(row) {
            *cached = len.min(*cached);
        }
    }

    /// Encodes `ids` after what is cached in a row, appends them to it, and reads back the logits of the last position.
    pub(crate) async fn extend(&mut self, row: usize, ids: &[TokenId]) -> Result<Vec<f32>, ModelError> {
        let start = self.row(row)?;
        self.check(ids, start)?;
        self.pass(&following(ids, start, row), ids.len() - 1).await
    }

    /// Encodes rows that [`check`](Self::check) let through and appends them to the cache. The logits of those from
    /// `first` on are read back, at most [`LOGIT_ROWS`](wgsl::LOGIT_ROWS): [rows, V].
    pub(crate) async fn pass(&mut self, rows: &[Row], first: usize) -> Result<Vec<f32>, ModelError> {
        rows.iter().for_each(|row| self.lens[row.slot] = row.position + 1);
        match &mut self.body {
            Body::Ops(ops) => read(ops.pass(rows, first)).await,
            Body::Wgsl(model) => read(model.pass(rows, first)).await,
        }
    }

    /// Puts into each row what its source, one for each row, has read.
    pub(crate) fn reorder(&mut self, sources: &[Source]) {
        let lens = sources.iter().map(|source| source.len).collect();
        if sources.iter().enumerate().any(|(row, source)| source.slot != row) {
            match &mut self.body {
                Body::Ops(ops) => ops.reorder(sources),
                Body::Wgsl(model) => model.reorder(sources),
            }
        }
        self.lens = lens;
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

    /// Whether `ids` can follow `start` tokens.
    pub(crate) fn check(&self, ids: &[TokenId], start: usize) -> Result<(), ModelError> {
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

/// Bytes that a row takes in one tensor of the cache: the keys of a block, or its values.
fn row_bytes(config: &Config) -> usize {
    config.n_ctx * config.n_embd * size_of::<f32>()
}

/// The one read-back; asynchronous, since a browser has no other.
async fn read<const D: usize>(logits: Tensor<D>) -> Result<Vec<f32>, ModelError> {
    let data = logits.into_data_async().await.map_err(TensorReadError::from)?;
    Ok(data.try_into_vec::<f32>().map_err(TensorReadError::from)?)
}
