//! One pass of some rows through the model: the memory it needs, and its dispatches in their order.

use burn::tensor::Device;

use super::cache::Cache;
use super::kernel::{Buffer, Kernel};
use super::kernels::{ByRows, Kernels, ROWS, TILE};
use super::matrix::{Matrix, QUAD};
use crate::config::Config;
use crate::row::Row;
use crate::weights::Workgroups;

/// Rows that go through the model together, at most. More would need more memory, and read the weights no less often.
pub const PASS: usize = 64;

/// Rows whose logits are computed together, at most.
pub const LOGIT_ROWS: usize = ROWS[ROWS.len() - 1];

/// Rows that memory is made for: kernels that take several rows at once also compute rows that nobody asked for.
const PADDED: usize = PASS + LOGIT_ROWS;

/// Words of the parameters before the rows: how many there are, capacity, first.
const PARAMS: usize = 3;

/// Words of a row: id, position, slot.
const PLACE: usize = 3;

/// The weights of a block.
#[derive(Debug)]
pub struct Block {
    pub ln_1: [Matrix; 2],
    pub c_attn: [Matrix; 2],
    pub attn_c_proj: [Matrix; 2],
    pub ln_2: [Matrix; 2],
    pub c_fc: [Matrix; 2],
    pub mlp_c_proj: [Matrix; 2],
}

/// All weights.
#[derive(Debug)]
pub struct Weights {
    pub wte: Matrix,
    pub wpe: Matrix,
    pub blocks: Vec<Block>,
    pub ln_f: [Matrix; 2],
    /// `None`: the token embedding is the head too.
    pub head: Option<Matrix>,
}

/// What lives for the time of a pass.
#[derive(Debug)]
pub struct Scratch {
    params: Buffer,
    /// The residual stream, [rows, C].
    x: Buffer,
    /// A norm of it, or what the heads found: [rows, C].
    y: Buffer,
    q: Buffer,
    /// Between the MLP's products, [rows, `n_inner`].
    inner: Buffer,
    /// Between the two kernels of attention.
    scores: Buffer,
    weights: Buffer,
    /// [rows, V].
    logits: Buffer,
}

impl Scratch {
    /// Memory for passes of any model with this configuration.
    pub fn empty(config: &Config, workgroups: Workgroups, device: &Device) -> Option<Self> {
        let buffer = |words: usize| Buffer::empty(words, device);
        let heads = PASS * config.n_head;
        let tiles = heads * config.n_ctx.div_ceil(TILE);
        let (scores, weights) = match workgroups {
            Workgroups::Plain => (heads * config.n_ctx, 1),
            Workgroups::Tiled => (tiles * config.d_head(), tiles * 2),
        };
        Some(Self {
            params: buffer(PARAMS + PLACE * PASS)?,
            x: buffer(PADDED * config.n_embd)?,
            y: buffer(PADDED * config.n_embd)?,
            q: buffer(PADDED * config.n_embd)?,
            inner: buffer(PADDED * config.n_inner)?,
            scores: buffer(scores)?,
            weights: buffer(weights)?,
            logits: buffer(LOGIT_ROWS * config.n_vocab)?,
        })
    }

    /// The logits of a pass.
    pub fn logits(&self) -> &Buffer {
        &self.logits
    }

    /// Writes what the kernels are to know of 1 to [`PASS`] rows; `first` is the first of them whose logits are wanted.
    pub fn write_params(&self, rows: &[Row], capacity: usize, first: usize) {
        let sizes = [rows.len(), capacity, first].map(|size| size as u32);
        let rows = rows.iter().flat_map(|row| [row.id.0, row.position as u32, row.slot as u32]);
        self.params.write(0, sizes.into_iter().chain(rows).flat_map(u32::to_le_bytes).collect());
    }

    /// What [`write_params`](Self::write_params) wrote.
    pub fn params(&self) -> &Buffer {
        &self.params
    }
}

/// What a pass works with.
pub struct Pass<'a> {
    pub config: &'a Config,
    pub workgroups: Workgroups,
    pub kernels: &'a Kernels,
    pub weights: &'a Weights,
    pub scratch: &'a Scratch,
    pub cache: &'a Cache,
}

