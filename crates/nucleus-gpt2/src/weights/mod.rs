//! Weights by name: from the bytes of a checkpoint to tensors on a device, one at a time.

mod error;
pub(crate) mod names;
mod store;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use burn::tensor::Device;

pub use error::LoadError;
pub(crate) use store::Store;

use crate::checkpoint::{Dtype, Header, Shape, TensorInfo};
use crate::config::Config;
use crate::embedding::Embedding;
use crate::model::{Body, Gpt2};
use crate::ops::Ops;
use crate::wgsl;

/// How weights are put on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadOptions {
    /// The token embedding and the head are cut so that no tensor of theirs has more bytes than this, as f32.
    pub max_tensor_bytes: usize,
    /// How the weights of the products are held.
    pub weights: WeightFormat,
    /// The shape of the kernels on WebGPU.
    pub workgroups: Workgroups,
    /// Whether to compute with this crate's own kernels where there are some for the device; else with burn's
    /// operations, which are the reference.
    pub own_kernels: bool,
}

/// How the weights of the products are held on the device. What they are multiplied with, and the sums, are f32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WeightFormat {
    /// 4 bytes a weight, as the reference computes.
    #[default]
    F32,
    /// 2 bytes a weight.
    F16,
    /// 1 byte a weight and a scale for each block.
    Int8,
}

impl Default for LoadOptions {
    /// 128 MiB: `maxStorageBufferBindingSize` that every WebGPU device grants.
    fn default() -> Self {
        Self {
            max_tensor_bytes: 128 << 20,
            weights: WeightFormat::F32,
            workgroups: Workgroups::Tiled,
            own_kernels: true,
        }
    }
}

impl LoadOptions {
    /// How this crate's kernels for the CPU hold their weights, if they are to be used.
    fn packing(&self, device: &Device) -> Option<WeightFormat> {
        (self.own_kernels && *device == Device::flex()).then_some(self.weights)
    }
}

/// How the threads of a kernel on WebGPU work together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Workgroups {
    /// 256 threads share a sum through shared memory: enough of them to keep a graphics processor busy with one token.
    #[default]
    Tiled,
    /// A thread has a sum of its own, and waits for none: for adapters that compute on the CPU, where waiting costs much.
    Plain,
}

/// Builds a [`Gpt2`] from one tensor at a time, in any order, so that a file need never be in memory as a whole.
///
/// ```
/// # use nucleus_gpt2::{Config, Gpt2, LoadError, LoadOptions, Loader, checkpoint::Header};
/// # fn example(config: &Config, file: &[u8], device: &burn::tensor::Device) -> Result<Gpt2, LoadError> {
/// let header = Header::of_file(file)?;
/// let mut loader = Loader::new(config, &header, device, &LoadOptions::default())?;
/// for tensor in loader.wanted().to_vec() {
///     loader.put(&tensor.name, tensor.bytes(file))?;
/// }
/// loader.finish()
/// # }
/// ```
#[derive(Debug)]
pub struct Loader {
    config: Config,
    device: Device,
    options: LoadOptions,
    wanted: Vec<TensorInfo>,
    store: Store,
    /// Where tensors go instead, if the device is computed on by this crate's kernels.
    wgsl: Option<wgsl::Store>,
    /// Whether the file has a head beside the token embedding.
    has_head: bool,
    /// Hash of the one of the two that came first.
    first_of_tied: Option<u64>,
    coming: Option<Coming>,
}

/// A tensor of which parts have come.
#[derive(Debug)]
struct Coming {
    info: TensorInfo,
    /// Bytes that have been passed on.
    passed: usize,
    /// Bytes that have not: all there are, or where tensors are written in parts, those that fill no unit.
    held: Vec<u8>,
    hasher: DefaultHasher,
}

impl Loader {
    /// Compares every name, shape and number format in the header with what `config` asks for.
    ///
    /// Names may have the prefix `transformer.`; causal masks (`attn.bias`, `attn.masked_bias`) are passed over;
    /// `lm_head.weight` may be there or not, unless `config` says that the head is not tied.
    ///
    /// # Errors
    /// [`LoadError`] that names the first tensor that is missing, extra, of the wrong shape or in another number format.
    pub fn new(config: &Config, header: &Header, device: &Device, options: &LoadOptions) -> Result<Self, LoadError> {
        let wanted = check(config, header)?;
        Ok(Self {
            has_head: wanted.iter().any(|tensor| names::plain(&tensor.name) == names::HEAD),
            config: config.clone(),
            device: device.clone(),
            options: *options,
            wanted,
            store: Store::new(options.packing(device)),
            wgsl: options.own_kernels.then(|| wgsl::Store::new(config, device, options)).flatten(),
            first_of_tied: None,
            coming: None,
        })
    }

