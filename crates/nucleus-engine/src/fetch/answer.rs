//! What the headers of an answer tell of a file.

use serde::{Deserialize, Serialize};
use web_sys::Response;

/// By what a file is known to be the same as before (RFC 9110, section 8.8).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Validator {
    /// The `ETag`, with its quotes.
    pub(crate) etag: Option<String>,
    /// The `Last-Modified` date.
    pub(crate) modified: Option<String>,
}

impl Validator {
    pub(crate) fn of(response: &Response) -> Self {
        Self { etag: header(response, "etag"), modified: header(response, "last-modified") }
    }

    /// What `If-Range` may carry: a strong tag, else the date.
    pub(crate) fn if_range(&self) -> Option<&str> {
        self.etag.as_deref().filter(|tag| tag.starts_with('"')).or(self.modified.as_deref())
    }

    /// Whether the two cannot be of the same content. Servers need not tell, and other hosts need not let the page read
    /// it: what is not there says nothing.
    pub(crate) fn contradicts(&self, other: &Self) -> bool {
        let plain = |tag: &'_ Option<String>| tag.as_deref().map(|tag| tag.trim_start_matches("W/").to_owned());
        match (plain(&self.etag), plain(&other.etag)) {
            (Some(a), Some(b)) => a != b,
            _ => matches!((&self.modified, &other.modified), (Some(a), Some(b)) if a != b),
        }
    }
}

/// `Content-Range: bytes 0-99/1000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ContentRange {
    /// The first byte that is sent; `None` in `bytes */1000`.
    pub(crate) start: Option<u64>,
    /// Bytes of the whole file; `None` for `*`.
    pub(crate) total: Option<u64>,
}

impl ContentRange {
    pub(crate) fn parse(value: &str) -> Option<Self> {
        let (range, total) = value.trim().strip_prefix("bytes ")?.split_once('/')?;
        let start = match range.split_once('-') {
            Some((start, _)) => Some(start.parse().ok()?),
            None if range == "*" => None,
            None => return None,
        };
        Some(Self { start, total: total.parse().ok() })
    }

    pub(crate) fn of(response: &Response) -> Option<Self> {
        Self::parse(&header(response, "content-range")?)
    }
}

/// A header that is there and that the page may read.
pub(crate) fn header(response: &Response, name: &str) -> Option<String> {
    response.headers().get(name).ok().flatten()
}

/// The length that the server announces, where it is that of the file itself.
pub(crate) fn announced(response: &Response) -> Option<u64> {
    let compressed = header(response, "content-encoding").is_some_and(|coding| coding != "identity");
    if compressed { None } else { header(response, "content-length")?.parse().ok() }
}

#[cfg(test)]
mod tests {
    #[cfg(target_family = "wasm")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    fn known(etag: &str, modified: &str) -> Validator {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Validator { etag: text(etag), modified: text(modified) }
    }

    #[test]
    fn a_range_is_resumed_by_a_strong_tag_or_by_the_date() {
        assert_eq!(known("\"a\"", "Mon").if_range(), Some("\"a\""));
        assert_eq!(known("W/\"a\"", "Mon").if_range(), Some("Mon"));
        assert_eq!(known("W/\"a\"", "").if_range(), None);
    }

    #[test]
    fn only_what_both_tell_can_contradict() {
        assert!(known("\"a\"", "Mon").contradicts(&known("\"b\"", "Mon")));
        assert!(!known("\"a\"", "Mon").contradicts(&known("W/\"a\"", "Tue")), "a tag says more than a date");
        assert!(known("\"a\"", "Mon").contradicts(&known("", "Tue")));
        assert!(!known("\"a\"", "").contradicts(&known("", "Tue")));
    }

    #[test]
    fn content_ranges_are_read() {
        let range = |start, total| Some(ContentRange { start, total });
        assert_eq!(ContentRange::parse("bytes 5-9/1000"), range(Some(5), Some(1000)));
        assert_eq!(ContentRange::parse("bytes 5-9/*"), range(Some(5), None));
        assert_eq!(ContentRange::parse("bytes */1000"), range(None, Some(1000)));
        for broken in ["", "bytes", "bytes x-9/10", "bytes 5/10", "lines 5-9/10"] {
            assert_eq!(ContentRange::parse(broken), None, "{broken}");
        }
    }
}
