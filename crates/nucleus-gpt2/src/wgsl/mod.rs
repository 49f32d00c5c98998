//! The model on WebGPU by kernels of its own.
//!
//! burn's general kernels are far from what the hardware allows where there is one row at a time. Here a token is at most
//! eight dispatches a block, written in WGSL (`shaders/`) and launched on burn's memory through its extension interface
//! (`burn_wgpu::SourceKernel`); the path through burn's operations is the reference that they are tested against.
//!
//! * [`kernel`]: a shader, its bindings, its launch.
//! * [`kernels`]: all shaders of a model. Each comes in two shapes, see [`Workgroups`](crate::Workgroups).
//! * [`matrix`]: weights, packed and in pieces.
//! * [`store`]: weights as they come, by name.
//! * [`cache`]: keys and values, and how they are copied.
//! * [`pass`]: the memory of a pass over some rows, and its dispatches in their order.
//! * [`model`]: the model with its cache.

mod cache;
mod kernel;
mod kernels;
mod matrix;
mod model;
mod pass;
mod store;

#[cfg(test)]
mod tests;

pub use model::Model;
pub use pass::{LOGIT_ROWS, PASS};
pub use store::Store;
