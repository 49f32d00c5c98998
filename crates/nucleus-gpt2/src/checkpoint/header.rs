//! The header: names, number formats, shapes and where the bytes lie.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::dtype::Dtype;
use super::error::{CheckpointError, Shape};
use super::impostor::impostor;

/// Bytes before the header: its length.
pub const PREFIX: usize = 8;

/// The longest header that the format allows, in bytes (`MAX_HEADER_SIZE` of the safetensors crate).
pub const MAX_HEADER: u64 = 100_000_000;

/// The longest name of a tensor or a number format, in bytes; a reader is shown it in a sentence.
pub const MAX_NAME: usize = 200;

/// One tensor as the header describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorInfo {
    /// The name in the file.
    pub name: Box<str>,
    /// How its numbers are stored.
    pub dtype: Dtype,
    /// Its dimensions, outermost first.
    pub shape: Vec<usize>,
    /// Its bytes, counted from the start of the file.
    pub range: Range<u64>,
}

/// A header whose tensors fill the file exactly, without gap or overlap.
#[derive(Clone, Debug)]
pub struct Header {
    tensors: Vec<TensorInfo>,
    by_name: HashMap<Box<str>, usize>,
    file_length: u64,
}

/// The length in bytes of the header that follows the first [`PREFIX`] bytes.
///
/// `first` is the beginning of the file: 8 bytes are enough, about 100 let an [`Impostor`](super::Impostor) be recognised.
/// `file_length` is the length of the whole file; `u64::MAX` where it is not known.
///
/// # Errors
/// [`CheckpointError`] where the file is something else, too short, or the length is more than [`MAX_HEADER`] or than
/// what the file has left.
pub fn header_length(first: &[u8], file_length: u64) -> Result<usize, CheckpointError> {
    if let Some(found) = impostor(first) {
        return Err(found.into());
    }
    if file_length == 0 {
        return Err(CheckpointError::Empty);
    }
    let prefix = first.first_chunk().filter(|_| file_length >= PREFIX as u64);
    let length = u64::from_le_bytes(*prefix.ok_or(CheckpointError::NoLength { length: file_length })?);
    if length > MAX_HEADER {
        return Err(CheckpointError::HeaderTooLong { length });
    }
    let available = file_length - PREFIX as u64;
    if length > available {
        return Err(CheckpointError::HeaderCut { length, available });
    }
    Ok(length as usize)
}

impl Header {
    /// Reads the header: `json` is what follows the first [`PREFIX`] bytes, as many bytes as [`header_length`] said.
    ///
    /// # Errors
    /// [`CheckpointError`] where it is not JSON of the right form, or the tensors do not fill the `file_length` exactly.
    pub fn parse(json: &[u8], file_length: u64) -> Result<Self, CheckpointError> {
        let header = Self::describe(json)?;
        let (found, expected) = (file_length, header.file_length);
        match found.cmp(&expected) {
            std::cmp::Ordering::Less => Err(CheckpointError::Cut { found, expected }),
            std::cmp::Ordering::Equal => Ok(header),
            std::cmp::Ordering::Greater => Err(CheckpointError::TooLong { found, expected }),
        }
    }

    /// As [`parse`](Self::parse), for a file whose length is not known: it should have [`file_length`](Self::file_length).
    ///
    /// # Errors
    /// The same, but for the length.
    pub fn describe(json: &[u8]) -> Result<Self, CheckpointError> {
        let Entries(entries) = serde_json::from_slice(json)?;
        let data = PREFIX as u64 + json.len() as u64;
        let mut tensors =
            entries.into_iter().map(|(name, entry)| entry.check(name, data)).collect::<Result<Vec<_>, _>>()?;
        tensors.sort_by_key(|tensor| (tensor.range.start, tensor.range.end));
        let file_length = check_cover(&tensors, data)?;
        Ok(Self::of_tensors(tensors, file_length))
    }

