//! The head of a request: its first line and its headers.

use std::io::{self, BufRead, Read};

/// No link that the page makes needs more; a client that sends more is refused.
const LIMIT: u64 = 32 * 1024;

/// A request without its body: this server reads none.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) target: String,
    /// Whether the client may send another request on this connection.
    pub(super) keep_alive: bool,
    headers: Vec<(String, String)>,
}

/// Why there is no request.
#[derive(Debug)]
pub(super) enum Ending {
    /// The client closed the connection between two requests, or was silent too long.
    Closed,
    /// Not HTTP: the answer is 400.
    Malformed,
    /// A head that is longer than the limit, as a very long address makes it: the answer is 431.
    TooLong,
}

impl Request {
    /// Reads the next head from a connection.
    pub(super) fn read(stream: &mut impl BufRead) -> Result<Self, Ending> {
        let mut head = stream.take(LIMIT);
        Self::read_head(&mut head).map_err(|ending| if head.limit() == 0 { Ending::TooLong } else { ending })
    }

    fn read_head(head: &mut impl BufRead) -> Result<Self, Ending> {
        let first = line(head).map_err(|_| Ending::Closed)?.ok_or(Ending::Closed)?;
        let mut request = Self::first_line(&first).ok_or(Ending::Malformed)?;
        loop {
            let text = line(head).map_err(|_| Ending::Closed)?.ok_or(Ending::Malformed)?;
            if text.is_empty() {
                break;
            }
            let (name, value) = text.split_once(':').ok_or(Ending::Malformed)?;
            request.headers.push((name.to_owned(), value.trim().to_owned()));
        }
        request.keep_alive &= !request.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
        Ok(request)
    }

    /// `GET /path HTTP/1.1`. An HTTP/1.0 client gets one answer and the end of the connection.
    fn first_line(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        let keep_alive = match version {
            "HTTP/1.1" => true,
            "HTTP/1.0" => false,
            _ => return None,
        };
        let whole = words.next().is_none() && !method.is_empty() && target.starts_with('/');
        whole.then(|| Self { method: method.to_owned(), target: target.to_owned(), keep_alive, headers: Vec::new() })
    }

    /// The value of a header; `name` in any case.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// The next line without its end. None when the stream ended (or the limit was reached) first.
fn line(stream: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    stream.read_until(b'\n', &mut bytes)?;
    let Some(text) = bytes.strip_suffix(b"\n") else {
        return Ok(None);
    };
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    Ok(Some(String::from_utf8_lossy(text).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::{Ending, LIMIT, Request};

    fn read(text: &str) -> Result<Request, Ending> {
        Request::read(&mut text.as_bytes())
    }

    #[test]
    fn header_names_have_no_case() {
        let request = read("GET /a HTTP/1.1\r\nRANGE: bytes=0-1 \r\n\r\n").unwrap();
        assert_eq!(request.header("range"), Some("bytes=0-1"));
        assert!(request.keep_alive);
    }

    #[test]
    fn a_connection_ends_when_either_side_says_so() {
        assert!(!read("GET / HTTP/1.1\r\nConnection: Close\r\n\r\n").unwrap().keep_alive);
        assert!(!read("GET / HTTP/1.0\r\n\r\n").unwrap().keep_alive);
        assert!(matches!(read(""), Err(Ending::Closed)));
    }

    #[test]
    fn what_is_not_http_is_malformed() {
        for text in
            ["hello\r\n\r\n", "GET / HTTP/2\r\n\r\n", "GET http://x/ HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nx\r\n\r\n"]
        {
            assert!(matches!(read(text), Err(Ending::Malformed)), "{text}");
        }
    }

    #[test]
    fn a_head_beyond_the_limit_is_too_long() {
        let long = "a".repeat(usize::try_from(LIMIT).unwrap());
        let in_a_header = format!("GET / HTTP/1.1\r\nCookie: {long}\r\n\r\n");
        let in_the_address = format!("GET /?{long} HTTP/1.1\r\n\r\n");
        for text in [in_a_header, in_the_address] {
            assert!(matches!(read(&text), Err(Ending::TooLong)));
        }
    }
}
