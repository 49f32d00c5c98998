//! A small HTTP/1.1 server for one folder of static files, on loopback.
//!
//! It does what the page needs of a static host and no more: `GET` and `HEAD`, the MIME types of
//! the site, `Range` with `If-Range` (a stopped download of a model goes on where it was), `ETag`
//! with `If-None-Match`, and the headers that isolate the page. RFC 9110 and 9112 are followed
//! where they apply.

mod answer;
mod condition;
mod connection;
mod headers;
mod location;
mod mime;
mod range;
mod request;

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// A running server. It stops accepting connections when dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    stopping: Arc<AtomicBool>,
    accepting: Option<JoinHandle<()>>,
}

/// Starts to serve the files under `root` on `address`; port 0 takes a free one.
///
/// # Errors
///
/// When `root` is not a folder, or the address cannot be bound ([`io::ErrorKind::AddrInUse`] when
/// another program has it).
pub fn serve(root: &Path, address: SocketAddr) -> io::Result<Server> {
    start(Served { root: root.canonicalize()?, has_policy: true }, address)
}

/// The same without a content security policy, for pages that are not the site's.
///
/// # Errors
///
/// As [`serve`].
pub fn serve_without_policy(root: &Path, address: SocketAddr) -> io::Result<Server> {
    start(Served { root: root.canonicalize()?, has_policy: false }, address)
}

/// What is served.
#[derive(Debug)]
struct Served {
    /// The folder, canonical.
    root: PathBuf,
    /// Whether answers carry the site's content security policy.
    has_policy: bool,
}

fn start(served: Served, address: SocketAddr) -> io::Result<Server> {
    if !served.root.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    let served = Arc::new(served);
    let listener = TcpListener::bind(address)?;
    let address = listener.local_addr()?;
    let stopping = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stopping);
    let accepting = thread::spawn(move || accept(&listener, &served, &flag));
    Ok(Server { address, stopping, accepting: Some(accepting) })
}

/// One thread per connection: a browser opens about six.
fn accept(listener: &TcpListener, served: &Arc<Served>, stopping: &AtomicBool) {
    for stream in listener.incoming() {
        if stopping.load(Ordering::Acquire) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let served = Arc::clone(served);
        // A connection that fails concerns only the client that had it.
        thread::spawn(move || connection::run(stream, &served).ok());
    }
}

impl Server {
    /// The address that is served, with the port that was taken.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of the site's first page, such as `http://127.0.0.1:8080/`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Serves until the process ends.
    pub fn wait(mut self) {
        if let Some(accepting) = self.accepting.take() {
            accepting.join().ok();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let Some(accepting) = self.accepting.take() else {
            return;
        };
        self.stopping.store(true, Ordering::Release);
        // `incoming` waits for a connection: this one wakes it, and it sees the flag.
        if TcpStream::connect(self.address).is_ok() {
            accepting.join().ok();
        }
    }
}