    /// A header of tensors in the order of their bytes, in a file of this length.
    pub(super) fn of_tensors(tensors: Vec<TensorInfo>, file_length: u64) -> Self {
        let by_name = tensors.iter().enumerate().map(|(i, tensor)| (tensor.name.clone(), i)).collect();
        Self { tensors, by_name, file_length }
    }

    /// Reads the header of a file that is in memory as a whole.
    ///
    /// # Errors
    /// As [`header_length`] and [`Header::parse`].
    pub fn of_file(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let length = header_length(bytes, bytes.len() as u64)?;
        Self::parse(&bytes[PREFIX..PREFIX + length], bytes.len() as u64)
    }

    /// Every tensor, in the order of its bytes.
    pub fn tensors(&self) -> &[TensorInfo] {
        &self.tensors
    }

    /// The length in bytes of the file that the header describes.
    pub fn file_length(&self) -> u64 {
        self.file_length
    }

    /// The tensor that the file calls `name`.
    pub fn get(&self, name: &str) -> Option<&TensorInfo> {
        self.by_name.get(name).map(|&i| &self.tensors[i])
    }
}

impl TensorInfo {
    /// The tensor's bytes, of a file that is in memory as a whole: the file that the header was read from.
    pub fn bytes<'a>(&self, file: &'a [u8]) -> &'a [u8] {
        &file[self.range.start as usize..self.range.end as usize]
    }
}

/// The tensors, sorted, follow each other from the first byte of the data on; gives where the last one ends.
fn check_cover(tensors: &[TensorInfo], data: u64) -> Result<u64, CheckpointError> {
    let mut end = data;
    for (i, tensor) in tensors.iter().enumerate() {
        let (name, begin) = (tensor.name.clone(), tensor.range.start - data);
        if tensor.range.start > end {
            return Err(CheckpointError::Gap { name, begin, end: end - data });
        }
        if tensor.range.start < end {
            return Err(CheckpointError::Overlap { name, other: tensors[i - 1].name.clone(), begin, end: end - data });
        }
        end = tensor.range.end;
    }
    Ok(end)
}

/// The value of one name in the JSON.
#[derive(serde::Deserialize)]
struct Entry {
    dtype: Box<str>,
    shape: Vec<usize>,
    data_offsets: [u64; 2],
}

impl Entry {
    fn check(self, name: Box<str>, data: u64) -> Result<TensorInfo, CheckpointError> {
        let length = name.len().max(self.dtype.len());
        if length > MAX_NAME {
            return Err(CheckpointError::NameTooLong { length });
        }
        let Some(dtype) = Dtype::from_name(&self.dtype) else {
            return Err(CheckpointError::UnknownDtype { name, dtype: self.dtype });
        };
        let [begin, end] = self.data_offsets;
        let found = end.checked_sub(begin).ok_or(CheckpointError::Backwards { name: name.clone(), begin, end })?;
        let size = self.shape.iter().try_fold(dtype.size() as u64, |size, &n| size.checked_mul(n as u64));
        let range = data.checked_add(begin).zip(data.checked_add(end));
        match range {
            Some((begin, end)) if size == Some(found) => {
                Ok(TensorInfo { name, dtype, shape: self.shape, range: begin..end })
            }
            _ => Err(CheckpointError::Size { name, shape: Shape(self.shape), dtype: dtype.name(), found }),
        }
    }
}

/// The header's JSON object in its own order. A map type would let the last of two equal names win.
struct Entries(Vec<(Box<str>, Entry)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Entries;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of tensors")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
        let mut entries = Vec::new();
        let mut seen = std::collections::HashSet::new();
        while let Some(name) = map.next_key::<Box<str>>()? {
            if !seen.insert(name.clone()) {
                return Err(de::Error::custom(format_args!("\"{name}\" occurs twice")));
            }
            if &*name == "__metadata__" {
                map.next_value::<IgnoredAny>()?;
            } else {
                entries.push((name, map.next_value()?));
            }
        }
        Ok(Entries(entries))
    }
}
