use serde::{Deserialize, Serialize};

use crate::{Held, StopStrings};

/// Looks for stop strings in bytes that come in pieces.
///
/// Each string has an automaton of its own (D. E. Knuth, J. H. Morris, V. R. Pratt, "Fast Pattern Matching in Strings",
/// 1977): its state is how many of the string's bytes the text ends with, so no byte is looked at twice, and `ababc` is
/// found in `abababc`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopMatcher {
    automata: Vec<Automaton>,
    /// Bytes taken: up to and including the last of the occurrence, once there is one.
    taken: usize,
    stop: Option<StopMatch>,
}

/// Where a stop string stands: bytes `start..end` of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopMatch {
    /// Which of the stop strings.
    pub index: u8,
    /// Its first byte: the text of the run ends before it.
    pub start: usize,
    /// The first byte after it.
    pub end: usize,
}

/// What is known of the bytes so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scan {
    /// The first so many bytes belong to the text, whatever comes.
    pub certain: usize,
    /// The occurrence that ends the run, if there is one.
    pub stop: Option<StopMatch>,
}

impl StopMatcher {
    /// Before the first byte.
    #[must_use]
    pub fn new(strings: &StopStrings) -> Self {
        let automata = strings.texts().iter().map(|text| Automaton::new(text)).collect();
        Self { automata, taken: 0, stop: None }
    }

    /// Takes more bytes. After an occurrence nothing is taken any more, and the answer stays the same.
    pub fn push(&mut self, bytes: &[u8]) -> Scan {
        for &byte in bytes {
            if self.stop.is_some() {
                break;
            }
            self.taken += 1;
            for automaton in &mut self.automata {
                automaton.read(byte);
            }
            self.stop = self.complete();
        }
        self.scan()
    }

    /// What is known after the bytes so far.
    #[must_use]
    pub fn scan(&self) -> Scan {
        let certain = match self.stop {
            Some(stop) => stop.start,
            None => self.taken - self.held().map_or(0, |held| held.bytes()),
        };
        Scan { certain, stop: self.stop }
    }

    /// What may be the start of a stop string, the longest such end of the text: [`Held::StopString`] with the first
    /// string that starts so. `None` if nothing may be, and after an occurrence.
    #[must_use]
    pub fn held(&self) -> Option<Held> {
        let (index, matched) = self.longest(|automaton| automaton.matched)?;
        (self.stop.is_none() && matched > 0).then_some(Held::StopString { index, matched })
    }

    /// The longest string that the last byte completed.
    fn complete(&self) -> Option<StopMatch> {
        let (index, len) = self.longest(|automaton| if automaton.is_complete() { automaton.matched } else { 0 })?;
        (len > 0).then(|| StopMatch { index, start: self.taken - len, end: self.taken })
    }

    /// The string of which `length` is largest, the first of equals; `None` if there are no strings.
    fn longest(&self, length: impl Fn(&Automaton) -> usize) -> Option<(u8, usize)> {
        let lengths = (0..).zip(self.automata.iter().map(length));
        lengths.reduce(|best, next| if next.1 > best.1 { next } else { best })
    }
}

/// One stop string, and how much of it the text ends with.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Automaton {
    string: Vec<u8>,
    /// Entry `i` is the longest border of the first `i + 1` bytes: how many of them are, fewer than all, their start and
    /// their end at once.
    borders: Vec<usize>,
    /// How many of the string's bytes the text ends with: never all of them when a byte is read.
    matched: usize,
}

impl Automaton {
    /// The borders are found by the automaton itself: it reads the string from its second byte on.
    fn new(text: &str) -> Self {
        let string = text.as_bytes().to_vec();
        let mut automaton = Self { borders: vec![0; string.len()], string, matched: 0 };
        for at in 1..automaton.string.len() {
            automaton.read(automaton.string[at]);
            automaton.borders[at] = automaton.matched;
        }
        Self { matched: 0, ..automaton }
    }

    fn read(&mut self, byte: u8) {
        while self.matched > 0 && self.string[self.matched] != byte {
            self.matched = self.borders[self.matched - 1];
        }
        if self.string[self.matched] == byte {
            self.matched += 1;
        }
    }

    fn is_complete(&self) -> bool {
        self.matched == self.string.len()
    }
}
