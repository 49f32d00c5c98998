//! Weights as they come, by name: made on the device when the header is known, filled part by part.

use std::collections::HashMap;

use burn::tensor::Device;

use super::kernel::Buffer;
use super::matrix::{BLOCK, Matrix, QUAD, unit};
use super::pass::{Block, Weights};
use crate::checkpoint::TensorInfo;
use crate::config::Config;
use crate::weights::{LoadError, LoadOptions, WeightFormat, names};

/// The matrices of a model, by plain name.
#[derive(Debug)]
pub struct Store {
    device: Device,
    options: LoadOptions,
    matrices: HashMap<Box<str>, Matrix>,
}

impl Store {
    /// A store for a model on burn's WebGPU; `None` where the device is another, or the model's sizes are not those that
    /// the kernels are written for: multiples of four, heads of at most 1,024. Where they are not multiples of 32, int8 becomes f16.
    pub fn new(config: &Config, device: &Device, options: &LoadOptions) -> Option<Self> {
        let sizes = [config.n_embd, config.d_head(), config.n_inner];
        let fits = sizes.iter().all(|size| size % QUAD == 0) && config.d_head() <= 256 * QUAD;
        let on_webgpu = Buffer::empty(1, device).is_some();
        let mut options = *options;
        if options.weights == WeightFormat::Int8 && [config.n_embd, config.n_inner].iter().any(|size| size % BLOCK > 0)
        {
            options.weights = WeightFormat::F16;
        }
        (fits && on_webgpu).then(|| Self { device: device.clone(), options, matrices: HashMap::new() })
    }

    /// Writes a part of a tensor; `at` numbers of it are there already. Parts begin and end at a multiple of [`unit`](Self::unit).
    ///
    /// # Errors
    /// [`LoadError::Dtype`] for a format that weights do not come in; [`LoadError::TooLarge`] for a matrix that no binding
    /// holds and that cannot be cut.
    pub fn write(&mut self, info: &TensorInfo, at: usize, bytes: &[u8]) -> Result<(), LoadError> {
        let plain = names::plain(&info.name);
        if !self.matrices.contains_key(plain) {
            let matrix = self.make(plain, info)?;
            self.matrices.insert(plain.into(), matrix);
        }
        self.matrices[plain].write(at, bytes, info.dtype).ok_or_else(|| unreadable(info))
    }

    fn make(&self, plain: &str, info: &TensorInfo) -> Result<Matrix, LoadError> {
        let shape = match *info.shape {
            [rows, columns] => [rows, columns],
            _ => [1, info.shape.iter().product()],
        };
        let format = self.format(info);
        let limit = self.options.max_tensor_bytes;
        let matrix = Matrix::empty(shape, format, limit, &self.device).ok_or_else(|| unreadable(info))?;
        if matrix.pieces().len() > 1 && ![names::WTE, names::HEAD].contains(&plain) {
            return Err(LoadError::TooLarge { name: info.name.clone(), bytes: matrix.bytes(), limit: limit as u64 });
        }
        Ok(matrix)
    }

    /// Waits until all that was written is on the device.
    ///
    /// # Errors
    /// [`LoadError::Device`] where the device did not take it.
    pub async fn settle(&self) -> Result<(), LoadError> {
        let Some(matrix) = self.matrices.values().next() else { return Ok(()) };
        matrix.whole().settle().await.map_err(|error| LoadError::Device(error.to_string().into()))
    }

    /// Bytes of the file that parts of a tensor must be a multiple of.
    pub fn unit(&self, info: &TensorInfo) -> usize {
        unit(self.format(info)) * info.dtype.size()
    }

    /// Positions and vectors are few and stay as they are.
    fn format(&self, info: &TensorInfo) -> WeightFormat {
        let is_product = info.shape.len() == 2 && names::plain(&info.name) != names::WPE;
        if is_product { self.options.weights } else { WeightFormat::F32 }
    }

    /// How the weights of products are held.
    pub fn weights_format(&self) -> WeightFormat {
        self.options.weights
    }

    /// Forgets a tensor: it is the same as another.
    pub fn forget(&mut self, plain: &str) {
        self.matrices.remove(plain);
    }

    /// The model's weights.
    ///
    /// # Errors
    /// [`LoadError::NotGiven`] where one never came.
    pub fn weights(mut self, config: &Config) -> Result<Weights, LoadError> {
        let head = self.matrices.remove(names::HEAD);
        let (wte, head) = match (self.matrices.remove(names::WTE), head) {
            (Some(wte), head) => (wte, head),
            (None, Some(both)) => (both, None),
            (None, None) => return Err(LoadError::NotGiven { name: names::WTE.into() }),
        };
        Ok(Weights {
            wte,
            wpe: self.take(names::WPE)?,
            blocks: (0..config.n_layer).map(|layer| self.block(layer)).collect::<Result<_, _>>()?,
            ln_f: self.pair("ln_f")?,
            head,
        })
    }

    fn block(&mut self, layer: usize) -> Result<Block, LoadError> {
        let mut pair = |name: &str| self.pair(&format!("h.{layer}.{name}"));
        Ok(Block {
            ln_1: pair("ln_1")?,
            c_attn: pair("attn.c_attn")?,
            attn_c_proj: pair("attn.c_proj")?,
            ln_2: pair("ln_2")?,
            c_fc: pair("mlp.c_fc")?,
            mlp_c_proj: pair("mlp.c_proj")?,
        })
    }

    /// `{name}.weight` and `{name}.bias`.
    fn pair(&mut self, name: &str) -> Result<[Matrix; 2], LoadError> {
        Ok([self.take(&format!("{name}.weight"))?, self.take(&format!("{name}.bias"))?])
    }

    fn take(&mut self, name: &str) -> Result<Matrix, LoadError> {
        self.matrices.remove(name).ok_or_else(|| LoadError::NotGiven { name: name.into() })
    }
}

fn unreadable(info: &TensorInfo) -> LoadError {
    LoadError::Dtype { name: info.name.clone(), dtype: info.dtype.name() }
}
