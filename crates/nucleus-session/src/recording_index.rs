//! The list of recordings, `recordings/index.json`.

use serde::{Deserialize, Serialize};
use thiserror::Error;

const FOLDER: &str = "recordings/";

/// A recording in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordingEntry {
    /// Its name in addresses; the file is `recordings/<name>.safetensors`.
    pub name: String,
    /// What the list shows.
    pub title: String,
    /// What to look for in it, in a sentence.
    pub note: String,
}

/// The list cannot be read.
#[derive(Debug, Error)]
#[error("{address} is not a list of recordings: {source}", address = address())]
pub struct RecordingIndexError {
    source: serde_json::Error,
}

/// Where the list is, relative to the page.
#[must_use]
pub fn address() -> String {
    format!("{FOLDER}index.json")
}

/// Reads the list.
///
/// # Errors
/// When the bytes are not a JSON list of entries.
pub fn parse(bytes: &[u8]) -> Result<Vec<RecordingEntry>, RecordingIndexError> {
    serde_json::from_slice(bytes).map_err(|source| RecordingIndexError { source })
}

impl RecordingEntry {
    /// Where the recording is, relative to the page.
    #[must_use]
    pub fn address(&self) -> String {
        format!("{FOLDER}{}.safetensors", self.name)
    }
}
