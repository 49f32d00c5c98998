//! A shader with its bindings, and how it is launched on burn's memory.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use burn::cubecl::CubeCount;
use burn::cubecl::prelude::KernelId;
use burn::cubecl::server::{KernelArguments, ServerError};
use burn::tensor::{Device, Tensor};
use burn_wgpu::{CubeDim, CubeTensor, KernelSource, SourceKernel, SourceTemplate, Wgpu};

/// Memory on the device: that of a burn tensor, taken as words of 32 bits.
#[derive(Clone, Debug)]
pub struct Buffer(CubeTensor);

impl Buffer {
    /// Memory for `words` words, at least one, with anything in it; `None` where the device is not burn's WebGPU.
    pub fn empty(words: usize, device: &Device) -> Option<Self> {
        Tensor::<1>::empty([words.max(1)], device).try_into_primitive::<Wgpu>().ok().map(Self)
    }

    /// Writes `bytes`, a multiple of 4, from byte `at` on, after all that was launched before.
    pub fn write(&self, at: u64, bytes: Vec<u8>) {
        let handle = self.0.handle.clone();
        let after = handle.size_in_used() - at - bytes.len() as u64;
        let part = handle.offset_start(at).offset_end(after);
        self.0.client.write(&part, burn::tensor::Bytes::from_bytes_vec(bytes));
    }

    /// Waits until the device has done all that was asked of it.
    pub fn settle(&self) -> impl Future<Output = Result<(), ServerError>> + use<> {
        self.0.client.sync()
    }

    /// The first `words` words as a burn tensor, to be read back.
    pub fn start(&self, words: usize) -> Tensor<1> {
        let CubeTensor { client, handle, device, dtype, .. } = self.0.clone();
        let rest = handle.size_in_used() - 4 * words as u64;
        let start = CubeTensor::new_contiguous(client, device, [words].into(), handle.offset_end(rest), dtype);
        Tensor::from_primitive::<Wgpu>(start)
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> u64 {
        self.0.handle.size_in_used()
    }
}

/// A storage buffer as the shader declares it: its name and the type of its elements.
pub type Binding = (&'static str, &'static str);

/// A complete WGSL module with the entry point `main`.
#[derive(Clone, Debug)]
pub struct Kernel {
    source: Arc<str>,
    /// Hash of the source: burn compiles a kernel once for each.
    key: u64,
}

/// What a module is put together from.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Constants of type u32.
    pub sizes: Vec<(&'static str, usize)>,
    /// Constants of type f32.
    pub numbers: Vec<(&'static str, f64)>,
    /// Buffers that are only read, in the order in which they are bound; [`PARAMS`] comes before them.
    pub reads: Vec<Binding>,
    /// Buffers that are written, bound after those.
    pub writes: Vec<Binding>,
    /// The texts of functions and of `main`.
    pub texts: Vec<&'static str>,
    /// How many lines a line with `{r}` stands for.
    pub rows: usize,
}

/// The parameters of a pass, which every kernel but a norm reads: see `Params` in the modules.
const PARAMS: &str = "struct Row { id: u32, position: u32, slot: u32 }
struct Params { rows: u32, capacity: u32, first: u32, row: array<Row> }
@group(0) @binding(0) var<storage, read> params: Params;
";

impl Module {
    /// Whether the kernel reads the parameters of the pass. WebGPU wants every buffer that is bound to be used.
    fn has_params(&self) -> bool {
        self.texts.iter().any(|text| text.contains("params."))
    }

    /// The module as text.
    pub fn build(&self) -> Kernel {
        let mut text = String::new();
        for (name, value) in &self.sizes {
            text += &format!("const {name} = {value}u;\n");
        }
        for (name, value) in &self.numbers {
            text += &format!("const {name} = f32({value:e});\n");
        }
        let mut binding = 0;
        if self.has_params() {
            text += PARAMS;
            binding += 1;
        }
        let access = self.reads.iter().map(|b| (b, "read")).chain(self.writes.iter().map(|b| (b, "read_write")));
        for ((name, element), access) in access {
            text += &format!("@group(0) @binding({binding}) var<storage, {access}> {name}: array<{element}>;\n");
            binding += 1;
        }
        for line in self.texts.iter().flat_map(|text| text.lines()) {
            let copies = if line.contains("{r}") { self.rows.max(1) } else { 1 };
            (0..copies).for_each(|row| text += &format!("{}\n", line.replace("{r}", &row.to_string())));
        }
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        Kernel { source: text.into(), key: hasher.finish() }
    }
}

impl Kernel {
    /// The module's text.
    #[cfg(test)]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Launches `groups` workgroups. `buffers` are bound in the order of the module.
    pub fn launch<const N: usize>(&self, groups: [usize; 3], buffers: [&Buffer; N]) {
        let client = &buffers[0].0.client;
        let arguments = buffers
            .iter()
            .fold(KernelArguments::new(), |all, buffer| all.with_buffer(buffer.0.handle.clone().binding()));
        let [x, y, z] = groups.map(|n| n as u32);
        let kernel = SourceKernel::new(self.clone(), CubeDim::new_1d(1));
        client.launch(Box::new(kernel), CubeCount::Static(x, y, z), arguments);
    }
}

impl KernelSource for Kernel {
    fn source(&self) -> SourceTemplate {
        SourceTemplate::new(&*self.source)
    }

    fn id(&self) -> KernelId {
        KernelId::new::<Self>().info(self.key)
    }

    fn lang(&self) -> &'static str {
        "wgsl"
    }
}
