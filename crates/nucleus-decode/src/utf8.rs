use core::fmt::Write;

/// Text out of bytes that come in pieces, such as the bytes of one token after the other.
///
/// A character comes out when it is whole; until then its bytes are held back. Bytes that can belong to no character come
/// out as what they are, `⟨F0 9F⟩`, one pair of brackets for each broken sequence: never as U+FFFD, which would be
/// another character. How the bytes are cut into pieces changes nothing in the text.
///
/// ```
/// use nucleus_decode::Utf8Stream;
///
/// let mut text = Utf8Stream::new();
/// assert_eq!(text.push(b"a \xE5\x9C"), "a ");
/// assert_eq!(text.push(b"\xB0 \xFF"), "地 ⟨FF⟩");
/// assert_eq!(text.push(b"\xF0\x9F"), "");
/// assert_eq!(text.finish(), "⟨F0 9F⟩");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Utf8Stream {
    /// The start of a character: 0 to 3 bytes.
    pending: Vec<u8>,
}

impl Utf8Stream {
    /// A stream with nothing held back.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes more bytes, and gives the text that has become certain: whole characters, and bytes that can be none.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        let bytes = [core::mem::take(&mut self.pending).as_slice(), bytes].concat();
        let mut text = String::new();
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            if chunks.peek().is_none() && is_cut(chunk.invalid()) {
                self.pending = chunk.invalid().to_vec();
            } else {
                push_visible(&mut text, chunk.invalid());
            }
        }
        text
    }

    /// The bytes that are held back: the start of a character, 0 to 3 of them.
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        &self.pending
    }

    /// Ends the text: what is still held back was cut, and is shown as bytes. Empty if nothing is.
    #[must_use]
    pub fn finish(self) -> String {
        let mut text = String::new();
        push_visible(&mut text, &self.pending);
        text
    }
}

/// Whether the bytes are the start of a character that more bytes could complete.
fn is_cut(bytes: &[u8]) -> bool {
    core::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// Appends bytes as `⟨F0 9F⟩`; nothing for none.
fn push_visible(text: &mut String, bytes: &[u8]) {
    for (index, byte) in bytes.iter().enumerate() {
        text.push(if index == 0 { '⟨' } else { ' ' });
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02X}");
    }
    if !bytes.is_empty() {
        text.push('⟩');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The text of `bytes` in pieces that end at `cuts` (in any order; beyond the end is the end).
    fn in_pieces(bytes: &[u8], cuts: &[usize]) -> String {
        let mut cuts: Vec<usize> = cuts.iter().map(|&cut| cut.min(bytes.len())).collect();
        cuts.push(bytes.len());
        cuts.sort_unstable();
        let mut stream = Utf8Stream::new();
        let mut text = String::new();
        let mut start = 0;
        for cut in cuts {
            text.push_str(&stream.push(&bytes[start..cut]));
            assert!(stream.pending().len() < 4);
            start = cut;
        }
        text + &stream.finish()
    }

    #[test]
    fn a_character_is_held_back_until_it_is_whole() {
        for (c, len) in [('é', 2), ('地', 3), ('न', 3), ('😊', 4)] {
            let bytes = c.to_string().into_bytes();
            assert_eq!(bytes.len(), len);
            let mut stream = Utf8Stream::new();
            for (index, byte) in bytes.iter().enumerate() {
                let text = stream.push(&[*byte]);
                let expected = if index + 1 == len { c.to_string() } else { String::new() };
                assert_eq!(text, expected, "{c} after {} bytes", index + 1);
            }
            assert_eq!(stream.pending(), b"");
            assert_eq!(stream.finish(), "");
        }
    }

    #[test]
    fn a_cut_tail_is_shown_as_bytes() {
        let mut stream = Utf8Stream::new();
        assert_eq!(stream.push("so 😊".as_bytes()[..5].as_ref()), "so ");
        assert_eq!(stream.pending(), [0xF0, 0x9F]);
        assert_eq!(stream.finish(), "⟨F0 9F⟩");
    }

    #[test]
    fn bytes_that_are_no_character_are_visible_at_once() {
        let cases: [(&[u8], &str); 6] = [
            (b"\xFF", "⟨FF⟩"),
            (b"a\x80\x80b", "a⟨80⟩⟨80⟩b"),
            (b"\xF0\x9FA", "⟨F0 9F⟩A"),
            (b"\xC0\xAF.", "⟨C0⟩⟨AF⟩."),
            (b"\xED\xA0\x80.", "⟨ED⟩⟨A0⟩⟨80⟩."),
            (b"\xE5\x9C\xF0\x9F\x98\x8A", "⟨E5 9C⟩😊"),
        ];
        for (bytes, expected) in cases {
            let mut stream = Utf8Stream::new();
            assert_eq!(stream.push(bytes), expected, "{bytes:02X?}");
            assert_eq!(stream.pending(), b"", "{bytes:02X?}");
        }
    }

    #[test]
    fn a_replacement_character_in_the_text_stays_one() {
        assert_eq!(in_pieces("\u{FFFD}".as_bytes(), &[1, 2]), "\u{FFFD}");
    }

    proptest! {
        #[test]
        fn any_text_in_any_pieces_comes_back(text: String, cuts: Vec<prop::sample::Index>) {
            let cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
            prop_assert_eq!(in_pieces(text.as_bytes(), &cuts), text);
        }

        #[test]
        fn any_bytes_give_a_text_that_does_not_depend_on_the_pieces(
            bytes in prop::collection::vec(byte(), 0..40),
            cuts: Vec<prop::sample::Index>,
        ) {
            let whole = in_pieces(&bytes, &[]);
            let cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            prop_assert_eq!(in_pieces(&bytes, &cuts), whole.clone());
            let was_there = bytes.windows(3).any(|window| window == "\u{FFFD}".as_bytes());
            prop_assert_eq!(whole.contains('\u{FFFD}'), was_there);
        }
    }

    /// Mostly bytes at which UTF-8 changes its mind.
    fn byte() -> impl Strategy<Value = u8> {
        let edges =
            vec![b'a', 0x7F, 0x80, 0x9F, 0xA0, 0xBD, 0xBF, 0xC0, 0xC2, 0xDF, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF];
        prop_oneof![4 => prop::sample::select(edges), 1 => any::<u8>()]
    }
}
