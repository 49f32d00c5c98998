//! The kernels of a model: one text for each shape, size and weight format.

use super::kernel::{Binding, Kernel, Module};
use super::matrix::{Cut, QUAD, binding, quad};
use crate::activation::Activation;
use crate::config::Config;
use crate::weights::{WeightFormat, Workgroups};

/// How many rows of x a kernel may take at once. A pass takes the smallest that holds its rows.
pub const ROWS: [usize; 4] = [1, 4, 8, 16];

/// Positions in a tile of the attention that is split.
pub const TILE: usize = 256;

/// Below every score; finite, since drivers may assume that there is no infinity.
const LOWEST: f64 = -3e38;

/// Kernels that differ in the rows that they take at once, in the order of [`ROWS`].
pub type ByRows = [Kernel; ROWS.len()];

/// All kernels of a model.
#[derive(Debug)]
pub struct Kernels {
    /// One for each piece of the token embedding: x = wte[ids] + wpe.
    pub embed: Vec<Kernel>,
    /// y = norm(x).
    pub norm: Kernel,
    /// q, and k and v into the cache. One for each block's weights, which all have one shape.
    pub qkv: ByRows,
    /// The attention of each block.
    pub attention: Vec<Attention>,
    /// x += y W + b, from C to C.
    pub project: ByRows,
    /// y = activation(x W + b), from C to `n_inner`.
    pub up: ByRows,
    /// x += y W + b, from `n_inner` to C.
    pub down: ByRows,
    /// One for each piece of the head.
    pub head: Vec<ByRows>,
    /// Slots of a cache into another in a new order.
    pub reorder: Kernel,
}

/// Two kernels of which the second needs the first one's results.
#[derive(Debug)]
pub struct Attention {
    /// Scores; or tiles that are not put together yet.
    pub first: Kernel,
    /// What becomes of them.
    pub second: Kernel,
}

/// The sizes and choices that texts depend on.
struct Maker<'a> {
    config: &'a Config,
    workgroups: Workgroups,
}

impl Kernels {
    /// The kernels for a model whose weights are held in `format`, and whose token embedding and head are cut like this:
    /// the first row of each piece, and how many there are.
    pub fn new(config: &Config, workgroups: Workgroups, format: WeightFormat, wte: &[Cut], head: &[Cut]) -> Self {
        let make = Maker { config, workgroups };
        let (c, inner) = (config.n_embd, config.n_inner);
        Self {
            embed: wte.iter().map(|&piece| make.embed(piece, format)).collect(),
            norm: make.norm(),
            qkv: make.product([c, 3 * c], format, &make.finish_qkv()),
            attention: (0..config.n_layer).map(|layer| make.attention(layer)).collect(),
            project: make.product([c, c], format, &finish_add()),
            up: make.product([c, inner], format, &finish_activate(config.activation)),
            down: make.product([inner, c], format, &finish_add()),
            head: head.iter().map(|&piece| make.head(piece, format)).collect(),
            reorder: make.reorder(),
        }
    }

    /// Every text, for a check of all of them.
    #[cfg(test)]
    pub fn all(&self) -> Vec<&Kernel> {
        let products = [&self.qkv, &self.project, &self.up, &self.down].into_iter().chain(&self.head).flatten();
        let attention = self.attention.iter().flat_map(|attention| [&attention.first, &attention.second]);
        self.embed.iter().chain([&self.norm, &self.reorder]).chain(products).chain(attention).collect()
    }
}

