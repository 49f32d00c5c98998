//! The text of a run, cut into the pieces that its tokens brought.

use std::collections::VecDeque;

use nucleus_decode::{Held, StopMatcher, StopStrings, Utf8Stream};
use nucleus_sampler::TokenId;

/// What one generated token brought to the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPiece {
    /// Which generated token, from 0.
    pub step: usize,
    /// The characters that this token completed, or began and completed. Bytes that are no UTF-8,
    /// and those of a character that nothing completes, are shown as bytes, such as `⟨F0 9F⟩`. Nothing of a stop string.
    pub text: String,
    /// How the token ends.
    pub end: PieceEnd,
}

/// How a token ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceEnd {
    /// With a whole character.
    Whole,
    /// Within a character, which a later token completes.
    Partial,
    /// With what may be of a stop string: it is shown here once it is none.
    Held,
    /// Behind the start of the stop string that ends the text: what is before that start is shown, and where the token
    /// has nothing before it, nothing is.
    Stopped,
    /// Within a character that no later token completes: the cut bytes are in the text.
    Cut,
    /// It is the end-of-text token, which stands for no characters.
    EndOfText,
}

/// Puts a run's text together while its tokens come in.
///
/// What is held back is shown, or cut, at the token that brought it. The text is that of a
/// [`StopStream`](nucleus_decode::StopStream).
#[derive(Clone, Debug)]
pub(crate) struct TextAssembly {
    pieces: Vec<TextPiece>,
    matcher: StopMatcher,
    characters: Utf8Stream,
    /// Bytes that have gone on to `characters`.
    released: usize,
    /// The bytes after them: what may be the start of a stop string.
    held: Vec<u8>,
    /// Where the last tokens end, those of which something is held back: counted in bytes from the start of the text.
    ends: VecDeque<usize>,
    /// The token that brought the last byte that was released.
    last: usize,
}

impl TextAssembly {
    /// A text that is cut before the first of `stop`.
    pub(crate) fn new(stop: &StopStrings) -> Self {
        Self {
            pieces: Vec::new(),
            matcher: StopMatcher::new(stop),
            characters: Utf8Stream::new(),
            released: 0,
            held: Vec::new(),
            ends: VecDeque::new(),
            last: 0,
        }
    }

    /// Takes the next token. History is ids: nothing of this text ever goes back to a model.
    pub(crate) fn push(&mut self, token: TokenId, bytes: &[u8], end_of_text: Option<TokenId>) {
        if end_of_text == Some(token) {
            self.finish();
            self.add(PieceEnd::EndOfText);
            return;
        }
        self.add(PieceEnd::Stopped);
        if self.matcher.scan().stop.is_some() {
            return;
        }
        self.held.extend_from_slice(bytes);
        self.ends.push_back(self.released + self.held.len());
        let scan = self.matcher.push(bytes);
        self.release(scan.certain);
        // A stop string starts with a character of its own, so it completes none.
        if !self.ends.is_empty() {
            self.cut_character();
        }
        let end = if scan.stop.is_some() { PieceEnd::Stopped } else { PieceEnd::Held };
        for piece in self.pieces.iter_mut().rev().take(self.ends.len()) {
            piece.end = end;
        }
        if scan.stop.is_some() {
            self.held.clear();
            self.ends.clear();
        }
    }

    fn add(&mut self, end: PieceEnd) {
        self.pieces.push(TextPiece { step: self.pieces.len(), text: String::new(), end });
    }

    /// Shows what was held back and is no stop string, and what is left of a character that nothing completes any more.
    pub(crate) fn finish(&mut self) {
        self.release(self.released + self.held.len());
        self.cut_character();
        let pieces = core::mem::take(&mut self.pieces);
        *self = Self { pieces, ..Self::new(&StopStrings::default()) };
    }

    /// Shows the first `certain` bytes of the text, each at its own token.
    fn release(&mut self, certain: usize) {
        while let Some(&end) = self.ends.front() {
            let at = self.pieces.len() - self.ends.len();
            let upto = end.min(certain);
            if upto > self.released {
                let bytes: Vec<u8> = self.held.drain(..upto - self.released).collect();
                self.pieces[at].text.push_str(&self.characters.push(&bytes));
                self.released = upto;
                self.last = at;
            }
            if upto < end {
                break;
            }
            let whole = self.characters.pending().is_empty();
            self.pieces[at].end = if whole { PieceEnd::Whole } else { PieceEnd::Partial };
            self.ends.pop_front();
        }
    }

    /// Shows the start of a character that nothing completes as bytes.
    fn cut_character(&mut self) {
        let bytes = core::mem::take(&mut self.characters).finish();
        if let Some(piece) = self.pieces.get_mut(self.last)
            && !bytes.is_empty()
        {
            piece.text.push_str(&bytes);
            piece.end = PieceEnd::Cut;
        }
    }

    /// The pieces so far, one for each token.
    pub(crate) fn pieces(&self) -> &[TextPiece] {
        &self.pieces
    }

    /// What is held back at the end of the text, and why.
    pub(crate) fn held(&self) -> Option<(Held, &[u8])> {
        let pending = self.characters.pending();
        let stop_string = self.matcher.held().map(|held| (held, self.held.as_slice()));
        stop_string.or((!pending.is_empty()).then_some((Held::Character { bytes: pending.len() }, pending)))
    }
}

#[cfg(test)]
mod tests {
    use PieceEnd::{Cut, Held as Waits, Partial, Stopped, Whole};
    use nucleus_decode::StopStream;
    use proptest::prelude::*;

