//! From a request to an answer: the status, the headers, and which bytes of which file.

use super::condition;
use super::location::{self, Location};
use super::mime;
use super::range::{self, Wanted};
use super::request::Request;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

/// An answer that is not sent yet.
#[derive(Debug)]
pub(super) struct Answer {
    /// Such as `206 Partial Content`.
    pub(super) status: &'static str,
    /// The headers of this answer alone; `headers::ALWAYS` come on top.
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Body,
}

/// What follows the head.
#[derive(Debug)]
pub(super) enum Body {
    /// Nothing, and no length either: 304 describes a body that it does not send.
    None,
    /// One line for a reader.
    Text(&'static str),
    /// These bytes of a file.
    Bytes(File, Range<u64>),
}

impl Answer {
    /// A status and one line that says why.
    pub(super) fn text(status: &'static str, line: &'static str) -> Self {
        Self { status, headers: vec![("Content-Type", "text/plain; charset=utf-8".to_owned())], body: Body::Text(line) }
    }

    fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// Answers a request for a file under `root`.
pub(super) fn to(request: &Request, root: &Path) -> Answer {
    if !matches!(request.method.as_str(), "GET" | "HEAD") {
        return Answer::text("405 Method Not Allowed", "only GET and HEAD are served\n").with("Allow", "GET, HEAD");
    }
    match location::find(root, &request.target) {
        Location::File(path) => file(request, &path)
            .unwrap_or_else(|_| Answer::text("500 Internal Server Error", "the file could not be read\n")),
        Location::Folder => Answer::text("308 Permanent Redirect", "the address of a folder ends with a slash\n")
            .with("Location", with_slash(&request.target)),
        Location::Nothing => Answer::text("404 Not Found", "no such file\n"),
    }
}

/// The same target with a slash after its path. Further slashes at its front are dropped: `//host`
/// in a `Location` would name another host.
fn with_slash(target: &str) -> String {
    let (path, query) = target.split_at(target.find('?').unwrap_or(target.len()));
    format!("/{}/{query}", path.trim_start_matches('/'))
}

fn file(request: &Request, path: &Path) -> io::Result<Answer> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    let (length, tag) = (metadata.len(), condition::tag(&metadata));
    if condition::has_already(request.header("if-none-match"), &tag) {
        return Ok(Answer { status: "304 Not Modified", headers: vec![("ETag", tag)], body: Body::None });
    }
    let range = request.header("range").filter(|_| condition::same_as_begun(request.header("if-range"), &tag));
    let (status, bytes, content_range) = match range::parse(range, length) {
        Wanted::Whole => ("200 OK", 0..length, None),
        Wanted::Part(part) => {
            let content_range = format!("bytes {}-{}/{length}", part.start, part.end - 1);
            ("206 Partial Content", part, Some(content_range))
        }
        Wanted::Unsatisfiable => {
            let answer = Answer::text("416 Range Not Satisfiable", "the file is shorter than that\n");
            return Ok(answer.with("Content-Range", format!("bytes */{length}")));
        }
    };
    let headers = vec![("Content-Type", mime::of(path).to_owned()), ("ETag", tag)];
    let answer = Answer { status, headers, body: Body::Bytes(file, bytes) };
    Ok(match content_range {
        Some(value) => answer.with("Content-Range", value),
        None => answer,
    })
}

#[cfg(test)]
mod tests {
    use super::with_slash;

    #[test]
    fn a_redirect_stays_on_this_host() {
        assert_eq!(with_slash("/lessons?n=1"), "/lessons/?n=1");
        assert_eq!(with_slash("//evil.example"), "/evil.example/");
    }
}
