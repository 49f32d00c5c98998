//! The second half of a block.

use burn::tensor::Tensor;

use crate::activation::Activation;
use crate::linear::Linear;

/// `c_proj(activation(c_fc(x)))`.
#[derive(Debug)]
pub struct Mlp {
    /// [C, `n_inner`].
    pub c_fc: Linear,
    /// Between the products.
    pub activation: Activation,
    /// [`n_inner`, C].
    pub c_proj: Linear,
}

impl Mlp {
    /// # Shapes
    /// - `x`, and the result: [n, C]
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.c_proj.forward(self.activation.forward(self.c_fc.forward(x)))
    }
}
