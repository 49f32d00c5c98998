//! The static file server over real sockets.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use tempfile::TempDir;
use xtask::server::{self, Server};

const WEIGHTS: &[u8] = b"0123456789";

/// A site with a page, a folder with a page, weights, and a secret beside it.
fn site() -> (TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("site");
    for (name, content) in [
        ("index.html", b"<h1>home</h1>".as_slice()),
        ("lessons/index.html", b"lessons"),
        ("a b.json", b"{}"),
        ("pkg/page_bg.wasm", b"\0asm"),
        ("model.safetensors", WEIGHTS),
        ("empty.txt", b""),
        (".hidden", b"secret"),
        ("../secret.txt", b"secret"),
    ] {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let server = server::serve(&root, SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    (folder, server)
}

struct Reply {
    status: u16,
    headers: HashMap<String, String>,
    body: Vec<u8>,
}

/// A connection that stays open between requests.
struct Client(BufReader<TcpStream>);

impl Client {
    fn new(server: &Server) -> Self {
        Self(BufReader::new(TcpStream::connect(server.address()).unwrap()))
    }

    fn ask(&mut self, method: &str, target: &str, headers: &[(&str, &str)]) -> Reply {
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!("{method} {target} HTTP/1.1\r\nHost: x\r\n{headers}\r\n");
        self.0.get_mut().write_all(head.as_bytes()).unwrap();
        self.reply(method)
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn reply(&mut self, method: &str) -> Reply {
        let status = self.line().split(' ').nth(1).unwrap().parse().unwrap();
        let mut headers = HashMap::new();
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(": ") else {
                break;
            };
            headers.insert(name.to_ascii_lowercase(), value.to_owned());
        }
        let length = headers.get("content-length").map_or(0, |value| value.parse().unwrap());
        let mut body = vec![0; if method == "HEAD" { 0 } else { length }];
        self.0.read_exact(&mut body).unwrap();
        Reply { status, headers, body }
    }
}

fn get(server: &Server, target: &str, headers: &[(&str, &str)]) -> Reply {
    Client::new(server).ask("GET", target, headers)
}

#[test]
fn only_what_is_not_the_site_goes_without_its_policy() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("other.html"), "").unwrap();
    let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
    let sites = [server::serve(folder.path(), any_port), server::serve_without_policy(folder.path(), any_port)];
    let policies = sites.map(|server| {
        let reply = Client::new(&server.unwrap()).ask("GET", "/other.html", &[]);
        (reply.headers.contains_key("content-security-policy"), reply.headers["cross-origin-opener-policy"].clone())
    });
    assert_eq!(policies, [(true, "same-origin".to_owned()), (false, "same-origin".to_owned())]);
}

