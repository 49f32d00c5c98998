#![doc = include_str!("../ARITHMETIC.md")]

use crate::WeightFormat;

/// The sizes of a GPT-2 that its cost depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// What it is called.
    pub name: &'static str,
    /// Blocks, L.
    pub n_layer: u64,
    /// Width of the residual stream, C; the MLP is 4 C wide.
    pub n_embd: u64,
    /// Rows of the token embedding, V.
    pub n_vocab: u64,
    /// The longest context, positions.
    pub n_ctx: u64,
}

const fn published(name: &'static str, n_layer: u64, n_embd: u64) -> Shape {
    Shape { name, n_layer, n_embd, n_vocab: 50_257, n_ctx: 1024 }
}

/// The embedded model and the four published sizes.
pub const SHAPES: [Shape; 5] = [
    Shape { name: "tales", n_layer: 6, n_embd: 192, n_vocab: 4096, n_ctx: 256 },
    published("gpt2", 12, 768),
    published("gpt2-medium", 24, 1024),
    published("gpt2-large", 36, 1280),
    published("gpt2-xl", 48, 1600),
];

/// Bytes that every WebGPU device lets a shader see of one buffer (`maxStorageBufferBindingSize`).
pub const BINDING: u64 = 128 << 20;

/// The products of a block and the head, by the names of the checkpoint: inputs and outputs in multiples of C.
pub const PRODUCTS: [(&str, u64, u64); 4] =
    [("attn.c_attn", 1, 3), ("attn.c_proj", 1, 1), ("mlp.c_fc", 1, 4), ("mlp.c_proj", 4, 1)];

impl Shape {
    /// Weights of all products, each of which is read once for a token: 12 C^2 in a block, and the head's V C.
    #[must_use]
    pub fn weights(&self) -> u64 {
        let block: u64 = PRODUCTS.iter().map(|(_, inputs, outputs)| inputs * outputs).sum();
        block * self.n_embd.pow(2) * self.n_layer + self.n_vocab * self.n_embd
    }

    /// Numbers beside them, always f32: 9 C of biases and 4 C of norms in a block, the last norm, and a token's position.
    #[must_use]
    pub fn vectors(&self) -> u64 {
        (13 * self.n_layer + 3) * self.n_embd
    }

    /// Bytes of weights that a token reads.
    #[must_use]
    pub fn weight_bytes(&self, format: WeightFormat) -> u64 {
        packed(self.weights() + self.n_embd, format) + 4 * self.vectors()
    }

    /// Bytes of keys and values, f32, that a token reads when `n` positions are seen.
    #[must_use]
    pub fn cache_bytes(&self, n: u64) -> u64 {
        2 * 4 * self.n_embd * self.n_layer * n
    }

    /// Multiplications and additions of a token that sees `n` positions: two for a weight, four for a number of the residual
    /// stream, a block and a position.
    #[must_use]
    pub fn operations(&self, n: u64) -> u64 {
        2 * self.weights() + 4 * self.n_embd * self.n_layer * n
    }

    /// Dispatches of a token: eight in a block, the last norm, and one for each piece of embedding and head, which are cut
    /// so that a binding of [`BINDING`] bytes holds a piece.
    #[must_use]
    pub fn dispatches(&self, format: WeightFormat) -> u64 {
        let pieces = packed(self.n_vocab * self.n_embd, format).div_ceil(BINDING);
        8 * self.n_layer + 1 + 2 * pieces
    }

    /// Bytes of the logits, which are read back for every token.
    #[must_use]
    pub fn logits_bytes(&self) -> u64 {
        4 * self.n_vocab
    }

    /// Bytes that a step of `rows` texts reads, each with `n` positions, as a part of what as many steps of one text do: the
    /// weights are read once for all, keys and values for each.
    #[must_use]
    pub fn share_of_rows(&self, format: WeightFormat, n: u64, rows: u64) -> f64 {
        let (weights, cache) = (self.weight_bytes(format), self.cache_bytes(n));
        (weights + rows * cache) as f64 / (rows * (weights + cache)) as f64
    }

    /// Tokens a second at most, where a device reads `gigabytes` (10^9) a second and does nothing else.
    #[must_use]
    pub fn bound(&self, format: WeightFormat, n: u64, gigabytes: f64) -> f64 {
        gigabytes * 1e9 / (self.weight_bytes(format) + self.cache_bytes(n)) as f64
    }
}

/// Bytes of `numbers` weights; int8 comes in blocks of 32 with a scale of 4 bytes.
#[must_use]
pub fn packed(numbers: u64, format: WeightFormat) -> u64 {
    match format {
        WeightFormat::F32 => 4 * numbers,
        WeightFormat::F16 => 2 * numbers,
        WeightFormat::Int8 => 36 * numbers / 32,
    }
}

/// Milliseconds that a token's dispatches take by themselves, where each costs `microseconds`.
#[must_use]
pub fn dispatch_ms(dispatches: u64, microseconds: f64) -> f64 {
    dispatches as f64 * microseconds / 1e3
}

/// How a product of one row is spread over a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// Workgroups.
    pub workgroups: u64,
    /// Threads that have something to add up.
    pub threads: u64,
}

impl Spread {
    /// 64 threads a workgroup, each with a quad of columns: no barrier.
    #[must_use]
    pub fn plain(outputs: u64) -> Self {
        Self { workgroups: (outputs / 4).div_ceil(64), threads: outputs / 4 }
    }

    /// 256 threads a workgroup: 8 quads of columns, and 32 threads for each, which share the rows.
    #[must_use]
    pub fn tiled(outputs: u64) -> Self {
        Self { workgroups: (outputs / 4).div_ceil(8), threads: outputs / 4 * 32 }
    }

    /// Bytes of f32 weights that are asked for at one time, at most: four quads a thread.
    #[must_use]
    pub fn bytes_in_flight(&self) -> u64 {
        self.threads * 4 * 16
    }
}

/// Bytes that must be on their way at any time to use a bandwidth: `gigabytes` (10^9) a second, each `nanoseconds` late (Little's law).
#[must_use]
pub fn needed_in_flight(gigabytes: f64, nanoseconds: f64) -> f64 {
    gigabytes * nanoseconds
}
