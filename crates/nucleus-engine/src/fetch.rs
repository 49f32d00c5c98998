//! Files over HTTP, with a name for whatever is not the file that was asked for.

mod answer;
mod ask;
mod reader;
mod remote;
mod small;

use nucleus_gpt2::checkpoint::{Impostor, impostor};
use nucleus_session::Found;

pub(crate) use answer::Validator;
pub(crate) use remote::{FIRST, Remote};
pub(crate) use small::{exists, is_missing, small};

/// What the first bytes of a file show it to be, if it is none that this crate asks for.
#[must_use]
pub fn recognise(start: &[u8]) -> Option<Found> {
    if start.is_empty() {
        return Some(Found::Empty);
    }
    impostor(start).map(|impostor| match impostor {
        Impostor::LfsPointer => Found::LfsPointer,
        Impostor::Html => Found::Html,
        Impostor::Pytorch => Found::Pytorch,
        Impostor::Gguf => Found::Gguf,
        Impostor::Hdf5 => Found::Hdf5,
    })
}

#[cfg(test)]
mod tests {
    #[cfg(target_family = "wasm")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn what_is_not_a_model_file_is_named() {
        let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7017680\n";
        assert_eq!(recognise(pointer), Some(Found::LfsPointer));
        assert_eq!(recognise(b"\n<!doctype html><title>404</title>"), Some(Found::Html));
        assert_eq!(recognise(b"PK\x03\x04\0\0\x08\x08\0\0"), Some(Found::Pytorch));
        assert_eq!(recognise(b""), Some(Found::Empty));
        assert_eq!(recognise(b"{}"), None);
        assert_eq!(recognise(b"\x40\0\0\0\0\0\0\0{"), None);
    }
}
