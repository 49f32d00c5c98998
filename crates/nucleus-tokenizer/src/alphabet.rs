//! The 256 characters that stand for bytes in a byte-level vocabulary.
//!
//! `bytes_to_unicode` of OpenAI's `gpt-2/src/encoder.py`: the printable bytes of Latin-1 stand for themselves, the
//! other 68 for the characters from U+0100 on, in order of the byte. So a space is "Ġ" and a line feed is "Ċ".

/// Characters of the alphabet end before this one.
const END: usize = 0x100 + 68;

/// The byte that each character stands for.
pub(crate) struct Alphabet([Option<u8>; END]);

impl Alphabet {
    pub(crate) fn new() -> Self {
        let mut byte_of = [None; END];
        let mut next = 0x100;
        for byte in 0..=u8::MAX {
            let slot = if is_printable(byte) {
                usize::from(byte)
            } else {
                next += 1;
                next - 1
            };
            byte_of[slot] = Some(byte);
        }
        Self(byte_of)
    }

    /// The byte that `c` stands for; none outside the alphabet.
    pub(crate) fn byte(&self, c: char) -> Option<u8> {
        self.0.get(c as usize).copied().flatten()
    }
}

fn is_printable(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokenizers::pre_tokenizers::byte_level::ByteLevel;

    #[test]
    fn it_is_the_alphabet_of_the_library() {
        let alphabet = Alphabet::new();
        let chars = ByteLevel::alphabet();
        assert_eq!(chars.len(), 256);
        let mut bytes: Vec<u8> = chars.iter().map(|&c| alphabet.byte(c).unwrap()).collect();
        bytes.sort_unstable();
        assert_eq!(bytes, (0..=255).collect::<Vec<u8>>());
    }

    #[test]
    fn space_and_line_feed_are_the_known_ones() {
        let alphabet = Alphabet::new();
        assert_eq!(alphabet.byte('Ġ'), Some(b' '));
        assert_eq!(alphabet.byte('Ċ'), Some(b'\n'));
        assert_eq!(alphabet.byte('a'), Some(b'a'));
    }

    #[test]
    fn other_characters_stand_for_nothing() {
        let alphabet = Alphabet::new();
        for c in [' ', '\n', '\u{AD}', '\u{144}', '▁', '😊'] {
            assert_eq!(alphabet.byte(c), None, "{c:?}");
        }
    }
}
