//! `cargo xtask serve`: build the site, then serve it on this machine.

use crate::server;
use crate::site;
use crate::workspace::Workspace;
use anyhow::{Error, Result, anyhow};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};

/// Builds and serves until the reader stops it.
///
/// # Errors
///
/// When the build fails, or the port is taken.
pub fn run(workspace: &Workspace, port: u16) -> Result<()> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    // Tried and given back at once: a port that is taken should be known before a long build.
    TcpListener::bind(address).map_err(|error| explain(error, port))?;
    let site = site::build(workspace)?;
    let server = server::serve(&site.root, address).map_err(|error| explain(error, port))?;
    println!("Nucleus is at {} (Ctrl-C stops it)", server.url());
    server.wait();
    Ok(())
}

/// What the reader can do about a failed start.
fn explain(error: io::Error, port: u16) -> Error {
    let next = port.checked_add(1).unwrap_or(8080);
    match error.kind() {
        io::ErrorKind::AddrInUse => anyhow!(
            "port {port} is taken by another program; choose another, such as `cargo xtask serve --port {next}`, or \
             any free one with `--port 0`"
        ),
        io::ErrorKind::PermissionDenied => {
            anyhow!("the system does not allow port {port}; choose one above 1023 with `--port`")
        }
        _ => Error::new(error).context(format!("cannot serve on port {port}")),
    }
}

#[cfg(test)]
mod tests {
    use super::explain;
    use crate::server;

    #[test]
    fn a_taken_port_is_named_with_the_way_out() {
        let folder = tempfile::tempdir().unwrap();
        let first = server::serve(folder.path(), ([127, 0, 0, 1], 0).into()).unwrap();
        let error = server::serve(folder.path(), first.address()).unwrap_err();
        let text = explain(error, first.address().port()).to_string();
        assert!(text.contains(&first.address().port().to_string()) && text.contains("--port"), "{text}");
    }
}
