//! The product that everything in a block is made of.

use burn::tensor::{Tensor, module};

/// `O = I W + b`: Hugging Face's `Conv1D`, whose weight is stored as [in, out], as burn's linear wants it.
#[derive(Debug)]
pub struct Linear {
    /// W, [`d_in`, `d_out`].
    pub weight: Tensor<2>,
    /// b, [`d_out`].
    pub bias: Tensor<1>,
}

impl Linear {
    /// # Shapes
    /// - `x`: [n, `d_in`]
    /// - result: [n, `d_out`]
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        module::linear(x, self.weight.clone(), Some(self.bias.clone()))
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, TensorData};

    use super::*;

    #[test]
    fn the_weight_is_in_by_out() {
        let device = Device::flex();
        let weight = Tensor::from_data(TensorData::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]), &device);
        let bias = Tensor::from_data(TensorData::from([0.5f32, 0.0, -0.5]), &device);
        let x = Tensor::<2>::from_data(TensorData::from([[1.0f32, 10.0], [0.0, 1.0]]), &device);
        let y = Linear { weight, bias }.forward(x).into_data().try_into_vec::<f32>().unwrap();
        assert_eq!(y, [41.5, 52.0, 62.5, 4.5, 5.0, 5.5]);
    }
}
