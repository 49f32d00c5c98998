//! From the target of a request to a file under the root, and never to one outside it.

use std::path::{Path, PathBuf};

/// What a request target names.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Location {
    /// This file exists under the root.
    File(PathBuf),
    /// A folder named without its last slash: relative addresses in its page need the slash.
    Folder,
    /// Nothing that may be served.
    Nothing,
}

/// Finds the file that `target` (such as `/models/tales/config.json?v=1`) names under `root`,
/// which is canonical. A folder means its `index.html`.
pub(super) fn find(root: &Path, target: &str) -> Location {
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let names_a_folder = path.ends_with('/');
    let Some(path) = relative(path) else {
        return Location::Nothing;
    };
    // Links are followed and then judged by where they end.
    let Ok(found) = root.join(path).canonicalize() else {
        return Location::Nothing;
    };
    if !found.starts_with(root) {
        return Location::Nothing;
    }
    let index = found.join("index.html");
    match (found.is_file() || index.is_file(), found.is_file(), names_a_folder) {
        (true, true, false) => Location::File(found),
        (true, false, true) => Location::File(index),
        (true, false, false) => Location::Folder,
        _ => Location::Nothing,
    }
}

/// The segments of a path after percent-decoding. None when one of them is `..` or hidden, or
/// holds a separator or a NUL: what is decoded is a name, never syntax.
fn relative(path: &str) -> Option<PathBuf> {
    let mut relative = PathBuf::new();
    for segment in path.strip_prefix('/')?.split('/').filter(|segment| !segment.is_empty()) {
        let name = decode(segment)?;
        if name.starts_with('.') || name.contains(['/', '\\', '\0', ':']) {
            return None;
        }
        relative.push(name);
    }
    Some(relative)
}

/// Undoes percent-encoding. None for a `%` without two hexadecimal digits, or bytes that are not UTF-8.
fn decode(segment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::{decode, relative};
    use std::path::PathBuf;

    #[test]
    fn escapes_are_decoded_once() {
        assert_eq!(decode("a%20b").as_deref(), Some("a b"));
        assert_eq!(decode("%252e").as_deref(), Some("%2e"));
        assert_eq!(decode("%C3%A9").as_deref(), Some("é"));
        for broken in ["%", "%2", "%zz", "%+1", "%ff"] {
            assert_eq!(decode(broken), None, "{broken}");
        }
    }

    #[test]
    fn a_path_stays_below_the_root() {
        assert_eq!(relative("/a//b"), Some(PathBuf::from("a/b")));
        for outside in
            ["/../a", "/a/../../b", "/%2e%2e/a", "/..%2fa", "/a%5c..", "/.git/config", "/a%00", "/C:%5c", "a"]
        {
            assert_eq!(relative(outside), None, "{outside}");
        }
    }
}
