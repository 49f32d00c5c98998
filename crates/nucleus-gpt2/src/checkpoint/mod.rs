//! The safetensors file: <https://huggingface.co/docs/safetensors>.
//!
//! | bytes | what |
//! | --- | --- |
//! | 0..8 | n, the header's length, u64 little-endian |
//! | 8..8 + n | the header: JSON, `{"name": {"dtype", "shape", "data_offsets": [begin, end]}, ..}` |
//! | 8 + n.. | the data; offsets are relative to its first byte and leave no gap |
//!
//! A file need not be in memory: read [`PREFIX`] bytes, ask [`header_length`], read the header, [`Header::parse`] it, and
//! then take one tensor's bytes at a time. Nothing is ever allocated because a file says so: every length is compared with
//! the file's own length first. Large checkpoints come in several such files, with a [`ShardIndex`].

mod checksum;
mod dtype;
mod error;
mod header;
mod impostor;
mod shards;

pub use checksum::checksum;
pub use dtype::Dtype;
pub use error::{CheckpointError, Shape};
pub use header::{Header, MAX_HEADER, PREFIX, TensorInfo, header_length};
pub use impostor::{Impostor, impostor};
pub use shards::{ShardError, ShardIndex};
