//! Weights by name: from the bytes of a checkpoint to tensors on a device, one at a time.

mod check;
mod error;
mod loader;
pub(crate) mod names;
mod options;
mod store;

pub use error::LoadError;
pub use loader::Loader;
pub use options::{LoadOptions, WeightFormat, Workgroups};
pub(crate) use store::Store;
