//! GPT-2 in burn: token ids go in, logits come out.
//!
//! The model is Hugging Face's `GPT2LMHeadModel` (pre-LN blocks, fused qkv, learned positions, tied head). It is written
//! once in burn's tensor operations, which run on any device and are the reference (`ops`), and is fast by kernels of its
//! own on burn's memory: WGSL on WebGPU (`wgsl`), and SIMD products on the CPU (`cpu`). It never reads a tensor
//! synchronously and never sorts on the device: both panic in a browser.
//!
//! * [`Config`]: `config.json`, validated.
//! * [`checkpoint`]: the safetensors header and the number formats, with an error for every way a file is broken.
//! * [`Loader`]: weights by name, one tensor at a time, onto a device.
//! * [`Gpt2`]: the model with its key/value cache; implements `nucleus_decode::LanguageModel`, and `nucleus_decode::Rows`
//!   for several texts at a time.
//! * [`arithmetic`]: what a token costs and what bounds its speed, counted.
//!
//! ```no_run
//! # async fn example(config: &[u8], weights: &[u8]) -> Result<(), Box<dyn std::error::Error>> {
//! use burn::tensor::Device;
//! use nucleus_decode::{LanguageModel, sampler::TokenId};
//! use nucleus_gpt2::{Config, Gpt2};
//!
//! let mut model = Gpt2::from_safetensors(&Config::from_json(config)?, weights, &Device::flex())?;
//! let logits = model.prefill(&[TokenId(0)]).await?;
//! assert_eq!(logits.len(), model.n_vocab());
//! # Ok(()) }
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking"))]

pub mod arithmetic;
pub mod checkpoint;
#[cfg(any(test, feature = "parity"))]
pub mod parity;

mod activation;
mod attention;
mod block;
mod cache;
mod config;
mod cpu;
mod embedding;
mod error;
mod language_model;
mod layer_norm;
mod linear;
mod mlp;
mod model;
mod ops;
mod row;
mod rows;
mod weights;
mod wgsl;

pub use activation::Activation;
/// Where a model runs. Re-exported, so that who chooses a device needs no burn of its own.
pub use burn::tensor::Device;
/// What a graphics device reports outside of any call. Re-exported for the same reason.
pub use burn::tensor::wgpu::wgpu::Error as DeviceError;
pub use config::{Config, ConfigError};
pub use error::ModelError;
pub use model::Gpt2;
pub use weights::{LoadError, LoadOptions, Loader, WeightFormat, Workgroups};