    use super::*;

    fn assemble(tokens: &[&[u8]], stop: &[&str]) -> TextAssembly {
        let strings = StopStrings::new(stop.iter().map(|&text| text.into()).collect()).unwrap();
        let mut text = TextAssembly::new(&strings);
        for token in tokens {
            text.push(TokenId(1), token, Some(TokenId(0)));
        }
        text
    }

    fn shown(text: &TextAssembly) -> Vec<(&str, PieceEnd)> {
        text.pieces().iter().map(|piece| (piece.text.as_str(), piece.end)).collect()
    }

    #[test]
    fn every_token_of_a_stop_string_is_cut_and_the_one_it_begins_in_shows_what_is_before() {
        let mut text = assemble(&[b"one", b" two.EN", b"", b"D", b" too"], &["END"]);
        let cut = [("one", Whole), (" two.", Stopped), ("", Stopped), ("", Stopped), ("", Stopped)];
        assert_eq!((shown(&text), text.held()), (cut.to_vec(), None));
        text.finish();
        assert_eq!(shown(&text), cut, "the end of the run changes nothing");
    }

    #[test]
    fn what_turns_out_to_be_text_is_shown_at_the_token_that_brought_it() {
        let mut tokens: Vec<&[u8]> = vec![b"one E", b"N"];
        assert_eq!(shown(&assemble(&tokens, &["END"])), [("one ", Waits), ("", Waits)]);
        tokens.push(b"TER E");
        let mut text = assemble(&tokens, &["END"]);
        assert_eq!(shown(&text), [("one E", Whole), ("N", Whole), ("TER ", Waits)]);
        text.finish();
        assert_eq!(shown(&text), [("one E", Whole), ("N", Whole), ("TER E", Whole)]);
    }

    #[test]
    fn of_a_longer_start_that_fails_a_shorter_one_may_stay() {
        let text = assemble(&[b"ab", b"ab", b"ab"], &["ababc"]);
        assert_eq!(shown(&text), [("ab", Whole), ("", Waits), ("", Waits)]);
        assert_eq!(text.held(), Some((Held::StopString { index: 0, matched: 4 }, &b"abab"[..])));
    }

    #[test]
    fn a_character_that_a_stop_string_cuts_is_shown_as_bytes_where_they_came_from() {
        let text = assemble(&[b"a", b"\xF0\x9F", b"EN", b"D"], &["END"]);
        assert_eq!(shown(&text), [("a", Whole), ("\u{27e8}F0 9F\u{27e9}", Cut), ("", Stopped), ("", Stopped)]);
        let text = assemble(&[b"\xF0", b"\x9FEN", b"D"], &["END"]);
        assert_eq!(shown(&text), [("", Partial), ("\u{27e8}F0 9F\u{27e9}", Stopped), ("", Stopped)]);
    }

    fn broken() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(prop::sample::select(vec![b'a', 0xC3, 0xA9, 0xF0, 0x9F]), 0..4)
    }

    proptest! {
        /// Whatever the tokens and the stop strings: the text is that of a stop stream, and each byte stands with its token.
        #[test]
        fn the_pieces_are_the_text_each_byte_at_its_token(
            tokens in prop::collection::vec("[ab]{0,4}", 0..12),
            strings in prop::collection::vec("[ab]{1,5}", 0..3),
        ) {
            let strings = StopStrings::new(strings).unwrap();
            let mut stream = StopStream::new(&strings);
            let mut text = TextAssembly::new(&strings);
            let (mut whole, mut stop, mut kept) = (String::new(), None, String::new());
            for token in &tokens {
                text.push(TokenId(1), token.as_bytes(), None);
                whole.push_str(token);
                let now = stream.push(token.as_bytes());
                kept.push_str(&now.text);
                stop = now.stop;
                let so_far: String = text.pieces().iter().map(|piece| piece.text.as_str()).collect();
                prop_assert_eq!(&so_far, &kept);
                prop_assert_eq!(text.held().map(|(held, _)| held), now.held);
            }
            text.finish();
            kept.push_str(&stream.finish());
            let mut start = 0;
            for (piece, token) in text.pieces().iter().zip(&tokens) {
                let end = start + token.len();
                let cut = stop.is_some_and(|stop| end > stop.start);
                prop_assert_eq!(piece.text.as_str(), &whole[start.min(kept.len())..end.min(kept.len())]);
                prop_assert!(token.is_empty() || (piece.end == Stopped) == cut, "{:?} {:?}", piece, stop);
                start = end;
            }
        }

        /// The same of bytes that are no characters.
        #[test]
        fn broken_characters_change_nothing_in_that(
            tokens in prop::collection::vec(broken(), 0..12),
            strings in prop::collection::vec("[a\u{e9}]{1,3}", 0..3),
        ) {
            let strings = StopStrings::new(strings).unwrap();
            let mut stream = StopStream::new(&strings);
            let mut text = TextAssembly::new(&strings);
            let mut kept = String::new();
            for token in &tokens {
                text.push(TokenId(1), token, None);
                kept.push_str(&stream.push(token).text);
                let so_far: String = text.pieces().iter().map(|piece| piece.text.as_str()).collect();
                prop_assert_eq!(&so_far, &kept);
            }
            text.finish();
            kept.push_str(&stream.finish());
            let all: String = text.pieces().iter().map(|piece| piece.text.as_str()).collect();
            prop_assert_eq!(all, kept);
        }
    }
}
