//! How weights are put on the device.

use burn::tensor::Device;

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
    pub(crate) fn packing(&self, device: &Device) -> Option<WeightFormat> {
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
