use serde::{Deserialize, Serialize};

use crate::{StopMatch, StopMatcher, StopStrings, Utf8Stream};

/// The text of a run out of the bytes of its tokens: as [`Utf8Stream`], and cut before the first stop string.
///
/// Text comes out as soon as it is certain; what may be the start of a stop string, or of a character, is held back.
///
/// ```
/// use nucleus_decode::{Held, StopStream, StopStrings};
///
/// let strings = StopStrings::new(vec!["\n\n".into(), "END".into()])?;
/// let mut text = StopStream::new(&strings);
/// let shown = text.push(b" One.\n");
/// assert_eq!(shown.text, " One.");
/// assert_eq!(shown.held, Some(Held::StopString { index: 0, matched: 1 }));
///
/// assert_eq!(text.push(b" Two").text, "\n Two"); // it was not one
/// let shown = text.push(b".\n\n\nThree");
/// assert_eq!(shown.text, ".");
/// assert_eq!(shown.stop.map(|stop| (stop.index, stop.start, stop.end)), Some((0, 11, 13)));
/// # Ok::<(), nucleus_decode::StopStringError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopStream {
    matcher: StopMatcher,
    text: Utf8Stream,
    /// What may be the start of a stop string.
    held: Vec<u8>,
    /// Bytes that have gone on to `text`.
    released: usize,
}

/// What a piece of bytes brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The text that has become certain. A cut character that nothing can complete any more is in it as bytes.
    pub text: String,
    /// What is held back after it, and why; `None` if nothing is.
    pub held: Option<Held>,
    /// The stop string that ends the text. From now on no text comes.
    pub stop: Option<StopMatch>,
}

/// What is held back at the end of the text, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Held {
    /// It may be the start of a stop string.
    StopString {
        /// Which: the first of those that start so.
        index: u8,
        /// How many bytes of it are there: 1 or more, but not all.
        matched: usize,
    },
    /// It is the start of a character.
    Character {
        /// How many bytes of it are there: 1 to 3.
        bytes: usize,
    },
}

impl Held {
    /// How many bytes are held back.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::StopString { matched, .. } => matched,
            Self::Character { bytes } => bytes,
        }
    }
}

impl StopStream {
    /// A stream with nothing held back.
    #[must_use]
    pub fn new(strings: &StopStrings) -> Self {
        Self { matcher: StopMatcher::new(strings), text: Utf8Stream::new(), held: Vec::new(), released: 0 }
    }

    /// Takes more bytes, and gives the text that has become certain. After a stop string nothing is taken any more.
    pub fn push(&mut self, bytes: &[u8]) -> Shown {
        let before = self.matcher.scan();
        let after = self.matcher.push(bytes);
        if before.stop.is_none() {
            self.held.extend_from_slice(bytes);
        }
        let rest = self.held.split_off(after.certain - self.released);
        let mut text = self.text.push(&self.held);
        self.released = after.certain;
        self.held = if after.stop.is_none() { rest } else { Vec::new() };
        // A stop string starts with a character of its own, so it completes none.
        if after.stop.is_some() || !self.held.is_empty() {
            text.push_str(&core::mem::take(&mut self.text).finish());
        }
        Shown { text, held: self.held_back(), stop: after.stop }
    }

    /// What is held back, and why. Never both reasons at once: a byte that may start a stop string completes no character.
    #[must_use]
    pub fn held_back(&self) -> Option<Held> {
        let bytes = self.text.pending().len();
        self.matcher.held().or((bytes > 0).then_some(Held::Character { bytes }))
    }

    /// The bytes that are held back.
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        if self.held.is_empty() { self.text.pending() } else { &self.held }
    }

    /// Ends the text: what was held back was no stop string, and a cut character is shown as bytes. Empty if nothing was
    /// held back.
    #[must_use]
    pub fn finish(mut self) -> String {
        let text = self.text.push(&self.held);
        text + &self.text.finish()
    }
}
