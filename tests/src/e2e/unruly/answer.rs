//! What an unruly server sends for a file.

use std::ops::Range;
use std::sync::Arc;

/// A file as it is answered.
#[derive(Clone, Debug)]
pub struct Answer {
    pub(super) bytes: Arc<Vec<u8>>,
    kind: &'static str,
    tag: Option<&'static str>,
    ranges: bool,
    permits: bool,
}

/// What was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// `Range`, such as `bytes=0-99`.
    pub range: Option<String>,
    /// `If-Range`.
    pub if_range: Option<String>,
}

impl Answer {
    /// A file, served well.
    #[must_use]
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        let kind = "application/octet-stream";
        Self { bytes: Arc::new(bytes.into()), kind, tag: None, ranges: true, permits: false }
    }

    /// A page that a server sends in the place of a file.
    #[must_use]
    pub fn html(page: &str) -> Self {
        Self { kind: "text/html; charset=utf-8", ..Self::new(page) }
    }

    /// With this `ETag`, quotes included.
    #[must_use]
    pub fn tagged(self, tag: &'static str) -> Self {
        Self { tag: Some(tag), ..self }
    }

    /// All of it, even where a part is asked for.
    #[must_use]
    pub fn always_whole(self) -> Self {
        Self { ranges: false, ..self }
    }

    /// For pages of all hosts to read.
    #[must_use]
    pub fn for_all_hosts(self) -> Self {
        Self { permits: true, ..self }
    }

    /// Which bytes are sent; `None` where the file has none of those that are wanted.
    pub(super) fn part(&self, asked: &Asked) -> Option<Range<usize>> {
        let length = self.bytes.len();
        let same = asked.if_range.is_none() || asked.if_range.as_deref() == self.tag;
        let range = asked.range.as_deref().filter(|_| self.ranges && same);
        let Some((first, last)) = range.and_then(|range| range.strip_prefix("bytes=")?.split_once('-')) else {
            return Some(0..length);
        };
        let first = first.parse().ok().filter(|first| *first < length)?;
        Some(first..last.parse().map_or(length, |last: usize| last.saturating_add(1).min(length)))
    }

    /// The status and the headers.
    pub(super) fn head(&self, part: Option<&Range<usize>>) -> String {
        let length = self.bytes.len();
        let sent = part.map_or(0, ExactSizeIterator::len);
        let (status, place) = match part {
            None => ("416 Range Not Satisfiable", format!("Content-Range: bytes */{length}\r\n")),
            Some(_) if sent == length => ("200 OK", String::new()),
            Some(part) => {
                ("206 Partial Content", format!("Content-Range: bytes {}-{}/{length}\r\n", part.start, part.end - 1))
            }
        };
        let tag = self.tag.map_or_else(String::new, |tag| format!("ETag: {tag}\r\n"));
        let kind = self.kind;
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {sent}\r\nCache-Control: no-store\r\n\
             Connection: close\r\n{place}{tag}"
        );
        format!("{head}{}\r\n", self.permission())
    }

    /// The headers that let other hosts' pages read it.
    pub(super) fn permission(&self) -> &'static str {
        if self.permits { "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Headers: range\r\n" } else { "" }
    }
}
