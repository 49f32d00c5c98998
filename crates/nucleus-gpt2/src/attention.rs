//! Multi-head causal self-attention, with a cache or without.

use burn::tensor::{Device, Tensor, TensorData, activation};

use crate::cache::LayerCache;
use crate::linear::Linear;

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
    /// Each of n new positions attends to those in `cache`, if there is one, and to the new ones up to itself.
    ///
    /// # Shapes
    /// - `x`, and the result: [n, C]
    /// - `mask`: [1, 1, n, L], see [`causal_mask`]; none is needed for n = 1
    ///
    /// L counts the cached and the new positions together.
    pub fn forward(&self, x: Tensor<2>, mask: Option<&Tensor<4>>, cache: Option<&mut LayerCache>) -> Tensor<2> {
        let [n, c] = x.dims();
        let [q, k, v] = self.heads(x);
        let (k, v) = match cache {
            Some(cache) => cache.append(k, v),
            None => (k, v),
        };
        let scores = q.mul_scalar(self.scale).matmul(k.swap_dims(2, 3));
        let scores = match mask {
            Some(mask) => scores + mask.clone(),
            None => scores,
        };
        let heads = activation::softmax(scores, 3).matmul(v);
        self.c_proj.forward(heads.swap_dims(1, 2).reshape([n, c]))
    }

    /// # Shapes
    /// - `x`: [n, C]
    /// - Q, K and V: [1, H, n, D]
    fn heads(&self, x: Tensor<2>) -> [Tensor<4>; 3] {
        let [n, c] = x.dims();
        let qkv = self.c_attn.forward(x).reshape([n, 3, self.n_head, c / self.n_head]).permute([1, 2, 0, 3]);
        [0, 1, 2].map(|i| qkv.clone().slice_dim(0, i..i + 1))
    }
}

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
