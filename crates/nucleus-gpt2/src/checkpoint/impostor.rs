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
}

/// Recognises an [`Impostor`] by the first bytes of a file; a hundred are enough.
///
/// Neither JSON nor a safetensors file can begin like one: the first bytes of both would be a header length of more than
/// 10^18.
pub fn impostor(first: &[u8]) -> Option<Impostor> {
    if first.starts_with(b"version https://git-lfs") {
        return Some(Impostor::LfsPointer);
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
    fn model_files_are_neither() {
        for file in [
            &b""[..],
            b"<",
            b"{\"model_type\": \"gpt2\"}",
            b"\x40\x00\x00\x00\x00\x00\x00\x00{\"wte.weight\":",
            b"version",
        ] {
            assert_eq!(impostor(file), None);
        }
    }
}
