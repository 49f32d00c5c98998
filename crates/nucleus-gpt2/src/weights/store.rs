//! Tensors that are on the device and not yet in the model.

use std::collections::HashMap;

use burn::tensor::{DType, Device, Tensor, TensorData};

use super::{LoadError, WeightFormat, names};
use crate::checkpoint::{Dtype, TensorInfo};
use crate::cpu::{self, Matrix};
use crate::embedding::Embedding;
use crate::layer_norm::LayerNorm;
use crate::linear::Linear;

/// Weights by plain name; each is taken out once.
#[derive(Debug, Default)]
pub struct Store {
    vectors: HashMap<Box<str>, Tensor<1>>,
    matrices: HashMap<Box<str>, Tensor<2>>,
    /// Weights of the products, for this crate's kernels on the CPU.
    packed: HashMap<Box<str>, Matrix>,
    /// How those are held; `None`: there are none, and burn's operations take the others.
    pub packing: Option<WeightFormat>,
    /// The token embedding, unless an equal head came first.
    pub wte: Option<Embedding>,
    /// The head, unless an equal token embedding came first.
    pub head: Option<Embedding>,
}

impl Store {
    /// Empty.
    pub fn new(packing: Option<WeightFormat>) -> Self {
        Self { packing, ..Self::default() }
    }

    /// Token embedding or head, by its plain name.
    pub fn embedding(&mut self, name: &str) -> &mut Option<Embedding> {
        if name == names::WTE { &mut self.wte } else { &mut self.head }
    }

    /// Bytes of a row, where a matrix is packed row by row as it comes: token embedding and head, the largest by far.
    pub fn unit(&self, info: &TensorInfo) -> Option<usize> {
        let by_row = self.packing.is_some() && [names::WTE, names::HEAD].contains(&names::plain(&info.name));
        by_row.then(|| info.shape[1] * info.dtype.size())
    }

    /// Packs the next rows of such a matrix.
    pub fn write_rows(&mut self, info: &TensorInfo, rows: &[u8]) -> Result<(), LoadError> {
        let format = self.packing.unwrap_or_default();
        let embedding = self.embedding(names::plain(&info.name));
        let embedding = embedding.get_or_insert_with(|| Embedding::to_pack([info.shape[0], info.shape[1]], format));
        let readable = embedding.pack(rows, info.dtype);
        readable.ok_or_else(|| LoadError::Dtype { name: info.name.clone(), dtype: info.dtype.name() })
    }

    /// Drops token embedding or head: it is the other one again.
    pub fn forget(&mut self, name: &str) {
        *self.embedding(name) = None;
    }

    /// Uploads a tensor of one or two dimensions; `None` where weights do not come in that format.
    pub fn put(&mut self, name: &str, dtype: Dtype, shape: &[usize], bytes: &[u8], device: &Device) -> Option<()> {
        let numbers = dtype.to_f32(bytes)?;
        let options = (device, DType::F32);
        if let &[rows, columns] = shape {
            if let Some(format) = self.packing.filter(|_| name != names::WPE) {
                self.packed.insert(name.into(), Matrix::transposed(format, &numbers, [rows, columns]));
                return Some(());
            }
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
        let bias = self.vector(&format!("{name}.bias"))?;
        let name = format!("{name}.weight");
        Ok(match self.packed.remove(&*name) {
            Some(weight) => Linear::Cpu { weight, bias: cpu::with_slice(bias, <[f32]>::to_vec) },
            None => Linear::Tensors { weight: self.matrix(&name)?, bias },
        })
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