    /// The tensors to [`put`](Self::put), in the order of the file.
    pub fn wanted(&self) -> &[TensorInfo] {
        &self.wanted
    }

    /// Takes the next bytes of the tensor that the file calls `name`, of any length. The parts of a tensor come in their
    /// order, and all of one tensor before the first of another. With the last it is on the device.
    ///
    /// # Errors
    /// [`LoadError`] where the tensor is not [`wanted`](Self::wanted), more bytes come than the header says, or a tensor
    /// is begun before the one before it is complete.
    pub fn put_part(&mut self, name: &str, part: &[u8]) -> Result<(), LoadError> {
        let mut coming = match self.coming.take() {
            Some(coming) if &*coming.info.name == name => coming,
            Some(other) => return Err(wrong_length(&other.info, other.passed + other.held.len())),
            None => {
                let info = self.info(name)?;
                let whole = self.unit(&info).is_none();
                Coming::new(info, whole)
            }
        };
        let come = coming.passed + coming.held.len() + part.len();
        if come as u64 > length(&coming.info) {
            return Err(wrong_length(&coming.info, come));
        }
        if self.is_tied(name) {
            coming.hasher.write(part);
        }
        coming.held.extend_from_slice(part);
        self.pass_on(&mut coming)?;
        if come as u64 == length(&coming.info) { self.complete(coming) } else { Ok(self.coming = Some(coming)) }
    }

    /// Whether the tensor is one of two that may be the same.
    fn is_tied(&self, name: &str) -> bool {
        self.has_head && [names::WTE, names::HEAD].contains(&names::plain(name))
    }

    /// Where a tensor is written in parts, the bytes that are written together.
    fn unit(&self, info: &TensorInfo) -> Option<usize> {
        match &self.wgsl {
            Some(store) => Some(store.unit(info)),
            None => self.store.unit(info),
        }
    }

    /// Writes what has come of a tensor, as far as it fills whole units, where it is written in parts.
    fn pass_on(&mut self, coming: &mut Coming) -> Result<(), LoadError> {
        let Some(unit) = self.unit(&coming.info) else {
            return Ok(());
        };
        let whole = coming.held.len() - coming.held.len() % unit;
        let bytes = &coming.held[..whole];
        match &mut self.wgsl {
            Some(store) => store.write(&coming.info, coming.passed / coming.info.dtype.size(), bytes)?,
            None => self.store.write_rows(&coming.info, bytes)?,
        }
        coming.passed += whole;
        coming.held.drain(..whole);
        Ok(())
    }

    /// All of a tensor has come. Of token embedding and head, the second to come is not kept if its bytes are those of
    /// the first.
    fn complete(&mut self, coming: Coming) -> Result<(), LoadError> {
        let Coming { info, held, hasher, .. } = coming;
        let plain = names::plain(&info.name);
        let hash = hasher.finish();
        let in_parts = self.unit(&info).is_some();
        let again = self.is_tied(&info.name) && self.first_of_tied.replace(hash) == Some(hash);
        match &mut self.wgsl {
            Some(store) if again => Ok(store.forget(plain)),
            Some(_) => Ok(()),
            None if again => Ok(self.store.forget(plain)),
            None if in_parts => Ok(()),
            None => {
                let readable = match plain {
                    names::WTE | names::HEAD => self.put_embedding(plain, info.dtype, &held),
                    plain => self.store.put(plain, info.dtype, &info.shape, &held, &self.device),
                };
                readable.ok_or(LoadError::Dtype { name: info.name, dtype: info.dtype.name() })
            }
        }
    }

