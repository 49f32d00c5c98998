//! A checkpoint in several files: `model.safetensors.index.json`, and one header made of theirs.

use std::collections::{BTreeMap, BTreeSet};

use super::header::{Header, TensorInfo};
use super::impostor::{Impostor, impostor};

/// More files than this are refused: the largest GPT-2 has 6.4 GB, and shards have some hundred MB and more.
const MOST_FILES: usize = 100;

/// Which tensor lies in which file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardIndex {
    files: Vec<String>,
    file_of: BTreeMap<String, usize>,
}

/// Why shards do not make a checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    /// Something else under the index's name.
    #[error(transparent)]
    Impostor(#[from] Impostor),
    /// Not JSON, or without `weight_map`.
    #[error("the index cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// No tensors.
    #[error("the index names no tensors: its \"weight_map\" is empty")]
    Empty,
    /// A file's name that leads elsewhere, or is none of safetensors.
    #[error("the index names a file \"{0}\", but must name .safetensors files of its own folder")]
    Name(Box<str>),
    /// Too many files.
    #[error("the index names {0} files, but at most {MOST_FILES} are read")]
    TooMany(usize),
    /// A file has not the tensor that the index looks for in it.
    #[error("the index says that \"{name}\" is in {file}, but it is not: are the files of one model?")]
    Missing {
        /// The tensor.
        name: Box<str>,
        /// The file.
        file: Box<str>,
    },
    /// One tensor in two files.
    #[error("both {file} and {other} have a tensor \"{name}\": are the files of one model?")]
    Twice {
        /// The tensor.
        name: Box<str>,
        /// The later file.
        file: Box<str>,
        /// The earlier file.
        other: Box<str>,
    },
}

#[derive(serde::Deserialize)]
struct File {
    weight_map: BTreeMap<String, String>,
}

impl ShardIndex {
    /// Reads the index.
    ///
    /// # Errors
    /// [`ShardError`] where it is not one, or names files that are not beside it.
    pub fn parse(json: &[u8]) -> Result<Self, ShardError> {
        if let Some(found) = impostor(json) {
            return Err(found.into());
        }
        let File { weight_map } = serde_json::from_slice(json)?;
        let names: BTreeSet<&String> = weight_map.values().collect();
        if names.is_empty() {
            return Err(ShardError::Empty);
        }
        if names.len() > MOST_FILES {
            return Err(ShardError::TooMany(names.len()));
        }
        if let Some(name) = names.iter().find(|name| !is_plain(name)) {
            return Err(ShardError::Name(name.as_str().into()));
        }
        let files: Vec<String> = names.into_iter().cloned().collect();
        let place = |file: &String| files.binary_search(file).unwrap_or_default();
        let file_of = weight_map.iter().map(|(tensor, file)| (tensor.clone(), place(file))).collect();
        Ok(Self { file_of, files })
    }

    /// The files' names, in their order.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// One header for all files, as if they lay end to end in the order of [`files`](Self::files), given theirs.
    ///
    /// # Errors
    /// [`ShardError`] where a tensor is not where the index says, or is there twice.
    pub fn join(&self, headers: &[Header]) -> Result<Header, ShardError> {
        let mut all: Vec<TensorInfo> = Vec::new();
        let mut seen: BTreeMap<Box<str>, usize> = BTreeMap::new();
        let mut start = 0;
        for (file, header) in headers.iter().enumerate() {
            for tensor in header.tensors() {
                if let Some(other) = seen.insert(tensor.name.clone(), file) {
                    let [file, other] = [file, other].map(|file| self.files[file].as_str().into());
                    return Err(ShardError::Twice { name: tensor.name.clone(), file, other });
                }
                let range = start + tensor.range.start..start + tensor.range.end;
                all.push(TensorInfo { range, ..tensor.clone() });
            }
            start += header.file_length();
        }
        match self.file_of.iter().find(|(name, file)| seen.get(name.as_str()) != Some(file)) {
            Some((name, &file)) => {
                Err(ShardError::Missing { name: name.as_str().into(), file: self.files[file].as_str().into() })
            }
            None => Ok(Header::of_tensors(all, start)),
        }
    }
}

/// A name that can only be that of a file in the same folder.
fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    name.ends_with(".safetensors") && !name.starts_with('.') && name.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(map: &str) -> Result<ShardIndex, ShardError> {
        ShardIndex::parse(format!(r#"{{"metadata": {{"total_size": 3}}, "weight_map": {{{map}}}}}"#).as_bytes())
    }

    fn refusal(map: &str) -> String {
        index(map).unwrap_err().to_string()
    }

    /// The header of a file with these tensors, a byte each.
    fn header(names: &[&str]) -> Header {
        let entry = |(i, name): (usize, &&str)| {
            format!(r#""{name}": {{"dtype": "U8", "shape": [1], "data_offsets": [{i}, {}]}}"#, i + 1)
        };
        let json = format!("{{{}}}", names.iter().enumerate().map(entry).collect::<Vec<_>>().join(","));
        Header::describe(json.as_bytes()).unwrap()
    }

    #[test]
    fn files_come_in_their_order_and_lie_end_to_end() {
        let index = index(r#""a": "m-2.safetensors", "b": "m-1.safetensors", "c": "m-2.safetensors""#).unwrap();
        assert_eq!(index.files(), ["m-1.safetensors", "m-2.safetensors"]);
        let headers = [header(&["b"]), header(&["c", "a"])];
        let joined = index.join(&headers).unwrap();
        let first = headers[0].file_length();
        assert_eq!(joined.file_length(), first + headers[1].file_length());
        assert_eq!(joined.get("b").unwrap().range, headers[0].get("b").unwrap().range);
        assert_eq!(joined.get("a").unwrap().range.start, first + headers[1].get("a").unwrap().range.start);
        let names: Vec<&str> = joined.tensors().iter().map(|tensor| &*tensor.name).collect();
        assert_eq!(names, ["b", "c", "a"]);
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for name in ["../x.safetensors", "a/b.safetensors", "https://x/y.safetensors", "pytorch_model.bin", ""] {
            assert!(refusal(&format!(r#""a": "{name}""#)).contains(&format!("\"{name}\"")), "{name}");
        }
        assert!(refusal("").contains("no tensors"));
        let many: Vec<String> = (0..101).map(|i| format!(r#""{i}": "{i}.safetensors""#)).collect();
        assert!(refusal(&many.join(",")).contains("101 files"));
        assert!(ShardIndex::parse(b"{}").unwrap_err().to_string().contains("weight_map"));
        assert!(ShardIndex::parse(b"<!doctype html>").unwrap_err().to_string().contains("web page"));
    }

    #[test]
    fn a_tensor_in_the_wrong_file_or_in_two_is_named() {
        let index = index(r#""a": "m-1.safetensors", "b": "m-2.safetensors""#).unwrap();
        let join =
            |first: &[&str], second: &[&str]| index.join(&[header(first), header(second)]).unwrap_err().to_string();
        assert!(join(&["b"], &["a"]).contains("\"a\" is in m-1.safetensors, but it is not"));
        assert!(join(&["a"], &["c"]).contains("\"b\" is in m-2.safetensors"));
        assert!(join(&["a", "b"], &["b"]).starts_with("both m-2.safetensors and m-1.safetensors have"));
    }
}
