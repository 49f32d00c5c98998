//! What is written about a kept model.

use nucleus_gpt2::checkpoint::checksum;
use serde::{Deserialize, Serialize};

use crate::fetch::Validator;

/// Bytes of a block; the last of a file may be shorter.
pub(crate) const BLOCK: u64 = 4 << 20;

/// The files of a kept model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The source, as [`ModelSource::text`](nucleus_session::ModelSource::text) writes it.
    pub(crate) source: String,
    /// Configuration, tokenizer, index.
    pub(crate) small: Vec<Small>,
    /// The files of weights, in their order.
    pub(crate) weights: Vec<Weights>,
}

/// A file that is kept whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Small {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) checksum: u64,
}

/// A file that is kept block by block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Weights {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) validator: Validator,
}

impl Manifest {
    /// Bytes of all files.
    pub(crate) fn total(&self) -> u64 {
        let small = self.small.iter().map(|file| file.bytes);
        small.chain(self.weights.iter().map(|file| file.bytes)).sum()
    }
}

impl Small {
    pub(crate) fn of(name: &str, bytes: &[u8]) -> Self {
        Self { name: name.to_owned(), bytes: bytes.len() as u64, checksum: checksum(bytes) }
    }

    /// Whether these are the bytes that were written.
    pub(crate) fn is(&self, bytes: &[u8]) -> bool {
        self.bytes == bytes.len() as u64 && self.checksum == checksum(bytes)
    }
}

/// The name of the folder for a source. Addresses are longer than file systems allow, so it is a hash; the manifest has
/// the source itself.
pub(crate) fn folder_name(source: &str) -> String {
    format!("{:016x}", checksum(source.as_bytes()))
}

/// Blocks of a file of so many bytes.
pub(crate) fn blocks(bytes: u64) -> u64 {
    bytes.div_ceil(BLOCK)
}

/// Bytes of the first `blocks` blocks of a file of `bytes`.
pub(crate) fn bytes_of_blocks(blocks: u64, bytes: u64) -> u64 {
    (blocks.saturating_mul(BLOCK)).min(bytes)
}

#[cfg(test)]
mod tests {
    #[cfg(target_family = "wasm")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn the_last_block_may_be_short() {
        assert_eq!((blocks(0), blocks(1), blocks(BLOCK), blocks(BLOCK + 1)), (0, 1, 1, 2));
        assert_eq!(bytes_of_blocks(1, BLOCK + 1), BLOCK);
        assert_eq!(bytes_of_blocks(2, BLOCK + 1), BLOCK + 1);
    }

    #[test]
    fn a_small_file_is_known_again_and_damage_is_seen() {
        let small = Small::of("config.json", b"{}");
        assert!(small.is(b"{}") && !small.is(b"{ }") && !small.is(b"[]"));
    }

    #[test]
    fn a_manifest_comes_back_as_it_was_written() {
        let manifest = Manifest {
            source: "owner/name".into(),
            small: vec![Small::of("config.json", b"{}")],
            weights: vec![Weights { name: "model.safetensors".into(), bytes: 9, validator: Validator::default() }],
        };
        let json = serde_json::to_vec(&manifest).unwrap();
        assert_eq!(serde_json::from_slice::<Manifest>(&json).unwrap(), manifest);
        assert_eq!(manifest.total(), 11);
        assert_ne!(folder_name("a/b"), folder_name("a/c"));
    }
}
