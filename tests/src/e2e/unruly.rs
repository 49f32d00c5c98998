//! A server that misbehaves as a test wants it: with the files that it is given, and over connections that stall and break.

mod answer;

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result};

pub use answer::{Answer, Asked};

use super::site::Site;

/// Bytes that go out in one piece.
const PIECE: usize = 64 << 10;

/// What goes out of a body that stalls: so many bytes, with so long a pause before them.
const TRICKLE: (usize, Duration) = (1 << 10, Duration::from_millis(20));

/// How the bodies of the answers come, all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// As fast as they can.
    Open,
    /// Up to this byte of the file, and hardly any further.
    Stalled(usize),
    /// Connections break now, and who asks again waits for another flow.
    Cut,
    /// The server ends.
    Over,
}

/// A running server; it stops when dropped.
pub struct Unruly {
    address: SocketAddr,
    state: Arc<State>,
    accepting: Option<JoinHandle<()>>,
    /// The site that answers for all other files; it is served for as long as this value lives.
    _site: Option<Site>,
}

/// What a connection needs to know.
struct State {
    site: Option<SocketAddr>,
    files: Mutex<HashMap<String, Answer>>,
    asked: Mutex<Vec<(String, Asked)>>,
    flow: Mutex<Flow>,
}

impl Unruly {
    /// A server that passes on to a site what is asked for all files that it is not given. As on most hosts, its pages
    /// are not isolated.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn before(site: Site) -> Result<Self> {
        Self::start(Some(site))
    }

    /// A server on another port than any site's, which has nothing but what it is given.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn elsewhere() -> Result<Self> {
        Self::start(None)
    }

    fn start(site: Option<Site>) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port can be had")?;
        let address = listener.local_addr()?;
        let state = Arc::new(State {
            site: site.as_ref().map(Site::server),
            files: Mutex::default(),
            asked: Mutex::default(),
            flow: Mutex::new(Flow::Open),
        });
        let shared = Arc::clone(&state);
        let accepting = thread::spawn(move || accept(&listener, &shared));
        Ok(Self { address, state, accepting: Some(accepting), _site: site })
    }

    /// The address of a path, such as `kept/tales/`.
    #[must_use]
    pub fn address(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// What is answered for a path from now on.
    pub fn put(&self, path: &str, answer: Answer) {
        lock(&self.state.files).insert(path.to_owned(), answer);
    }

    /// How bodies come from now on.
    pub fn flow(&self, flow: Flow) {
        *lock(&self.state.flow) = flow;
    }

    /// What was asked for a path since the last call, permission to ask apart.
    #[must_use]
    pub fn asked(&self, path: &str) -> Vec<Asked> {
        let (these, others) = lock(&self.state.asked).drain(..).partition(|(asked, _)| asked == path);
        *lock(&self.state.asked) = others;
        these.into_iter().map(|(_, asked)| asked).collect()
    }
}

impl Drop for Unruly {
    fn drop(&mut self) {
        self.flow(Flow::Over);
        // Accepting waits for a connection: this one wakes it.
        if TcpStream::connect(self.address).is_ok()
            && let Some(accepting) = self.accepting.take()
        {
            accepting.join().ok();
        }
    }
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

fn accept(listener: &TcpListener, state: &Arc<State>) {
    for stream in listener.incoming() {
        if *lock(&state.flow) == Flow::Over {
            return;
        }
        let Ok(stream) = stream else { continue };
        let state = Arc::clone(state);
        // A connection that fails concerns only the browser, which shows it.
        thread::spawn(move || state.answer(&stream).ok());
    }
}

impl State {
    /// One request, one answer.
    fn answer(&self, stream: &TcpStream) -> io::Result<()> {
        let lines = BufReader::new(stream).lines().take_while(|line| line.as_ref().is_ok_and(|line| !line.is_empty()));
        let head: Vec<String> = lines.collect::<io::Result<_>>()?;
        let mut words = head.first().map_or("", String::as_str).split(' ');
        let method = words.next().unwrap_or_default();
        let path = words.next().unwrap_or_default().trim_start_matches('/').to_owned();
        let file = lock(&self.files).get(&path).cloned();
        let mut writer = stream;
        match (file, self.site) {
            (Some(file), _) if method == "OPTIONS" => {
                write!(writer, "HTTP/1.1 204 No Content\r\nConnection: close\r\n{}\r\n", file.permission())
            }
            (Some(file), _) => self.send(stream, method, path, &head, &file),
            (None, Some(site)) => pass_on(stream, &head, site),
            (None, None) => {
                writer.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            }
        }
    }

    fn send(
        &self,
        mut stream: &TcpStream,
        method: &str,
        path: String,
        head: &[String],
        file: &Answer,
    ) -> io::Result<()> {
        let asked = Asked { range: header(head, "range"), if_range: header(head, "if-range") };
        lock(&self.asked).push((path.clone(), asked.clone()));
        while *lock(&self.flow) == Flow::Cut {
            thread::sleep(TRICKLE.1);
        }
        // Another may have been put there meanwhile.
        let file = lock(&self.files).get(&path).unwrap_or(file).clone();
        let part = file.part(&asked);
        stream.write_all(file.head(part.as_ref()).as_bytes())?;
        let mut rest = part.filter(|_| method == "GET").unwrap_or_default();
        while !rest.is_empty() {
            let length = self.piece(rest.start)?.min(rest.len());
            stream.write_all(&file.bytes[rest.start..rest.start + length])?;
            rest.start += length;
        }
        Ok(())
    }

    /// How many bytes go out next from this one on.
    fn piece(&self, at: usize) -> io::Result<usize> {
        // Taken out of its lock, which nobody may hold while asleep.
        let flow = *lock(&self.flow);
        match flow {
            Flow::Open => Ok(PIECE),
            Flow::Stalled(stop) if at < stop => Ok(PIECE.min(stop - at)),
            Flow::Stalled(_) => {
                thread::sleep(TRICKLE.1);
                Ok(TRICKLE.0)
            }
            Flow::Cut | Flow::Over => Err(io::ErrorKind::ConnectionAborted.into()),
        }
    }
}

fn header(head: &[String], name: &str) -> Option<String> {
    let headers = head.iter().filter_map(|line| line.split_once(": "));
    headers.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
}

/// Asks the site the same, and hands on what it answers, apart from what isolates the page.
fn pass_on(mut stream: &TcpStream, head: &[String], site: SocketAddr) -> io::Result<()> {
    let mut upstream = TcpStream::connect(site)?;
    let kept = head.iter().filter(|line| !line.to_ascii_lowercase().starts_with("connection:"));
    let head: String = kept.map(|line| format!("{line}\r\n")).collect();
    upstream.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes())?;
    let mut answer = BufReader::new(upstream);
    let mut line = String::new();
    while line != "\r\n" {
        line.clear();
        if answer.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if !line.starts_with("Cross-Origin-") {
            stream.write_all(line.as_bytes())?;
        }
    }
    io::copy(&mut answer, &mut stream).map(drop)
}
