//! Every text is valid WGSL, and needs nothing that an adapter may lack.

use naga::valid::{Capabilities, ValidationFlags, Validator};

use super::kernels::Kernels;
use crate::activation::Activation;
use crate::config::Config;
use crate::weights::{WeightFormat, Workgroups};

/// What WebGPU promises of every adapter: invocations of a workgroup, and bytes of its shared memory.
const INVOCATIONS: u32 = 256;
const SHARED: u32 = 16_384;

/// What is core WGSL and not a given for naga, which also writes shaders for OpenGL: `unpack2x16float`.
const CORE: Capabilities = Capabilities::SHADER_FLOAT16_IN_FLOAT32;

/// Storage buffers that a kernel may bind.
const BUFFERS: usize = 8;

/// Usual sizes, sizes that fill no workgroup, and the largest head.
const SIZES: [&str; 3] = [
    r#"{"model_type": "gpt2", "n_layer": 1}"#,
    r#"{"model_type": "gpt2", "n_layer": 1, "n_embd": 8, "n_head": 2, "vocab_size": 7, "n_positions": 300}"#,
    r#"{"model_type": "gpt2", "n_layer": 1, "n_embd": 1024, "n_head": 1, "n_inner": 4}"#,
];

fn every_kernel(mut check: impl FnMut(&str)) {
    let mut check_all = |config: &Config, workgroups, format| {
        let cuts = [(0, config.n_vocab - 3), (config.n_vocab - 3, 3)];
        let kernels = Kernels::new(config, workgroups, format, &cuts, &cuts);
        kernels.all().into_iter().for_each(|kernel| check(kernel.source()));
    };
    for mut config in SIZES.map(|json| Config::from_json(json.as_bytes()).unwrap()) {
        for workgroups in [Workgroups::Plain, Workgroups::Tiled] {
            for format in [WeightFormat::F32, WeightFormat::F16, WeightFormat::Int8] {
                check_all(&config, workgroups, format);
            }
        }
        for activation in [Activation::GeluErf, Activation::Relu, Activation::Silu, Activation::Tanh] {
            config.activation = activation;
            check_all(&config, Workgroups::Plain, WeightFormat::F32);
        }
    }
}

#[test]
fn every_kernel_is_valid_without_any_extension() {
    every_kernel(|source| {
        let module = naga::front::wgsl::parse_str(source)
            .unwrap_or_else(|error| panic!("{}\n{source}", error.emit_to_string(source)));
        let mut validator = Validator::new(ValidationFlags::all(), CORE);
        validator.validate(&module).unwrap_or_else(|error| panic!("{}\n{source}", error.emit_to_string(source)));
    });
}

#[test]
fn every_kernel_is_within_the_limits_of_every_adapter() {
    every_kernel(|source| {
        let module = naga::front::wgsl::parse_str(source).unwrap();
        let main = &module.entry_points[0];
        assert_eq!(main.name, "main");
        assert!(main.workgroup_size.iter().product::<u32>() <= INVOCATIONS, "{source}");
        let globals = || module.global_variables.iter().map(|(_, global)| global);
        let size = |global: &naga::GlobalVariable| module.types[global.ty].inner.size(module.to_ctx());
        let shared = globals().filter(|global| global.space == naga::AddressSpace::WorkGroup).map(size);
        assert!(shared.sum::<u32>() <= SHARED, "{source}");
        assert!(globals().filter(|global| global.binding.is_some()).count() <= BUFFERS, "{source}");
    });
}
