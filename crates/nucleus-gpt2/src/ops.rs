//! The model in burn's operations: on any device, and what kernels are held against.

use std::ops::Range;

use burn::tensor::{Device, Int, Tensor, TensorData};
use nucleus_decode::sampler::TokenId;

use crate::attention::{Mask, causal_mask};
use crate::block::Block;
use crate::cache::{LayerCache, Room};
use crate::config::Config;
use crate::cpu;
use crate::embedding::Embedding;
use crate::layer_norm::LayerNorm;
use crate::row::{Row, Source, Span, following, spans};
use crate::weights::{LoadError, Store};

/// Logits that are read back at once, in bytes, where there are many positions: few enough for a phone.
const READ_BYTES: usize = 8 << 20;

/// Weights and cache as burn tensors.
#[derive(Debug)]
pub struct Ops {
    config: Config,
    device: Device,
    /// Whether this crate's kernels for the CPU compute products and attention.
    on_cpu: bool,
    wte: Embedding,
    /// [`n_ctx`, C].
    wpe: Tensor<2>,
    blocks: Vec<Block>,
    ln_f: LayerNorm,
    /// `None`: the token embedding is the head too.
    head: Option<Embedding>,
    /// One per block.
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
        let mut ops = Self {
            wte,
            wpe: store.matrix("wpe.weight")?,
            blocks: (0..config.n_layer)
                .map(|layer| Block::from_store(config, layer, store))
                .collect::<Result<_, _>>()?,
            ln_f: store.layer_norm("ln_f", config.layer_norm_epsilon)?,
            head,
            cache: Vec::new(),
            on_cpu: store.is_packed(),
            config: config.clone(),
            device: device.clone(),
        };
        ops.allocate(1);
        Ok(ops)
    }

    /// Makes room for `slots` texts, with nothing of what was there; `false`, and room for none, where memory is short.
    pub fn open(&mut self, slots: usize) -> bool {
        self.cache.clear();
        self.device.memory_cleanup();
        let numbers = 2 * slots * self.config.n_layer * self.config.n_ctx * self.config.n_embd;
        let fits = !self.on_cpu || cpu::has_room(numbers);
        if fits {
            self.allocate(slots);
        }
        fits
    }

    fn allocate(&mut self, slots: usize) {
        let room = Room { slots, positions: self.config.n_ctx };
        self.cache = (0..self.config.n_layer).map(|_| self.layer_cache(room)).collect();
    }

    fn layer_cache(&self, room: Room) -> LayerCache {
        LayerCache::new(&self.config, room, self.on_cpu, &self.device)
    }

    /// Puts into each slot what its source has, all at once.
    pub fn reorder(&mut self, sources: &[Source]) {
        self.cache.iter_mut().for_each(|cache| cache.reorder(sources));
    }

    /// Encodes `rows`, whose positions are those after what their slots have, and adds them to the cache.
    ///
    /// # Shapes
    /// - result: [n, V], the logits of the rows from `first` on
    pub fn pass(&mut self, rows: &[Row], first: usize) -> Tensor<2> {
        let (spans, mut x) = (spans(rows), self.embed(rows));
        let masks = self.masks(&spans);
        for (block, cache) in self.blocks.iter().zip(&mut self.cache) {
            x = block.forward(x, &spans, &masks, cache);
        }
        self.logits(x.slice_dim(0, first..rows.len()))
    }

    /// The logits of `ids` from one pass, some positions at a time. Each block has a cache of its own for as long as it
    /// is computed: that of the model is left alone.
    ///
    /// # Shapes
    /// - each: [rows, V], of the positions that follow those before
    pub fn every_position(&self, ids: &[TokenId]) -> impl Iterator<Item = Tensor<2>> + use<'_> {
        let n = ids.len();
        let rows = following(ids, 0, 0);
        let spans = spans(&rows);
        let masks = self.masks(&spans);
        let room = Room { slots: 1, positions: n };
        let through = |x, block: &Block| block.forward(x, &spans, &masks, &mut self.layer_cache(room));
        let x = self.blocks.iter().fold(self.embed(&rows), through);
        self.read_ranges(n).map(move |range| self.logits(x.clone().slice_dim(0, range)))
    }

    /// A mask for each span; this crate's attention needs none.
    fn masks(&self, spans: &[Span]) -> Vec<Mask> {
        let mask = |span: &Span| {
            let n = span.rows.len();
            (n > 1 && !self.on_cpu).then(|| causal_mask(n, span.start + n, &self.device))
        };
        spans.iter().map(mask).collect()
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
        let rows = (READ_BYTES / (self.config.n_vocab * size_of::<f32>())).max(1);
        (0..n).step_by(rows).map(move |start| start..n.min(start + rows))
    }

    /// Token and position embedding.
    fn embed(&self, rows: &[Row]) -> Tensor<2> {
        let ids: Vec<TokenId> = rows.iter().map(|row| row.id).collect();
        let positions: Vec<i32> = rows.iter().map(|row| row.position as i32).collect();
        let positions = Tensor::<1, Int>::from_data(TensorData::new(positions, [rows.len()]), &self.device);
        self.wte.rows_of(&ids, &self.device) + self.wpe.clone().select(0, positions)
    }
}