    /// Waits until what was put is on the device. Until then burn holds a copy of it: whoever loads much waits now and
    /// then, or all of it is in memory after all.
    ///
    /// # Errors
    /// [`LoadError::Device`] where the device did not take it.
    pub async fn settle(&self) -> Result<(), LoadError> {
        match &self.wgsl {
            Some(store) => store.settle().await,
            None => Ok(()),
        }
    }

    fn info(&self, name: &str) -> Result<TensorInfo, LoadError> {
        let info = self.wanted.iter().find(|info| &*info.name == name);
        info.cloned().ok_or_else(|| LoadError::Unwanted { name: name.into() })
    }

    /// Puts the tensor that the file calls `name` on the device.
    ///
    /// # Errors
    /// [`LoadError`] where the tensor is not [`wanted`](Self::wanted) or `bytes` are not as many as the header says.
    pub fn put(&mut self, name: &str, bytes: &[u8]) -> Result<(), LoadError> {
        let info = self.info(name)?;
        if bytes.len() as u64 != length(&info) {
            return Err(wrong_length(&info, bytes.len()));
        }
        self.put_part(name, bytes)
    }

    fn put_embedding(&mut self, plain: &str, dtype: Dtype, bytes: &[u8]) -> Option<()> {
        let shape = [self.config.n_vocab, self.config.n_embd];
        let matrix = Embedding::from_bytes(bytes, dtype, shape, self.options.max_tensor_bytes, &self.device)?;
        *self.store.embedding(plain) = Some(matrix);
        Some(())
    }

    /// The model, with an empty cache.
    ///
    /// # Errors
    /// [`LoadError::NotGiven`] where a wanted tensor was never put.
    pub fn finish(mut self) -> Result<Gpt2, LoadError> {
        let (config, device) = (&self.config, &self.device);
        let body = match self.wgsl {
            Some(store) => Body::Wgsl(wgsl::Model::new(config, store, device, &self.options)?),
            None => Body::Ops(Ops::new(config, &mut self.store, device)?),
        };
        Ok(Gpt2::new(config, body, device))
    }
}

impl Coming {
    /// Nothing has come yet. `whole`: all of it will be held.
    fn new(info: TensorInfo, whole: bool) -> Self {
        let room = if whole { usize::try_from(length(&info)).unwrap_or(0) } else { 0 };
        Self { info, passed: 0, held: Vec::with_capacity(room), hasher: DefaultHasher::new() }
    }
}

fn length(info: &TensorInfo) -> u64 {
    info.range.end - info.range.start
}

fn wrong_length(info: &TensorInfo, found: usize) -> LoadError {
    LoadError::Bytes { name: info.name.clone(), found, expected: length(info) }
}

/// The tensors of the file that the model needs, in the order of the file.
fn check(config: &Config, header: &Header) -> Result<Vec<TensorInfo>, LoadError> {
    let expected = names::expected(config);
    let head = (names::HEAD.into(), vec![config.n_vocab, config.n_embd]);
    let shapes: HashMap<_, _> = expected.iter().chain([&head]).map(|(name, shape)| (&**name, shape)).collect();
    let mut wanted = HashMap::new();
    for tensor in header.tensors().iter().filter(|tensor| !names::is_mask(names::plain(&tensor.name), config)) {
        let (name, plain, found) = (tensor.name.clone(), names::plain(&tensor.name), Shape(tensor.shape.clone()));
        match shapes.get(plain) {
            None => return Err(LoadError::Extra { name, found }),
            Some(&shape) if *shape != found.0 => {
                return Err(LoadError::Misshapen { name, found, expected: Shape(shape.clone()) });
            }
            Some(_) if matches!(tensor.dtype, Dtype::Other { .. }) => {
                return Err(LoadError::Dtype { name, dtype: tensor.dtype.name() });
            }
            Some(_) if wanted.insert(plain, tensor).is_some() => return Err(LoadError::Twice { name: plain.into() }),
            Some(_) => {}
        }
    }
    let must = expected.iter().chain((!config.tie_word_embeddings).then_some(&head));
    if let Some((name, shape)) = must.into_iter().find(|(name, _)| !wanted.contains_key(&**name)) {
        return Err(LoadError::Missing { name: name.clone(), expected: Shape(shape.clone()) });
    }
    let mut wanted: Vec<_> = wanted.into_values().cloned().collect();
    wanted.sort_by_key(|tensor| tensor.range.start);
    Ok(wanted)
}
