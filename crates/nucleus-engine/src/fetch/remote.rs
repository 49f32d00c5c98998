//! A large file on a server: read from its first byte to its last, over as many connections as it takes.

use js_sys::Uint8Array;
use nucleus_session::Failure;
use web_sys::{ReadableStreamDefaultReader, RequestCache, Response};

use super::answer::{ContentRange, Validator, announced};
use super::ask::{Ask, is_elsewhere};
use super::reader::{self, Next};
use crate::clock;
use crate::halt::Halt;
use crate::load::Progress;

/// Bytes of the first answer: a header of a GPT-2 has some 20 kB.
pub(crate) const FIRST: u64 = 64 << 10;

/// Bytes that the browser's own cache may hold.
const SMALL: u64 = 32 << 20;

/// How long to wait before each new attempt after the connection broke without a byte, milliseconds.
const PAUSES: [i32; 5] = [500, 1000, 2000, 4000, 8000];

/// A connection that has brought nothing for this long is given up, milliseconds.
pub(crate) const SILENCE: i32 = 30_000;

/// A file on a server.
#[derive(Debug)]
pub(crate) struct Remote {
    address: String,
    validator: Validator,
    /// Bytes in all, once that is known.
    total: Option<u64>,
    /// Whether it was the server that said so.
    announced: bool,
    connection: Option<Connection>,
}

#[derive(Debug)]
struct Connection {
    reader: Option<ReadableStreamDefaultReader>,
    /// Bytes that came and are not read yet.
    rest: Option<Uint8Array>,
    /// Where in the file the next byte lies.
    at: u64,
    /// Where the server was asked to stop.
    end: Option<u64>,
}

/// Why a connection gave no bytes.
enum Trouble {
    /// Another attempt may help.
    Broken,
    /// It would not.
    Halt(Halt),
}

impl From<Halt> for Trouble {
    fn from(halt: Halt) -> Self {
        Self::Halt(halt)
    }
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Halt(failure.into())
    }
}

impl Remote {
    /// A file of which nothing is known.
    pub(crate) fn new(address: String) -> Self {
        Self { address, validator: Validator::default(), total: None, announced: false, connection: None }
    }

