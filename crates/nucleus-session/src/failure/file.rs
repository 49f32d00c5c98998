//! What a file was, where it should have been another.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What a file should have been.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Error)]
pub enum Expected {
    /// `config.json` or `tokenizer.json`.
    #[error("JSON")]
    Json,
    /// `merges.txt`.
    #[error("a list of merge rules")]
    Merges,
    /// `model.safetensors`.
    #[error("a safetensors file")]
    Safetensors,
}

/// What a file was instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Error)]
pub enum Found {
    /// The few lines of text that Git LFS leaves where a large file was not downloaded.
    #[error("a Git LFS pointer")]
    LfsPointer,
    /// A web page, as servers send for an address they do not know.
    #[error("an HTML page")]
    Html,
    /// Nothing.
    #[error("an empty file")]
    Empty,
    /// A file of PyTorch's own format.
    #[error("a PyTorch file (pickle), which is not read because it can run code")]
    Pytorch,
    /// A file for llama.cpp.
    #[error("a GGUF file")]
    Gguf,
    /// A file of Keras or TensorFlow.
    #[error("an HDF5 file")]
    Hdf5,
    /// None of these.
    #[error("something else")]
    Other,
}
