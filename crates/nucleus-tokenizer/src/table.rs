use crate::TokenizerError;
use crate::alphabet::Alphabet;

/// The bytes of every id, one after the other: token `i` is `flat[ends[i - 1]..ends[i]]`.
#[derive(Clone, Debug)]
pub(crate) struct ByteTable {
    flat: Vec<u8>,
    ends: Vec<u32>,
}

/// How a token is written in the file.
#[derive(Clone, Copy)]
pub(crate) enum Spelling<'a> {
    /// No token has this id.
    Gap,
    /// In the byte-level alphabet.
    ByteLevel(&'a str),
    /// As it is: added tokens.
    Literal(&'a str),
}

impl Spelling<'_> {
    /// Whether the token is there only because a merge rule makes it.
    pub(crate) fn is_merged(&self) -> bool {
        matches!(self, Self::ByteLevel(token) if token.chars().nth(1).is_some())
    }
}

impl ByteTable {
    /// The table of the given spellings, the index being the id.
    pub(crate) fn new(spellings: &[Spelling<'_>]) -> Result<Self, TokenizerError> {
        let alphabet = Alphabet::new();
        let mut table = Self { flat: Vec::new(), ends: Vec::with_capacity(spellings.len()) };
        for (id, spelling) in (0u32..).zip(spellings) {
            match spelling {
                Spelling::Gap => {}
                Spelling::Literal(text) => table.flat.extend_from_slice(text.as_bytes()),
                Spelling::ByteLevel(text) => {
                    for c in text.chars() {
                        let byte = alphabet.byte(c).ok_or(TokenizerError::TokenNotByteLevel { id })?;
                        table.flat.push(byte);
                    }
                }
            }
            // 4 GiB of token text do not fit a wasm heap; elsewhere what lies beyond is cut off.
            let end = u32::try_from(table.flat.len()).unwrap_or(u32::MAX);
            table.ends.push(end);
        }
        Ok(table)
    }

    /// How many ids there are, gaps included.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The bytes of `id`; none beyond the last id.
    pub(crate) fn get(&self, id: u32) -> Option<&[u8]> {
        let index = id as usize;
        let end = *self.ends.get(index)? as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        self.flat.get(start..end)
    }

    pub(crate) fn parts(&self) -> (&[u8], &[u32]) {
        (&self.flat, &self.ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_give_their_bytes() {
        let spellings =
            [Spelling::Literal("<é>"), Spelling::ByteLevel("Ġa"), Spelling::Gap, Spelling::ByteLevel("ðŁĺ")];
        let table = ByteTable::new(&spellings).unwrap();
        assert_eq!(table.get(0), Some("<é>".as_bytes()));
        assert_eq!(table.get(1), Some(&b" a"[..]));
        assert_eq!(table.get(2), Some(&b""[..]));
        assert_eq!(table.get(3), Some(&[0xF0, 0x9F, 0x98][..]));
        assert_eq!(table.get(4), None);
        assert_eq!(table.get(u32::MAX), None);
    }

    #[test]
    fn a_token_outside_the_alphabet_is_named() {
        let spellings = [Spelling::ByteLevel("a"), Spelling::ByteLevel("▁the")];
        assert!(matches!(ByteTable::new(&spellings), Err(TokenizerError::TokenNotByteLevel { id: 1 })));
    }
}
