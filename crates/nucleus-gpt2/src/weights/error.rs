//! Why weights were refused.

use crate::checkpoint::{CheckpointError, Shape};

/// Why a checkpoint does not make a model.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file itself is broken, or is something else.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A tensor that the configuration asks for is not there.
    #[error("the checkpoint has no tensor \"{name}\", of shape {expected}: is config.json of another model?")]
    Missing {
        /// Without the prefix `transformer.`.
        name: Box<str>,
        /// By the configuration.
        expected: Shape,
    },
    /// A tensor that no GPT-2 of this configuration has.
    #[error(
        "the checkpoint has a tensor \"{name}\", of shape {found}, that this model does not: is config.json of another model?"
    )]
    Extra {
        /// As in the file.
        name: Box<str>,
        /// By the file.
        found: Shape,
    },
    /// A tensor of another shape.
    #[error(
        "tensor \"{name}\" has shape {found}, but config.json asks for {expected}: is config.json of another model?"
    )]
    Misshapen {
        /// As in the file.
        name: Box<str>,
        /// By the file.
        found: Shape,
        /// By the configuration.
        expected: Shape,
    },
    /// The same tensor with and without the prefix `transformer.`.
    #[error("the checkpoint has both \"{name}\" and \"transformer.{name}\": remove one")]
    Twice {
        /// Without the prefix.
        name: Box<str>,
    },
    /// A weight in a format that is not read.
    #[error(
        "tensor \"{name}\" is stored as {dtype}, but weights are read as F32, F16 or BF16 only: convert the checkpoint"
    )]
    Dtype {
        /// As in the file.
        name: Box<str>,
        /// By the file.
        dtype: &'static str,
    },
    /// A matrix that no binding of the device holds, and that is not one of those that are cut.
    #[error(
        "tensor \"{name}\" takes {bytes} bytes, but the device binds at most {limit} at once: choose a smaller model"
    )]
    TooLarge {
        /// As in the file.
        name: Box<str>,
        /// As it would be held.
        bytes: u64,
        /// The device's limit.
        limit: u64,
    },
    /// [`Loader::put`](super::Loader::put) was given too few or too many bytes.
    #[error("tensor \"{name}\" has {expected} bytes, but {found} were given: the download was cut, try again")]
    Bytes {
        /// As in the file.
        name: Box<str>,
        /// Given.
        found: usize,
        /// By the header.
        expected: u64,
    },
    /// [`Loader::put`](super::Loader::put) was given a tensor that is not among those wanted.
    #[error(
        "tensor \"{name}\" was given, but this model does not need it: give only the tensors that the loader wants"
    )]
    Unwanted {
        /// As given.
        name: Box<str>,
    },
    /// [`Loader::finish`](super::Loader::finish) came too early.
    #[error("tensor \"{name}\" was not given before the model was asked for: the download was cut, try again")]
    NotGiven {
        /// Without the prefix `transformer.`.
        name: Box<str>,
    },
    /// The device failed while it was given the weights; it may be lost.
    #[error("the device did not take the weights: {0}")]
    Device(Box<str>),
}
