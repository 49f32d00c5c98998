//! The product that everything in a block is made of.

use burn::tensor::{Tensor, module};

use crate::cpu::{self, Matrix};

/// `O = I W + b`: Hugging Face's `Conv1D`, whose weight is stored as [in, out], as burn's linear wants it.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "a model has four of them for each block")]
pub enum Linear {
    /// burn's product, on any device.
    Tensors {
        /// W, [`d_in`, `d_out`].
        weight: Tensor<2>,
        /// b, [`d_out`].
        bias: Tensor<1>,
    },
    /// This crate's, on the CPU.
    Cpu {
        /// W transposed, [`d_out`, `d_in`].
        weight: Matrix,
        /// b, [`d_out`].
        bias: Vec<f32>,
    },
}

impl Linear {
    /// # Shapes
    /// - `x`: [n, `d_in`]
    /// - result: [n, `d_out`]
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        match self {
            Self::Tensors { weight, bias } => module::linear(x, weight.clone(), Some(bias.clone())),
            Self::Cpu { weight, bias } => {
                let mut y = bias.repeat(x.dims()[0]);
                cpu::with_slice(x, |x| weight.add_product(x, &mut y));
                cpu::tensor(y, bias.len())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, TensorData};

    use super::*;
    use crate::weights::WeightFormat;

    const WEIGHT: [[f32; 3]; 2] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];

    fn check(linear: &Linear) {
        let x = Tensor::<2>::from_data(TensorData::from([[1.0f32, 10.0], [0.0, 1.0]]), &Device::flex());
        let y = linear.forward(x).into_data().try_into_vec::<f32>().unwrap();
        assert_eq!(y, [41.5, 52.0, 62.5, 4.5, 5.0, 5.5]);
    }

    #[test]
    fn the_weight_is_in_by_out() {
        let device = Device::flex();
        let weight = Tensor::from_data(TensorData::from(WEIGHT), &device);
        check(&Linear::Tensors { weight, bias: Tensor::from_data(TensorData::from([0.5f32, 0.0, -0.5]), &device) });
        let weight = Matrix::transposed(WeightFormat::F32, WEIGHT.as_flattened(), [2, 3]);
        check(&Linear::Cpu { weight, bias: vec![0.5, 0.0, -0.5] });
    }
}
