//! Tensors that are on the device and not yet in the model.

use std::collections::HashMap;

use burn::tensor::{DType, Device, Tensor, TensorData};

use super::LoadError;
use crate::checkpoint::Dtype;
use crate::embedding::Embedding;
use crate::layer_norm::LayerNorm;
use crate::linear::Linear;

/// Weights by plain name; each is taken out once.
#[derive(Debug, Default)]
pub struct Store {
    vectors: HashMap<Box<str>, Tensor<1>>,
    matrices: HashMap<Box<str>, Tensor<2>>,
    /// The token embedding, unless an equal head came first.
    pub wte: Option<Embedding>,
    /// The head, unless an equal token embedding came first.
    pub head: Option<Embedding>,
}

impl Store {
    /// Uploads a tensor of one or two dimensions; `None` where weights do not come in that format.
    pub fn put(&mut self, name: &str, dtype: Dtype, shape: &[usize], bytes: &[u8], device: &Device) -> Option<()> {
        let numbers = dtype.to_f32(bytes)?;
        let options = (device, DType::F32);
        if let &[rows, columns] = shape {
            let matrix = Tensor::from_data(TensorData::new(numbers, [rows, columns]), options);
            self.matrices.insert(name.into(), matrix);
        } else {
            let n = numbers.len();
            self.vectors.insert(name.into(), Tensor::from_data(TensorData::new(numbers, [n]), options));
        }
        Some(())
    }

    /// `{name}.weight` [`d_in`, `d_out`] and `{name}.bias` [`d_out`].
    pub fn linear(&mut self, name: &str) -> Result<Linear, LoadError> {
        Ok(Linear { weight: self.matrix(&format!("{name}.weight"))?, bias: self.vector(&format!("{name}.bias"))? })
    }

    /// `{name}.weight` and `{name}.bias`, [C].
    pub fn layer_norm(&mut self, name: &str, epsilon: f64) -> Result<LayerNorm, LoadError> {
        let (gamma, beta) = (self.vector(&format!("{name}.weight"))?, self.vector(&format!("{name}.bias"))?);
        Ok(LayerNorm { gamma, beta, epsilon })
    }

    /// The matrix of this name.
    pub fn matrix(&mut self, name: &str) -> Result<Tensor<2>, LoadError> {
        self.matrices.remove(name).ok_or_else(|| LoadError::NotGiven { name: name.into() })
    }

    fn vector(&mut self, name: &str) -> Result<Tensor<1>, LoadError> {
        self.vectors.remove(name).ok_or_else(|| LoadError::NotGiven { name: name.into() })
    }
}
