//! Files that carry the name of a model file and are something else.

/// What a server or a clone without its large files hands out in place of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Impostor {
    /// The stand-in that Git LFS leaves where the file itself was not fetched.
    #[error(
        "this is a Git LFS pointer, about 134 bytes of text, not the file it points to: fetch the file itself (git lfs pull)"
    )]
    LfsPointer,
    /// A page for readers: often "not found" or "log in", with status 200.
    #[error("this is a web page (HTML), not a model file: check the address")]
    Html,
    /// PyTorch's own format: a zip archive or, before 2020, a bare pickle.
    #[error(
        "this is a PyTorch file (pickle), which can run code and is not read: use the model.safetensors of the model"
    )]
    Pytorch,
    /// The format of llama.cpp.
    #[error("this is a GGUF file, for llama.cpp: use the model.safetensors of the model")]
    Gguf,
    /// The format of Keras and TensorFlow.
    #[error("this is an HDF5 file, for TensorFlow: use the model.safetensors of the model")]
    Hdf5,
}

/// Recognises an [`Impostor`] by the first bytes of a file; a hundred are enough.
///
/// Neither JSON nor a safetensors file can begin like one: as a header's length their first 8 bytes would be more than
/// 10^9, and a header begins with a brace.
pub fn impostor(first: &[u8]) -> Option<Impostor> {
    if first.starts_with(b"version https://git-lfs") {
        return Some(Impostor::LfsPointer);
    }
    let others = [
        (&b"PK\x03\x04"[..], Impostor::Pytorch),
        (b"\x80\x02\x8A\x0Al\xFC\x9CF", Impostor::Pytorch),
        (b"GGUF", Impostor::Gguf),
        (b"\x89HDF\r\n\x1A\n", Impostor::Hdf5),
    ];
    if let Some((_, found)) =
        others.into_iter().find(|(magic, _)| first.starts_with(magic) && first.get(8) != Some(&b'{'))
    {
        return Some(found);
    }
    let text = first.trim_ascii_start();
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text).trim_ascii_start();
    let starts = |tag: &[u8]| text.get(..tag.len()).is_some_and(|head| head.eq_ignore_ascii_case(tag));
    [&b"<!doctype"[..], b"<html", b"<head", b"<?xml", b"<!--"].into_iter().any(starts).then_some(Impostor::Html)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_and_pages_are_told_apart() {
        let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:248d\nsize 548105171\n";
        assert_eq!(impostor(pointer), Some(Impostor::LfsPointer));
        for page in ["<!DOCTYPE html>", "\n  <HTML lang=en>", "\u{feff}<!doctype HTML>", "<?xml version='1.0'?>"] {
            assert_eq!(impostor(page.as_bytes()), Some(Impostor::Html), "{page:?}");
        }
    }

    #[test]
    fn weights_in_other_formats_are_named() {
        for (first, found) in [
            (&b"PK\x03\x04\0\0\x08\x08\0\0"[..], Impostor::Pytorch),
            (b"\x80\x02\x8A\x0Al\xFC\x9CF\xF9 j\xA8P\x19", Impostor::Pytorch),
            (b"GGUF\x03\0\0\0\x94\0\0\0", Impostor::Gguf),
            (b"\x89HDF\r\n\x1A\n\0\0", Impostor::Hdf5),
        ] {
            assert_eq!(impostor(first), Some(found));
        }
    }

    #[test]
    fn model_files_are_none_of_them() {
        for file in [
            &b""[..],
            b"<",
            b"{\"model_type\": \"gpt2\"}",
            b"\x40\x00\x00\x00\x00\x00\x00\x00{\"wte.weight\":",
            b"PK\x03\x04\0\0\0\0{\"a\":",
            b"version",
        ] {
            assert_eq!(impostor(file), None);
        }
    }
}