impl Pass<'_> {
    /// Writes k and v of `rows`, 1 to [`PASS`], into the cache, and into [`Scratch::logits`] the logits of those from
    /// `first` on: at most [`LOGIT_ROWS`]; `rows.len()` for none.
    ///
    /// One write, then the dispatches: nothing is waited for.
    pub fn run(&self, rows: &[Row], first: usize) {
        self.scratch.write_params(rows, self.cache.capacity, first);
        self.embed(rows.len());
        let seen = rows.iter().map(|row| row.position + 1).max().unwrap_or(0);
        for layer in 0..self.config.n_layer {
            self.block(layer, rows.len(), seen);
        }
        if first < rows.len() {
            self.head(rows.len(), first);
        }
    }

    fn embed(&self, rows: usize) {
        let (weights, scratch) = (self.weights, self.scratch);
        for (kernel, piece) in self.kernels.embed.iter().zip(weights.wte.pieces()) {
            let groups = [(self.config.n_embd / QUAD).div_ceil(64), rows, 1];
            kernel.launch(groups, [&scratch.params, &piece.buffer, weights.wpe.whole(), &scratch.x]);
        }
    }

    /// One block over `n` rows, of which none sees more than `seen` positions.
    fn block(&self, layer: usize, n: usize, seen: usize) {
        let (c, inner) = (self.config.n_embd, self.config.n_inner);
        let (block, scratch, kernels) = (&self.weights.blocks[layer], self.scratch, self.kernels);
        let (params, x, y, q) = (&scratch.params, &scratch.x, &scratch.y, &scratch.q);
        let [k, v] = [&self.cache.k[layer], &self.cache.v[layer]];

        self.norm(&block.ln_1, n);
        let [w, b] = [0, 1].map(|i| block.c_attn[i].whole());
        self.product(&kernels.qkv, 3 * c, n, [params, y, w, b, q, k, v]);
        self.attend(layer, n, seen);
        let [w, b] = [0, 1].map(|i| block.attn_c_proj[i].whole());
        self.product(&kernels.project, c, n, [params, y, w, b, x]);
        self.norm(&block.ln_2, n);
        let [w, b] = [0, 1].map(|i| block.c_fc[i].whole());
        self.product(&kernels.up, inner, n, [params, y, w, b, &scratch.inner]);
        let [w, b] = [0, 1].map(|i| block.mlp_c_proj[i].whole());
        self.product(&kernels.down, c, n, [params, &scratch.inner, w, b, x]);
    }

    /// y = norm(x).
    fn norm(&self, [gamma, beta]: &[Matrix; 2], rows: usize) {
        let scratch = self.scratch;
        self.kernels.norm.launch([rows, 1, 1], [&scratch.x, gamma.whole(), beta.whole(), &scratch.y]);
    }

    fn product<const N: usize>(&self, kernels: &ByRows, outputs: usize, rows: usize, buffers: [&Buffer; N]) {
        let columns = match self.workgroups {
            Workgroups::Plain => 64,
            Workgroups::Tiled => 8,
        };
        let (kernel, at_once) = by_rows(kernels, rows);
        kernel.launch([(outputs / QUAD).div_ceil(columns), rows.div_ceil(at_once), 1], buffers);
    }

    /// y = softmax(q K^T) V.
    fn attend(&self, layer: usize, n: usize, seen: usize) {
        let (heads, scratch) = (self.config.n_head, self.scratch);
        let (params, q, y, scores, weights) =
            (&scratch.params, &scratch.q, &scratch.y, &scratch.scores, &scratch.weights);
        let [k, v] = [&self.cache.k[layer], &self.cache.v[layer]];
        let kernels = &self.kernels.attention[layer];
        match self.workgroups {
            Workgroups::Plain => {
                kernels.first.launch([seen.div_ceil(64), heads, n], [params, q, k, scores]);
                let quads = self.config.d_head() / QUAD;
                kernels.second.launch([quads.div_ceil(16), heads, n], [params, scores, v, y]);
            }
            Workgroups::Tiled => {
                kernels.first.launch([heads, n, seen.div_ceil(TILE)], [params, q, k, v, scores, weights]);
                let quads = self.config.n_embd / QUAD;
                kernels.second.launch([quads.div_ceil(64), n, 1], [params, scores, weights, y]);
            }
        }
    }

    /// The final norm, of all rows, and the logits of those wanted.
    fn head(&self, rows: usize, first: usize) {
        self.norm(&self.weights.ln_f, rows);
        let tokens = match self.workgroups {
            Workgroups::Plain => 64,
            Workgroups::Tiled => 8,
        };
        let wanted = rows - first;
        let head = self.weights.head.as_ref().unwrap_or(&self.weights.wte);
        let scratch = self.scratch;
        for (kernels, piece) in self.kernels.head.iter().zip(head.pieces()) {
            let (kernel, at_once) = by_rows(kernels, wanted);
            let groups = [piece.rows.div_ceil(tokens), wanted.div_ceil(at_once), 1];
            kernel.launch(groups, [&scratch.params, &scratch.y, &piece.buffer, &scratch.logits]);
        }
    }
}

/// The kernel for this many rows, and how many it takes at once: the fewest that hold them all, else the most there are.
fn by_rows(kernels: &ByRows, rows: usize) -> (&Kernel, usize) {
    let i = ROWS.iter().position(|&at_once| at_once >= rows).unwrap_or(ROWS.len() - 1);
    (&kernels[i], ROWS[i])
}
