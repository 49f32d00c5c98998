//! Layer normalisation over the width.

use burn::tensor::{Tensor, module};

/// `(x - mean) / sqrt(variance + epsilon) * gamma + beta`, over the last dimension, with the biased variance
/// (Ba, Kiros and Hinton, arXiv:1607.06450).
#[derive(Debug)]
pub struct LayerNorm {
    /// `ln.weight`, [C].
    pub gamma: Tensor<1>,
    /// `ln.bias`, [C].
    pub beta: Tensor<1>,
    /// Added to the variance.
    pub epsilon: f64,
}

impl LayerNorm {
    /// # Shapes
    /// - `x`, and the result: [n, C]
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        module::layer_norm(x, self.gamma.clone(), Some(self.beta.clone()), self.epsilon)
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, TensorData};

    use super::*;

    #[test]
    fn epsilon_is_inside_the_root_and_the_variance_is_biased() {
        let device = Device::flex();
        let gamma = Tensor::from_data(TensorData::from([1.0f32, 2.0]), &device);
        let beta = Tensor::from_data(TensorData::from([0.0f32, 1.0]), &device);
        let x = Tensor::<2>::from_data(TensorData::from([[-3.0f32, 3.0]]), &device);
        // mean 0, biased variance 9; with epsilon 7 the root is 4.
        let y = LayerNorm { gamma, beta, epsilon: 7.0 }.forward(x).into_data().try_into_vec::<f32>().unwrap();
        for (y, expected) in y.iter().zip([-0.75, 2.5]) {
            assert!((y - expected).abs() < 1e-6, "{y}, not {expected}");
        }
    }
}
