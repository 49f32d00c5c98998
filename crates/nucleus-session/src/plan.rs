//! What loading a model will take, before it is done; and what is kept of models loaded earlier.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::source::ModelSource;

/// How weights are held on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WeightFormat {
    /// 32-bit floating point: as the reference computes.
    F32,
    /// 16-bit floating point, added up in 32 bits: half the memory, and about twice the speed where memory is the limit.
    F16,
    /// 8-bit integers with a scale for each block, added up in 32 bits.
    Int8,
}

impl WeightFormat {
    /// Reads the value of `?weights=`; `None` for a word that means nothing.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::F32, Self::F16, Self::Int8].into_iter().find(|format| format.word() == word)
    }

    /// The word that [`parse`](Self::parse) reads.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Int8 => "int8",
        }
    }
}

impl fmt::Display for WeightFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What the header of the weights tells, before the weights are fetched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadPlan {
    /// The model's name.
    pub name: String,
    /// Numbers in the checkpoint.
    pub parameters: u64,
    /// Number formats of the weights in the file: `F32`, or `F16, F32`.
    pub stored: String,
    /// How they will be held on the device.
    pub weights: WeightFormat,
    /// Bytes that must be downloaded; 0 where all is kept, or on the reader's disk.
    pub download: u64,
    /// Bytes of the weights' files.
    pub files: u64,
    /// Bytes of the device's memory that weights and cache will take.
    pub device_memory: u64,
    /// The largest tensor in one piece, bytes, as it will be held.
    pub largest_tensor: u64,
    /// The device's limit on one tensor in one piece, bytes; larger ones are split.
    pub largest_binding: u64,
    /// Bytes that the browser still gives to this page for keeping; `None` where it does not tell.
    pub room_to_keep: Option<u64>,
    /// Whether the engine waits for [`Request::Download`](crate::Request::Download).
    pub waits: bool,
}

/// A model that is kept in the browser, whole or in part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptModel {
    /// Where it came from.
    pub source: ModelSource,
    /// Bytes that are here.
    pub bytes: u64,
    /// Bytes in all, where that is known.
    pub total: Option<u64>,
    /// Whether all of it is here.
    pub complete: bool,
}

/// Whether a model that was loaded is kept for the next visit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Keeping {
    /// It is.
    Kept,
    /// It comes with the page or from the reader's disk, and needs no keeping.
    NotNeeded,
    /// It is not, with the reason: storage full, private window, refused. Lower case, no full stop.
    NotKept {
        /// The reason.
        message: String,
    },
}
