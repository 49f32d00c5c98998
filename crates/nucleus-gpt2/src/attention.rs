//! Multi-head causal self-attention, through a cache.

use burn::tensor::{Device, Tensor, TensorData, activation};

use crate::cache::{LayerCache, TensorCache};
use crate::cpu;
use crate::linear::Linear;
use crate::row::Span;

/// Added to the score of a position that must not be seen. Finite, since drivers may assume that there is no infinity;
/// so low that its `exp` is exactly 0 beside any real score.
const MASKED: f32 = -1e9;

/// `c_proj(softmax(scale Q K^T + mask) V)` per head, with `Q | K | V = c_attn(x)`
/// (Vaswani et al., arXiv:1706.03762, section 3.2; the layout is that of `modeling_gpt2.py`).
#[derive(Debug)]
pub struct Attention {
    /// [C, 3 C]: the columns of Q, then K, then V, each head after head.
    pub c_attn: Linear,
    /// [C, C].
    pub c_proj: Linear,
    /// H; divides C.
    pub n_head: usize,
    /// On the scores: see [`Config::attention_scale`](crate::Config::attention_scale).
    pub scale: f64,
}

impl Attention {
    /// Each row attends to the positions of its slot in `cache`, itself included, which it joins first.
    ///
    /// # Shapes
    /// - `x`, and the result: [n, C], the rows of all spans
    /// - `masks`: one for each span, see [`causal_mask`]; a span of one row needs none
    pub fn forward(&self, x: Tensor<2>, spans: &[Span], masks: &[Mask], cache: &mut LayerCache) -> Tensor<2> {
        let c = x.dims()[1];
        let qkv = self.c_attn.forward(x);
        let heads = match cache {
            LayerCache::Cpu(cache) => cpu::tensor(cpu::with_slice(qkv, |qkv| cache.attend(qkv, spans, self.scale)), c),
            LayerCache::Tensors(cache) => {
                let mut one = |(span, mask): (&Span, &Mask)| {
                    self.attend(qkv.clone().slice_dim(0, span.rows.clone()), span, mask.as_ref(), cache)
                };
                let mut heads: Vec<_> = spans.iter().zip(masks).map(&mut one).collect();
                if heads.len() == 1 { heads.remove(0) } else { Tensor::cat(heads, 0) }
            }
        };
        self.c_proj.forward(heads)
    }

    /// `softmax(scale Q K^T + mask) V` of one span.
    ///
    /// # Shapes
    /// - `qkv`: [n, 3 C]
    /// - result: [n, C]
    fn attend(&self, qkv: Tensor<2>, span: &Span, mask: Option<&Tensor<4>>, cache: &mut TensorCache) -> Tensor<2> {
        let [n, c] = [qkv.dims()[0], qkv.dims()[1] / 3];
        let [q, k, v] = self.heads(qkv);
        let (k, v) = cache.write(k, v, span.slot, span.start);
        let scores = q.mul_scalar(self.scale).matmul(k.swap_dims(2, 3));
        let scores = match mask {
            Some(mask) => scores + mask.clone(),
            None => scores,
        };
        activation::softmax(scores, 3).matmul(v).swap_dims(1, 2).reshape([n, c])
    }

    /// # Shapes
    /// - `qkv`: [n, 3 C]
    /// - Q, K and V: [1, H, n, D]
    fn heads(&self, qkv: Tensor<2>) -> [Tensor<4>; 3] {
        let [n, c] = [qkv.dims()[0], qkv.dims()[1] / 3];
        let qkv = qkv.reshape([n, 3, self.n_head, c / self.n_head]).permute([1, 2, 0, 3]);
        [0, 1, 2].map(|i| qkv.clone().slice_dim(0, i..i + 1))
    }
}

/// What a span's rows may not see of what is cached, if anything.
pub type Mask = Option<Tensor<4>>;

/// What keeps position i of the `n` newest from seeing any later one: 0 where it may look, [`MASKED`] where not.
///
/// # Shapes
/// - result: [1, 1, n, `total`]; the new positions are the last n of `total`
pub fn causal_mask(n: usize, total: usize, device: &Device) -> Tensor<4> {
    let visible = |row: usize, column: usize| column + n <= row + total;
    let entries = (0..n).flat_map(|row| (0..total).map(move |column| if visible(row, column) { 0.0 } else { MASKED }));
    Tensor::from_data(TensorData::new(entries.collect::<Vec<f32>>(), [1, 1, n, total]), device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_is_aligned_with_the_end() {
        let mask = causal_mask(2, 4, &Device::flex()).into_data().try_into_vec::<f32>().unwrap();
        assert_eq!(mask, [0.0, 0.0, 0.0, MASKED, 0.0, 0.0, 0.0, 0.0]);
        let square = causal_mask(2, 2, &Device::flex()).into_data().try_into_vec::<f32>().unwrap();
        assert_eq!(square, [0.0, MASKED, 0.0, 0.0]);
    }

    #[test]
    fn a_masked_score_has_no_share_at_all() {
        let scores = Tensor::<1>::from_data(TensorData::from([3e4f32 + MASKED, -3e4]), &Device::flex());
        assert_eq!(activation::softmax(scores, 0).into_data().try_into_vec::<f32>().unwrap(), [0.0, 1.0]);
    }
}
