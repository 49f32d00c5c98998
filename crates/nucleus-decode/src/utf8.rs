use core::fmt::Write;

/// Text out of bytes that come in pieces, such as the bytes of one token after the other.
///
/// A character comes out when it is whole; until then its bytes are held back. Bytes that can belong to no character come
/// out as what they are, `⟨F0 9F⟩`, one pair of brackets for each broken sequence: never as U+FFFD, which would be
/// another character. How the bytes are cut into pieces changes nothing in the text.
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
        self.pending.extend_from_slice(bytes);
        let mut text = String::new();
        let mut start = 0;
        loop {
            let rest = &self.pending[start..];
            let error = match core::str::from_utf8(rest) {
                Ok(valid) => {
                    text.push_str(valid);
                    self.pending.clear();
                    return text;
                }
                Err(error) => error,
            };
            let (valid, broken) = rest.split_at(error.valid_up_to());
            text.push_str(&String::from_utf8_lossy(valid));
            start += valid.len();
            match error.error_len() {
                Some(length) => {
                    push_visible(&mut text, &broken[..length]);
                    start += length;
                }
                None => {
                    self.pending.drain(..start);
                    return text;
                }
            }
        }
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