/// What a product does with its sums: the function `finish`, and what it needs.
#[derive(Default)]
struct Finish {
    sizes: Vec<(&'static str, usize)>,
    writes: Vec<Binding>,
    texts: Vec<&'static str>,
}

fn finish_add() -> Finish {
    Finish {
        writes: vec![("y", "vec4<f32>")],
        texts: vec![include_str!("shaders/finish_add.wgsl")],
        ..Finish::default()
    }
}

fn finish_activate(activation: Activation) -> Finish {
    let function = match activation {
        Activation::GeluTanh => "fn activate(x: vec4<f32>) -> vec4<f32> { return gelu_tanh(x); }",
        Activation::GeluErf => "fn activate(x: vec4<f32>) -> vec4<f32> { return gelu_erf(x); }",
        Activation::Relu => "fn activate(x: vec4<f32>) -> vec4<f32> { return relu(x); }",
        Activation::Silu => "fn activate(x: vec4<f32>) -> vec4<f32> { return silu(x); }",
        Activation::Tanh => "fn activate(x: vec4<f32>) -> vec4<f32> { return tanh_clamped(x); }",
    };
    let texts = vec![include_str!("shaders/activate.wgsl"), function, include_str!("shaders/finish_activate.wgsl")];
    Finish { writes: vec![("y", "vec4<f32>")], texts, ..Finish::default() }
}

impl Maker<'_> {
    fn choose(&self, plain: &'static str, tiled: &'static str) -> &'static str {
        match self.workgroups {
            Workgroups::Plain => plain,
            Workgroups::Tiled => tiled,
        }
    }

    fn c4(&self) -> (&'static str, usize) {
        ("C4", self.config.n_embd / QUAD)
    }

    fn d4(&self) -> (&'static str, usize) {
        ("D4", self.config.d_head() / QUAD)
    }

    fn embed(&self, (first, rows): Cut, format: WeightFormat) -> Kernel {
        Module {
            sizes: vec![self.c4(), ("FIRST", first), ("PIECE", rows)],
            reads: vec![binding(format), ("wpe", "vec4<f32>")],
            writes: vec![("x", "vec4<f32>")],
            texts: vec![quad(format), include_str!("shaders/embed.wgsl")],
            ..Module::default()
        }
        .build()
    }

    fn norm(&self) -> Kernel {
        Module {
            sizes: vec![self.c4()],
            numbers: vec![("EPSILON", self.config.layer_norm_epsilon)],
            reads: vec![("x", "vec4<f32>"), ("gamma", "vec4<f32>"), ("beta", "vec4<f32>")],
            writes: vec![("y", "vec4<f32>")],
            texts: vec![self.choose(include_str!("shaders/norm_plain.wgsl"), include_str!("shaders/norm_tiled.wgsl"))],
            ..Module::default()
        }
        .build()
    }

    fn finish_qkv(&self) -> Finish {
        Finish {
            sizes: vec![self.c4(), self.d4()],
            writes: vec![("q", "vec4<f32>"), ("k", "vec4<f32>"), ("v", "vec4<f32>")],
            texts: vec![include_str!("shaders/finish_qkv.wgsl")],
        }
    }

    fn product(&self, [inputs, outputs]: [usize; 2], format: WeightFormat, finish: &Finish) -> ByRows {
        let main = self.choose(include_str!("shaders/product_plain.wgsl"), include_str!("shaders/product_tiled.wgsl"));
        ROWS.map(|rows| {
            Module {
                sizes: [vec![("K", inputs / QUAD), ("N", outputs / QUAD), ("ROWS", rows)], finish.sizes.clone()]
                    .concat(),
                reads: vec![("x", "vec4<f32>"), binding(format), ("bias", "vec4<f32>")],
                writes: finish.writes.clone(),
                texts: [&[quad(format)], &*finish.texts, &[main]].concat(),
                rows,
                ..Module::default()
            }
            .build()
        })
    }

    fn head(&self, (first, piece): Cut, format: WeightFormat) -> ByRows {
        let main = self.choose(include_str!("shaders/head_plain.wgsl"), include_str!("shaders/head_tiled.wgsl"));
        let k = self.config.n_embd / QUAD;
        ROWS.map(|rows| {
            Module {
                sizes: vec![
                    ("K", k),
                    ("FIRST", first),
                    ("PIECE", piece),
                    ("N_VOCAB", self.config.n_vocab),
                    ("ROWS", rows),
                ],
                reads: vec![("x", "vec4<f32>"), binding(format)],
                writes: vec![("logits", "f32")],
                texts: vec![quad(format), main],
                rows,
                ..Module::default()
            }
            .build()
        })
    }

    fn reorder(&self) -> Kernel {
        Module {
            sizes: vec![self.d4(), ("HEADS", self.config.n_head)],
            reads: vec![("before", "vec4<f32>")],
            writes: vec![("after", "vec4<f32>")],
            texts: vec![include_str!("shaders/reorder.wgsl")],
            ..Module::default()
        }
        .build()
    }

    fn attention(&self, layer: usize) -> Attention {
        let (heads, n_ctx) = (("HEADS", self.config.n_head), self.config.n_ctx);
        let scale = ("SCALE", self.config.attention_scale(layer));
        let [k, v] = ["k", "v"].map(|name| (name, "vec4<f32>"));
        let [q, y, sums] = ["q", "y", "sums"].map(|name| (name, "vec4<f32>"));
        let (scores, weights, tiles) = (("scores", "f32"), ("weights", "vec2<f32>"), ("TILES", n_ctx.div_ceil(TILE)));
        let module = |sizes: Vec<_>, reads: Vec<_>, writes: Vec<_>, text| {
            let numbers = vec![scale, ("LOWEST", LOWEST)];
            let sizes = [vec![self.d4(), heads], sizes].concat();
            Module { sizes, numbers, reads, writes, texts: vec![text], ..Module::default() }.build()
        };
        match self.workgroups {
            Workgroups::Plain => Attention {
                first: module(vec![("N_CTX", n_ctx)], vec![q, k], vec![scores], include_str!("shaders/scores.wgsl")),
                second: module(vec![("N_CTX", n_ctx)], vec![scores, v], vec![y], include_str!("shaders/mix.wgsl")),
            },
            Workgroups::Tiled => Attention {
                first: module(vec![tiles], vec![q, k, v], vec![sums, weights], include_str!("shaders/attend.wgsl")),
                second: module(vec![tiles], vec![sums, weights], vec![y], include_str!("shaders/combine.wgsl")),
            },
        }
    }
}
