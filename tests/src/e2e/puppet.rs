//! A worker that plays a part: to a request it answers with reports that were written down before.
//!
//! It shows what the page does with an engine that loads for minutes, loses its device or is full, at once and every time.

use std::fmt::Write;

use anyhow::{Context, Result};
use nucleus_session::{Report, Request};

/// What the worker answers to what.
#[derive(Default)]
pub struct Puppet {
    parts: Vec<Part>,
}

struct Part {
    /// The request's bytes, or only the first of them, which says of what kind it is.
    request: Vec<u8>,
    /// The names of the files that must come beside it.
    files: Vec<String>,
    reports: Vec<Vec<u8>>,
}

impl Puppet {
    /// A worker that never answers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers to requests of the kind of this one, whatever is in them.
    ///
    /// # Errors
    /// When a message cannot be written.
    pub fn to_kind(self, request: &Request, reports: &[Report]) -> Result<Self> {
        let kind = *request.encode()?.first().context("a request without bytes")?;
        self.part(vec![kind], &[], reports)
    }

    /// Answers to this request; of several parts that fit the first counts.
    ///
    /// # Errors
    /// When a message cannot be written.
    pub fn to(self, request: &Request, reports: &[Report]) -> Result<Self> {
        let bytes = request.encode()?;
        self.part(bytes, &[], reports)
    }

    /// Answers to requests of the kind of this one beside which files with these names come, in this order.
    ///
    /// # Errors
    /// When a message cannot be written.
    pub fn to_files(self, request: &Request, files: &[&str], reports: &[Report]) -> Result<Self> {
        let kind = *request.encode()?.first().context("a request without bytes")?;
        self.part(vec![kind], files, reports)
    }

    fn part(mut self, request: Vec<u8>, files: &[&str], reports: &[Report]) -> Result<Self> {
        let files = files.iter().map(|&name| name.to_owned()).collect();
        let reports = reports.iter().map(Report::encode).collect::<Result<_, _>>()?;
        self.parts.push(Part { request, files, reports });
        Ok(self)
    }

    /// The worker's script.
    ///
    /// # Errors
    /// None that could happen.
    pub fn script(&self) -> Result<Vec<u8>> {
        let mut script = String::from("const parts = [\n");
        for Part { request, files, reports } in &self.parts {
            writeln!(script, "{{ request: {request:?}, files: {files:?}, reports: {reports:?} }},")?;
        }
        script.push_str(PLAY);
        Ok(script.into_bytes())
    }
}

const PLAY: &str = "];
onmessage = ({ data }) => {
    const [bytes, files] = data instanceof Uint8Array ? [data, []] : data;
    const same = (a, b) => a.length === b.length && a.every((value, place) => value === b[place]);
    const fits = part => (part.request.length === 1 ? part.request[0] === bytes[0] : same(part.request, [...bytes]))
        && same(part.files, files.map(file => file instanceof File ? file.name : typeof file));
    for (const report of parts.find(fits)?.reports ?? []) postMessage([Uint8Array.from(report)]);
};
";
