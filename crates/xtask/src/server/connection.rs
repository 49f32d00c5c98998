//! One connection: requests come in, answers go out, in order.

use super::Served;
use super::answer::{self, Answer, Body};
use super::headers::{self, CONTENT_SECURITY_POLICY};
use super::request::{Ending, Request};
use std::fmt::Write as _;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

/// How long a connection may be silent, or may not take what is sent, before it is closed.
const PATIENCE: Duration = Duration::from_secs(60);

/// How much of what follows a refused request is read and dropped, bytes.
const LEFT_OVER: u64 = 1024 * 1024;

/// Answers requests until the client closes the connection or says that it will.
pub(super) fn run(stream: TcpStream, served: &Served) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    // Head and body go out in separate writes, which must not wait for each other's acknowledgement.
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(&stream);
    loop {
        let (answer, with_body, keep_alive) = match Request::read(&mut reader) {
            Ok(request) => {
                let answer = answer::to(&request, &served.root);
                // A request that was refused may have a body, which would be read as the next request.
                let keep_alive = request.keep_alive && answer.status != "405 Method Not Allowed";
                (answer, request.method != "HEAD", keep_alive)
            }
            Err(Ending::Malformed) => (Answer::text("400 Bad Request", "this is not HTTP/1.1\n"), true, false),
            Err(Ending::TooLong) => {
                let line = "the address is too long: with the headers it takes more than 32 KiB\n";
                (Answer::text("431 Request Header Fields Too Large", line), true, false)
            }
            Err(Ending::Closed) => return Ok(()),
        };
        let head = head(&answer, keep_alive, served.has_policy);
        send(&stream, head, answer, with_body)?;
        if !keep_alive {
            stream.shutdown(Shutdown::Write)?;
            // What a client sends and nobody reads resets the connection, and the answer may be lost with it.
            return io::copy(&mut reader.take(LEFT_OVER), &mut io::sink()).map(drop);
        }
    }
}

fn send(mut stream: &TcpStream, head: String, answer: Answer, with_body: bool) -> io::Result<()> {
    let mut head = head.into_bytes();
    match answer.body {
        Body::Text(text) if with_body => head.extend_from_slice(text.as_bytes()),
        Body::Bytes(mut file, range) if with_body => {
            stream.write_all(&head)?;
            file.seek(SeekFrom::Start(range.start))?;
            let length = range.end - range.start;
            let sent = io::copy(&mut file.take(length), &mut stream)?;
            // The file shrank while it was sent: only the end of the connection can say so.
            return if sent == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
        }
        Body::None | Body::Text(_) | Body::Bytes(..) => {}
    }
    stream.write_all(&head)
}

/// The status line and the headers. Writing to a string cannot fail, so the results are dropped.
fn head(answer: &Answer, keep_alive: bool, has_policy: bool) -> String {
    let mut head = format!("HTTP/1.1 {}\r\n", answer.status);
    let own = answer.headers.iter().map(|(name, value)| (*name, value.as_str()));
    let always = headers::ALWAYS.into_iter().filter(|(_, value)| has_policy || *value != CONTENT_SECURITY_POLICY);
    for (name, value) in always.chain(own) {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    let length = match &answer.body {
        Body::None => None,
        Body::Text(text) => Some(text.len() as u64),
        Body::Bytes(_, range) => Some(range.end - range.start),
    };
    if let Some(length) = length {
        let _ = write!(head, "Content-Length: {length}\r\n");
    }
    head.push_str(if keep_alive { "\r\n" } else { "Connection: close\r\n\r\n" });
    head
}