    /// A file of which a part has come in an earlier visit.
    pub(crate) fn known(address: String, validator: Validator, total: u64) -> Self {
        Self { address, validator, total: Some(total), announced: true, connection: None }
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Bytes in all, where the server has said so.
    pub(crate) fn total(&self) -> Option<u64> {
        self.total
    }

    pub(crate) fn validator(&self) -> &Validator {
        &self.validator
    }

    /// The length that the file's header tells, for servers that do not.
    pub(crate) fn set_total(&mut self, total: u64) {
        self.total = Some(total);
    }

    /// Appends bytes `at..until` of the file to `into`; less where the file ends before. A connection that stands at `at`
    /// is read on; otherwise a new one is made, which asks for `goal` and no more.
    ///
    /// # Errors
    /// [`Halt::Changed`] when the file is no longer the one that was begun. [`Failure::ConnectionLost`] when the
    /// connection broke again and again; [`Failure::Fetch`] and [`Failure::CrossOrigin`] when there is none.
    pub(crate) async fn read(
        &mut self,
        mut at: u64,
        until: u64,
        goal: u64,
        into: &mut Vec<u8>,
        progress: &mut Progress<'_>,
    ) -> Result<(), Halt> {
        let mut attempts = 0;
        while at < self.total.unwrap_or(u64::MAX).min(until) {
            match self.some(at, until, goal, into, progress).await {
                Ok(0) => break,
                Ok(came) => {
                    at += came;
                    attempts = 0;
                    progress.came(came);
                }
                Err(Trouble::Halt(halt)) => {
                    self.hang_up();
                    return Err(halt);
                }
                Err(Trouble::Broken) => {
                    self.hang_up();
                    self.pause(&mut attempts, at, progress).await?;
                }
            }
        }
        Ok(())
    }

    /// The first bytes of the file, [`FIRST`] of them where there are so many.
    pub(crate) async fn first(&mut self, into: &mut Vec<u8>, progress: &mut Progress<'_>) -> Result<(), Halt> {
        self.read(0, FIRST, FIRST, into, progress).await
    }

    /// Lets the connection go.
    pub(crate) fn hang_up(&mut self) {
        if let Some(reader) = self.connection.take().and_then(|connection| connection.reader) {
            reader::cancel(&reader);
        }
    }

    async fn pause(&self, attempts: &mut u32, at: u64, progress: &mut Progress<'_>) -> Result<(), Halt> {
        let Some(&pause) = PAUSES.get(*attempts as usize) else {
            return Err(Failure::ConnectionLost {
                address: self.address.clone(),
                received: at,
                expected: self.total.unwrap_or(0),
                attempts: *attempts,
                kept: progress.keeps,
            }
            .into());
        };
        *attempts += 1;
        progress.reconnecting(*attempts);
        progress.inbox.unless_ended(clock::sleep(pause)).await
    }

    /// Appends what comes next of `at..until`, at least a byte; 0 at the end of a file whose length is not known.
    async fn some(
        &mut self,
        at: u64,
        until: u64,
        goal: u64,
        into: &mut Vec<u8>,
        progress: &Progress<'_>,
    ) -> Result<u64, Trouble> {
        loop {
            if self.connection.as_ref().is_none_or(|open| open.at > at || open.end.is_some_and(|end| end <= at)) {
                self.hang_up();
                self.connect(at, goal, progress).await?;
            }
            let Some(open) = &mut self.connection else { return Ok(0) };
            let Some(part) = open.next(progress).await? else {
                self.connection = None;
                // Where the server told no length, the end of the connection is that of the file.
                return if self.announced { Err(Trouble::Broken) } else { Ok(0) };
            };
            let (start, length) = (open.at, u64::from(part.length()));
            // A server that sends all from the start, although a part was asked for.
            let skipped = at.saturating_sub(start).min(length);
            let taken = (until - at).min(length - skipped);
            open.at += skipped + taken;
            if skipped + taken < length {
                open.rest = Some(part.subarray((skipped + taken) as u32, part.length()));
            }
            if taken > 0 {
                append(into, &part.subarray(skipped as u32, (skipped + taken) as u32));
                return Ok(taken);
            }
        }
    }

    async fn connect(&mut self, at: u64, goal: u64, progress: &Progress<'_>) -> Result<(), Trouble> {
        let end = (Some(goal) != self.total).then_some(goal);
        // Another host would be asked for its permission to send this header, and might not know it. What it answers is
        // compared all the same.
        let if_range = self.validator.if_range().filter(|_| at > 0 && !is_elsewhere(&self.address));
        // Beyond that size this crate keeps what is worth it: the browser's cache must not hold it a second time.
        let cache = if goal > SMALL { RequestCache::NoStore } else { RequestCache::Default };
        let ask = Ask { range: Some((at, end)), if_range, cache, ..Ask::whole(&self.address) };
        let response = match progress.patient(ask.send(), SILENCE).await? {
            Some(Ok(response)) => response,
            // Once it has answered, no answer is a connection that broke.
            _ if at > 0 || self.total.is_some() => return Err(Trouble::Broken),
            Some(Err(failure)) => return Err(failure.into()),
            None => return Err(Failure::Fetch { address: self.address.clone(), status: None }.into()),
        };
        self.connection = self.accept(&response, at, end)?;
        Ok(())
    }

    /// Looks at the head of an answer: which bytes of which file are they?
    fn accept(&mut self, response: &Response, at: u64, end: Option<u64>) -> Result<Option<Connection>, Trouble> {
        let range = ContentRange::of(response);
        let (start, end, total) = match response.status() {
            // Another host's range may be hidden: then it is the one that was asked for.
            206 => (range.and_then(|range| range.start).unwrap_or(at), end, range.and_then(|range| range.total)),
            200 => (0, None, announced(response)),
            416 if range.is_some_and(|range| range.total == Some(0)) => (0, Some(0), Some(0)),
            416 => return Err(Halt::Changed.into()),
            429 | 500.. if self.total.is_some() => return Err(Trouble::Broken),
            status => return Err(Failure::Fetch { address: self.address.clone(), status: Some(status) }.into()),
        };
        let found = Validator::of(response);
        let other_length = matches!((self.total, total), (Some(known), Some(found)) if known != found);
        if self.validator.contradicts(&found) || other_length {
            return Err(Halt::Changed.into());
        }
        if start > at {
            return Err(Trouble::Broken);
        }
        self.total = self.total.or(total);
        self.announced |= total.is_some();
        if self.validator == Validator::default() {
            self.validator = found;
        }
        let reader = reader::of(response).filter(|_| total != Some(0));
        Ok(Some(Connection { reader, rest: None, at: start, end }))
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        self.hang_up();
    }
}

impl Connection {
    /// The next bytes; `None` at the end.
    async fn next(&mut self, progress: &Progress<'_>) -> Result<Option<Uint8Array>, Trouble> {
        if let Some(rest) = self.rest.take() {
            return Ok(Some(rest));
        }
        let Some(reader) = &self.reader else { return Ok(None) };
        match progress.patient(reader::next(reader), SILENCE).await? {
            Some(Next::Part(part)) => Ok(Some(part)),
            Some(Next::End) => Ok(None),
            Some(Next::Broken) | None => Err(Trouble::Broken),
        }
    }
}

fn append(file: &mut Vec<u8>, part: &Uint8Array) {
    let start = file.len();
    file.resize(start + part.length() as usize, 0);
    part.copy_to(&mut file[start..]);
}
