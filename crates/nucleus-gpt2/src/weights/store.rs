//! Tensors that are on the device and not yet in the model.

use std::collections::HashMap;

use burn::tensor::{DType, Device, Tensor, TensorData};

use super::{LoadError, LoadOptions, WeightFormat, names};
use crate::checkpoint::TensorInfo;
use crate::cpu::{self, Matrix};
use crate::embedding::Embedding;
use crate::layer_norm::LayerNorm;
use crate::linear::Linear;

/// Weights by plain name; each is taken out once.
#[derive(Debug)]
pub struct Store {
    device: Device,
    max_tensor_bytes: usize,
    vectors: HashMap<Box<str>, Tensor<1>>,
    matrices: HashMap<Box<str>, Tensor<2>>,
    /// Weights of the products, for this crate's kernels on the CPU.
    packed: HashMap<Box<str>, Matrix>,
    /// How those are held; `None`: there are none, and burn's operations take the others.
    packing: Option<WeightFormat>,
    /// The token embedding, unless an equal head came first.
    pub wte: Option<Embedding>,
    /// The head, unless an equal token embedding came first.
    pub head: Option<Embedding>,
}

impl Store {
    /// Empty.
    pub fn new(device: &Device, options: &LoadOptions) -> Self {
        Self {
            device: device.clone(),
            max_tensor_bytes: options.max_tensor_bytes,
            vectors: HashMap::new(),
            matrices: HashMap::new(),
            packed: HashMap::new(),
            packing: options.packing(device),
            wte: None,
            head: None,
        }
    }

    /// Whether this crate's kernels for the CPU are to compute.
    pub fn is_packed(&self) -> bool {
        self.packing.is_some()
    }

    /// Token embedding or head, by its plain name.
    fn embedding(&mut self, name: &str) -> &mut Option<Embedding> {
        if name == names::WTE { &mut self.wte } else { &mut self.head }
    }

    /// Bytes of a tensor that are written together: a row of token embedding and head, the largest by far, where they are
    /// packed as they come; else all.
    pub fn unit(&self, info: &TensorInfo) -> usize {
        let by_row = self.packing.is_some() && is_embedding(info);
        let numbers = if by_row { info.shape[1] } else { info.shape.iter().product() };
        numbers * info.dtype.size()
    }

    /// Writes the next units of a tensor.
    ///
    /// # Errors
    /// [`LoadError::Dtype`] where weights do not come in that format.
    pub fn write(&mut self, info: &TensorInfo, units: &[u8]) -> Result<(), LoadError> {
        let readable = match (is_embedding(info), self.packing) {
            (true, Some(format)) => self.pack_rows(info, units, format),
            (true, None) => self.put_embedding(info, units),
            (false, _) => self.put(info, units),
        };
        readable.ok_or_else(|| LoadError::Dtype { name: info.name.clone(), dtype: info.dtype.name() })
    }

    fn pack_rows(&mut self, info: &TensorInfo, rows: &[u8], format: WeightFormat) -> Option<()> {
        let shape = [info.shape[0], info.shape[1]];
        let embedding = self.embedding(names::plain(&info.name));
        embedding.get_or_insert_with(|| Embedding::to_pack(shape, format)).pack(rows, info.dtype)
    }

    fn put_embedding(&mut self, info: &TensorInfo, bytes: &[u8]) -> Option<()> {
        let shape = [info.shape[0], info.shape[1]];
        let matrix = Embedding::from_bytes(bytes, info.dtype, shape, self.max_tensor_bytes, &self.device)?;
        *self.embedding(names::plain(&info.name)) = Some(matrix);
        Some(())
    }

    /// Drops token embedding or head: it is the other one again.
    pub fn forget(&mut self, name: &str) {
        *self.embedding(name) = None;
    }

    /// A tensor of one or two dimensions.
    fn put(&mut self, info: &TensorInfo, bytes: &[u8]) -> Option<()> {
        let name = names::plain(&info.name);
        let numbers = info.dtype.to_f32(bytes)?;
        let options = (&self.device, DType::F32);
        if let [rows, columns] = *info.shape {
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

fn is_embedding(info: &TensorInfo) -> bool {
    [names::WTE, names::HEAD].contains(&names::plain(&info.name))
}
