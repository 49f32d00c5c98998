//! A model from one tensor at a time.

use std::hash::{DefaultHasher, Hasher};

use burn::tensor::Device;

use super::check::check;
use super::{LoadError, LoadOptions, Store, names};
use crate::checkpoint::{Header, TensorInfo};
use crate::config::Config;
use crate::model::{Body, Gpt2};
use crate::ops::Ops;
use crate::wgsl;

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
    sink: Sink,
    /// Whether the file has a head beside the token embedding.
    has_head: bool,
    /// Hash of the one of the two that came first.
    first_of_tied: Option<u64>,
    coming: Option<Coming>,
}

/// Where tensors go.
#[derive(Debug)]
enum Sink {
    /// Into tensors for burn's operations, or into memory that this crate's kernels for the CPU read.
    Ops(Box<Store>),
    /// Into memory that this crate's kernels for WebGPU read.
    Wgsl(wgsl::Store),
}

/// A tensor of which parts have come.
#[derive(Debug)]
struct Coming {
    info: TensorInfo,
    /// Bytes that are written together: the tensor is written unit by unit.
    unit: usize,
    /// Bytes that have been written.
    written: usize,
    /// Bytes that have not, since they fill no unit.
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
        let wgsl = options.own_kernels.then(|| wgsl::Store::new(config, device, options)).flatten();
        Ok(Self {
            has_head: wanted.iter().any(|tensor| names::plain(&tensor.name) == names::HEAD),
            config: config.clone(),
            device: device.clone(),
            options: *options,
            wanted,
            sink: wgsl.map_or_else(|| Sink::Ops(Box::new(Store::new(device, options))), Sink::Wgsl),
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
            Some(other) => return Err(wrong_length(&other.info, other.come())),
            None => self.begin(name)?,
        };
        let come = coming.come() + part.len();
        if come as u64 > length(&coming.info) {
            return Err(wrong_length(&coming.info, come));
        }
        if self.is_tied(name) {
            coming.hasher.write(part);
        }
        coming.held.extend_from_slice(part);
        self.write(&mut coming)?;
        if come as u64 == length(&coming.info) {
            self.complete(&coming);
        } else {
            self.coming = Some(coming);
        }
        Ok(())
    }

    fn begin(&self, name: &str) -> Result<Coming, LoadError> {
        let info = self.info(name)?;
        let unit = match &self.sink {
            Sink::Ops(store) => store.unit(&info),
            Sink::Wgsl(store) => store.unit(&info),
        };
        Ok(Coming { info, unit, written: 0, held: Vec::with_capacity(unit), hasher: DefaultHasher::new() })
    }

    /// Whether the tensor is one of two that may be the same.
    fn is_tied(&self, name: &str) -> bool {
        self.has_head && [names::WTE, names::HEAD].contains(&names::plain(name))
    }

    /// Writes what has come of a tensor, as far as it fills units.
    fn write(&mut self, coming: &mut Coming) -> Result<(), LoadError> {
        let whole = coming.held.len() - coming.held.len() % coming.unit;
        if whole > 0 {
            let bytes = &coming.held[..whole];
            match &mut self.sink {
                Sink::Ops(store) => store.write(&coming.info, bytes)?,
                Sink::Wgsl(store) => store.write(&coming.info, coming.written / coming.info.dtype.size(), bytes)?,
            }
            coming.written += whole;
            coming.held.drain(..whole);
        }
        Ok(())
    }

    /// All of a tensor has come. Of token embedding and head, the second is not kept if its bytes are those of the first.
    fn complete(&mut self, coming: &Coming) {
        let hash = coming.hasher.finish();
        if self.is_tied(&coming.info.name) && self.first_of_tied.replace(hash) == Some(hash) {
            let plain = names::plain(&coming.info.name);
            match &mut self.sink {
                Sink::Ops(store) => store.forget(plain),
                Sink::Wgsl(store) => store.forget(plain),
            }
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

    /// Waits until what was put is on the device. Until then burn holds a copy of it: whoever loads much waits now and
    /// then, or all of it is in memory after all.
    ///
    /// # Errors
    /// [`LoadError::Device`] where the device did not take it.
    pub async fn settle(&self) -> Result<(), LoadError> {
        match &self.sink {
            Sink::Wgsl(store) => store.settle().await,
            Sink::Ops(_) => Ok(()),
        }
    }

    /// The model, with an empty cache.
    ///
    /// # Errors
    /// [`LoadError::NotGiven`] where a wanted tensor was never put.
    pub fn finish(self) -> Result<Gpt2, LoadError> {
        let (config, device) = (&self.config, &self.device);
        let body = match self.sink {
            Sink::Wgsl(store) => Body::Wgsl(Box::new(wgsl::Model::new(config, store, device, &self.options)?)),
            Sink::Ops(mut store) => Body::Ops(Box::new(Ops::new(config, &mut store, device)?)),
        };
        Ok(Gpt2::new(config, body, device, self.options.max_tensor_bytes))
    }
}

impl Coming {
    /// Bytes that have come.
    fn come(&self) -> usize {
        self.written + self.held.len()
    }
}

fn length(info: &TensorInfo) -> u64 {
    info.range.end - info.range.start
}

fn wrong_length(info: &TensorInfo, found: usize) -> LoadError {
    LoadError::Bytes { name: info.name.clone(), found, expected: length(info) }
}