#[test]
fn a_file_comes_with_its_type_and_the_headers_that_isolate_the_page() {
    let (_folder, server) = site();
    let reply = get(&server, "/?model=tales&seed=1", &[]);
    assert_eq!((reply.status, reply.body.as_slice()), (200, b"<h1>home</h1>".as_slice()));
    for (name, part) in [
        ("content-type", "text/html; charset=utf-8"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-embedder-policy", "require-corp"),
        ("cross-origin-resource-policy", "same-origin"),
        ("content-security-policy", "script-src 'self' 'wasm-unsafe-eval'"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "no-cache"),
    ] {
        assert!(reply.headers[name].contains(part), "{name}: {}", reply.headers[name]);
    }
    assert_eq!(get(&server, "/pkg/page_bg.wasm", &[]).headers["content-type"], "application/wasm");
    assert_eq!(get(&server, "/a%20b.json", &[]).headers["content-type"], "application/json");
}

#[test]
fn a_range_is_sent_and_what_is_past_the_end_is_refused() {
    let (_folder, server) = site();
    for (range, body, content_range) in [
        ("bytes=2-4", &WEIGHTS[2..5], "bytes 2-4/10"),
        ("bytes=7-", &WEIGHTS[7..], "bytes 7-9/10"),
        ("bytes=-2", &WEIGHTS[8..], "bytes 8-9/10"),
        ("bytes=0-99", WEIGHTS, "bytes 0-9/10"),
    ] {
        let reply = get(&server, "/model.safetensors", &[("Range", range)]);
        assert_eq!((reply.status, reply.body.as_slice()), (206, body), "{range}");
        assert_eq!(reply.headers["content-range"], content_range);
    }
    let reply = get(&server, "/model.safetensors", &[("Range", "bytes=10-")]);
    assert_eq!((reply.status, reply.headers["content-range"].as_str()), (416, "bytes */10"));
    let reply = get(&server, "/empty.txt", &[]);
    assert_eq!((reply.status, reply.headers["content-length"].as_str()), (200, "0"));
}

#[test]
fn a_download_goes_on_only_while_the_file_is_the_same() {
    let (folder, server) = site();
    let tag = get(&server, "/model.safetensors", &[]).headers["etag"].clone();
    let resume = |tag: &str| get(&server, "/model.safetensors", &[("Range", "bytes=5-"), ("If-Range", tag)]);
    assert_eq!((resume(&tag).status, resume(&tag).body.as_slice()), (206, &WEIGHTS[5..]));
    fs::write(folder.path().join("site/model.safetensors"), b"another model").unwrap();
    let reply = resume(&tag);
    assert_eq!((reply.status, reply.body.as_slice()), (200, b"another model".as_slice()));
    assert_ne!(reply.headers["etag"], tag);
}

#[test]
fn what_a_browser_holds_already_is_not_sent_again() {
    let (_folder, server) = site();
    let mut client = Client::new(&server);
    let tag = client.ask("GET", "/model.safetensors", &[]).headers["etag"].clone();
    let reply = client.ask("GET", "/model.safetensors", &[("If-None-Match", &tag)]);
    assert_eq!((reply.status, reply.body.len()), (304, 0));
    assert_eq!(reply.headers["etag"], tag);
    // The connection is still in step: 304 has no body that a client would wait for.
    assert_eq!(client.ask("GET", "/model.safetensors", &[]).body, WEIGHTS);
}

#[test]
fn head_has_the_length_and_no_body() {
    let (_folder, server) = site();
    let mut client = Client::new(&server);
    let reply = client.ask("HEAD", "/model.safetensors", &[]);
    assert_eq!((reply.status, reply.headers["content-length"].as_str()), (200, "10"));
    assert_eq!(client.ask("HEAD", "/nothing", &[]).status, 404);
    assert_eq!(client.ask("GET", "/model.safetensors", &[]).body, WEIGHTS);
}

#[test]
fn nothing_outside_the_folder_is_served() {
    let (folder, server) = site();
    let secret = folder.path().join("secret.txt");
    std::os::unix::fs::symlink(&secret, folder.path().join("site/link.txt")).unwrap();
    let absolute = format!("/{}", secret.display());
    let encoded = format!("/{}", secret.display().to_string().replace('/', "%2f"));
    for target in [
        "/../secret.txt",
        "/lessons/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/%2e%2e%2fsecret.txt",
        "/..%5csecret.txt",
        "/link.txt",
        "/.hidden",
        absolute.as_str(),
        encoded.as_str(),
    ] {
        let reply = get(&server, target, &[]);
        assert_eq!(reply.status, 404, "{target}");
        assert!(!reply.body.windows(6).any(|bytes| bytes == b"secret"), "{target}");
    }
}

#[test]
fn a_folder_needs_its_slash_and_other_methods_are_refused() {
    let (_folder, server) = site();
    let reply = get(&server, "/lessons?step=2", &[]);
    assert_eq!((reply.status, reply.headers["location"].as_str()), (308, "/lessons/?step=2"));
    assert_eq!(get(&server, "/lessons/", &[]).body, b"lessons");
    assert_eq!(get(&server, "/index.html/", &[]).status, 404);
    let reply = Client::new(&server).ask("POST", "/", &[("Content-Length", "4")]);
    assert_eq!((reply.status, reply.headers["connection"].as_str()), (405, "close"));
}

#[test]
fn what_is_not_http_is_answered_and_the_server_lives_on() {
    let (_folder, server) = site();
    let mut client = Client::new(&server);
    client.0.get_mut().write_all(b"\x16\x03\x01 not http\r\n\r\n").unwrap();
    assert_eq!(client.reply("GET").status, 400);
    assert_eq!(get(&server, "/", &[]).status, 200);
}

#[test]
fn an_address_that_is_too_long_is_answered_and_not_reset() {
    let (_folder, server) = site();
    let reply = get(&server, &format!("/?prompt={}", "a".repeat(300_000)), &[]);
    assert_eq!(reply.status, 431);
    assert!(reply.body.starts_with(b"the address is too long"), "{:?}", reply.body);
}

#[test]
fn a_stopped_server_gives_its_port_back() {
    let (_folder, server) = site();
    let address = server.address();
    drop(server);
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn the_root_must_be_a_folder() {
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    assert!(server::serve(Path::new("/no/such/folder"), address).is_err());
}
