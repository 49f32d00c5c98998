//! The program that drives the browser.

use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, Result};

/// A running chromedriver; dropping it ends it.
pub struct Driver {
    process: Child,
    address: String,
    /// Kept open, or chromedriver could not write to it any more.
    _output: BufReader<ChildStdout>,
}

impl Driver {
    /// Starts the driver named by `CHROMEDRIVER`, or the one on the path, on a free port.
    ///
    /// # Errors
    /// When there is none, or it does not start.
    pub fn start() -> Result<Self> {
        let program = env::var_os("CHROMEDRIVER").unwrap_or_else(|| "chromedriver".into());
        let mut process = Command::new(&program)
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| {
                format!("cannot start {}: install chromium-driver, or name it in CHROMEDRIVER", program.display())
            })?;
        let mut output = BufReader::new(process.stdout.take().context("chromedriver has no output")?);
        let port = port(&mut output)?;
        Ok(Self { process, address: format!("http://127.0.0.1:{port}"), _output: output })
    }

    /// The number of its process.
    pub fn process(&self) -> u32 {
        self.process.id()
    }

    /// Where it listens.
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // An error means that it has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// It chooses the port itself and says so: "ChromeDriver was started successfully on port 45123."
fn port(output: &mut impl BufRead) -> Result<u16> {
    for line in output.lines() {
        let line = line?;
        if let Some((_, port)) = line.split_once("successfully on port ") {
            return port.trim_end_matches('.').parse().with_context(|| format!("chromedriver said: {line}"));
        }
    }
    anyhow::bail!("chromedriver ended before it was ready")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_is_read_from_what_the_driver_says() {
        let said = "Starting ChromeDriver 156.0.8078.108 on port 0\nOnly local connections are allowed.\n\
                    ChromeDriver was started successfully on port 45123.\n";
        assert_eq!(port(&mut said.as_bytes()).unwrap(), 45123);
    }

    #[test]
    fn a_driver_that_ends_early_is_an_error() {
        assert!(port(&mut "Unable to start\n".as_bytes()).is_err());
    }
}
