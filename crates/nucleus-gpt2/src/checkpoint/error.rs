//! Every way in which a safetensors file can be broken.

use std::fmt;

use super::header::{MAX_HEADER, MAX_NAME};
use super::impostor::Impostor;

/// Why a file is not a usable safetensors file. Lengths and offsets are in bytes.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// Something else under the file's name.
    #[error(transparent)]
    Impostor(#[from] Impostor),
    /// Nothing at all.
    #[error("the file is empty: download it again")]
    Empty,
    /// Not even the header's length.
    #[error("the file has {length} bytes, but the first 8 give the header's length: download it again")]
    NoLength {
        /// Of the file.
        length: u64,
    },
    /// A header longer than the format allows; mostly the file is in another format.
    #[error(
        "the header's length is given as {length} bytes, but at most {MAX_HEADER} are allowed: this is not a safetensors file"
    )]
    HeaderTooLong {
        /// As the file gives it.
        length: u64,
    },
    /// The file ends inside its header.
    #[error(
        "the header's length is given as {length} bytes, but only {available} follow: the file was cut, download it again"
    )]
    HeaderCut {
        /// As the file gives it.
        length: u64,
        /// What the file has after the length.
        available: u64,
    },
    /// The header is not the JSON it should be, or a name occurs twice.
    #[error("the header cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// A name that no tensor of any model has.
    #[error("the header has a name of {length} bytes, but at most {MAX_NAME} are read: the file is damaged")]
    NameTooLong {
        /// Of the name, in bytes.
        length: usize,
    },
    /// A number format that does not exist in the format.
    #[error("tensor \"{name}\" has the unknown number format \"{dtype}\": use a file in F32, F16 or BF16")]
    UnknownDtype {
        /// Of the tensor.
        name: Box<str>,
        /// As the header calls it.
        dtype: Box<str>,
    },
    /// Offsets in the wrong order.
    #[error("tensor \"{name}\" is said to begin at {begin} and to end before that, at {end}: the file is damaged")]
    Backwards {
        /// Of the tensor.
        name: Box<str>,
        /// Relative to the data.
        begin: u64,
        /// Relative to the data.
        end: u64,
    },
    /// The offsets hold another number of bytes than the shape.
    #[error("tensor \"{name}\" of shape {shape} in {dtype} has {found} bytes, which do not fit: the file is damaged")]
    Size {
        /// Of the tensor.
        name: Box<str>,
        /// As the header gives it.
        shape: Shape,
        /// As the header gives it.
        dtype: &'static str,
        /// By the offsets.
        found: u64,
    },
    /// Two tensors share bytes.
    #[error("tensor \"{name}\" begins at {begin}, inside \"{other}\", which ends at {end}: the file is damaged")]
    Overlap {
        /// Of the later tensor.
        name: Box<str>,
        /// Of the earlier tensor.
        other: Box<str>,
        /// Of the later tensor, relative to the data.
        begin: u64,
        /// Of the earlier tensor, relative to the data.
        end: u64,
    },
    /// Bytes that belong to no tensor.
    #[error(
        "tensor \"{name}\" begins at {begin}, but the bytes from {end} on belong to no tensor: the file is damaged"
    )]
    Gap {
        /// Of the tensor after the gap.
        name: Box<str>,
        /// Relative to the data.
        begin: u64,
        /// Where it should begin, relative to the data.
        end: u64,
    },
    /// The data ends early.
    #[error("the file has {found} bytes, but its header describes {expected}: it was cut, download it again")]
    Cut {
        /// Of the file.
        found: u64,
        /// By the header.
        expected: u64,
    },
    /// The file goes on after its data.
    #[error(
        "the file has {found} bytes, but its header describes {expected}: what follows is not part of it, download it again"
    )]
    TooLong {
        /// Of the file.
        found: u64,
        /// By the header.
        expected: u64,
    },
}

/// A tensor's shape, written as `[512, 64]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape(pub Vec<usize>);

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}
