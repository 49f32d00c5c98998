//! The safetensors container, as far as a recording needs it: named arrays and named texts.
//!
//! A u64 (little-endian) with the header's length, the header in JSON, then the arrays' bytes, with
//! offsets that count from the header's end.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why bytes are not such a container, or an array in it is not the one that is needed.
#[derive(Debug, Error)]
pub enum TensorsError {
    /// Too short even for the header's length.
    #[error("the file has {found} bytes, but its first 8 must say how long the header is")]
    NoLength {
        /// Bytes in the file.
        found: usize,
    },
    /// The header is longer than the file.
    #[error("the header is said to have {said} bytes, but only {left} are left in the file")]
    HeaderLength {
        /// What the first 8 bytes say.
        said: u64,
        /// Bytes after them.
        left: usize,
    },
    /// The header is not JSON of the right form.
    #[error("the header is not the JSON of a safetensors file: {0}")]
    Header(#[from] serde_json::Error),
    /// An array is missing.
    #[error("the array {name} is missing")]
    Missing {
        /// Which.
        name: &'static str,
    },
    /// An array has another type.
    #[error("the array {name} is of type {found}, but must be {must}")]
    Dtype {
        /// Which.
        name: &'static str,
        /// What it is.
        found: String,
        /// What it must be.
        must: &'static str,
    },
    /// An array has another number of dimensions.
    #[error("the array {name} has {found} dimensions, but must have {must}")]
    Rank {
        /// Which.
        name: &'static str,
        /// What it has.
        found: usize,
        /// What it must have.
        must: usize,
    },
    /// An array's place in the file does not fit its shape, or lies outside.
    #[error("the array {name} lies at bytes {start} to {end} of {bytes}, which does not fit its shape")]
    Place {
        /// Which.
        name: &'static str,
        /// Its first byte.
        start: usize,
        /// The first byte after it.
        end: usize,
        /// Bytes of all arrays.
        bytes: usize,
    },
}

/// A container that is read.
pub(crate) struct Tensors<'a> {
    header: Header,
    data: &'a [u8],
}

#[derive(Default, Serialize, Deserialize)]
struct Header {
    #[serde(rename = "__metadata__", default)]
    texts: BTreeMap<String, String>,
    #[serde(flatten)]
    arrays: BTreeMap<String, Entry>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

impl<'a> Tensors<'a> {
    /// Reads the header. Nothing is allocated on its word alone.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, TensorsError> {
        let (length, rest) = bytes.split_first_chunk().ok_or(TensorsError::NoLength { found: bytes.len() })?;
        let said = u64::from_le_bytes(*length);
        let (header, data) = usize::try_from(said)
            .ok()
            .and_then(|length| rest.split_at_checked(length))
            .ok_or(TensorsError::HeaderLength { said, left: rest.len() })?;
        Ok(Self { header: serde_json::from_slice(header)?, data })
    }

    /// A named text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.header.texts.get(name).map(String::as_str)
    }

    /// Whether there is an array of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.header.arrays.contains_key(name)
    }

    /// An array of `RANK` dimensions: its shape and its elements' bytes, `SIZE` each.
    pub(crate) fn array<const SIZE: usize, const RANK: usize>(
        &self,
        name: &'static str,
        dtype: &'static str,
    ) -> Result<([usize; RANK], &'a [[u8; SIZE]]), TensorsError> {
        let entry = self.header.arrays.get(name).ok_or(TensorsError::Missing { name })?;
        if entry.dtype != dtype {
            return Err(TensorsError::Dtype { name, found: entry.dtype.clone(), must: dtype });
        }
        let shape: [usize; RANK] = entry.shape.as_slice().try_into().map_err(|_| TensorsError::Rank {
            name,
            found: entry.shape.len(),
            must: RANK,
        })?;
        let [start, end] = entry.data_offsets;
        let length = shape.iter().try_fold(SIZE, |length, &size| length.checked_mul(size));
        self.data
            .get(start..end)
            .filter(|data| Some(data.len()) == length)
            .map(|data| (shape, data.as_chunks().0))
            .ok_or(TensorsError::Place { name, start, end, bytes: self.data.len() })
    }
}

/// A container that is written.
#[derive(Default)]
pub(crate) struct TensorsWriter {
    header: Header,
    data: Vec<u8>,
}

impl TensorsWriter {
    /// Adds a named text.
    pub(crate) fn text(&mut self, name: &str, text: impl ToString) {
        self.header.texts.insert(name.to_owned(), text.to_string());
    }

    /// Adds a named array. Those of wider elements come first, so that each is aligned.
    pub(crate) fn array<const SIZE: usize>(
        &mut self,
        name: &str,
        dtype: &str,
        shape: &[usize],
        elements: impl IntoIterator<Item = [u8; SIZE]>,
    ) {
        let start = self.data.len();
        self.data.extend(elements.into_iter().flatten());
        let entry = Entry { dtype: dtype.to_owned(), shape: shape.to_vec(), data_offsets: [start, self.data.len()] };
        self.header.arrays.insert(name.to_owned(), entry);
    }

    /// The file's bytes; the same arrays and texts give the same bytes.
    pub(crate) fn finish(self) -> Result<Vec<u8>, TensorsError> {
        let mut header = serde_json::to_vec(&self.header)?;
        // The arrays start at a multiple of 8, as the format wants it.
        header.resize(header.len().next_multiple_of(8), b' ');
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header);
        bytes.extend(self.data);
        Ok(bytes)
    }
}
