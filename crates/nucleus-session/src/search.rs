//! The search for a token of the vocabulary.

use nucleus_sampler::TokenId;

use crate::vocabulary::Vocabulary;

/// What is searched for: a text that tokens have in them, or with `#` the id of one.
///
/// The signs by which the page shows white space stand for it: a text field takes no line break.
pub(crate) struct Search {
    text: String,
    folded: String,
    id: Option<TokenId>,
}

impl Search {
    pub(crate) fn new(typed: &str) -> Self {
        let text: String = typed.chars().map(meant).collect();
        let id = typed.strip_prefix('#').and_then(|digits| digits.parse().ok()).map(TokenId);
        Self { folded: text.to_lowercase(), text, id }
    }

    /// The first `count` of the tokens `ranked` that fit, in their order, but before all the token with the id, and then those
    /// that are the text and nothing else, spaces around it and capitals aside: however unlikely, they are found.
    pub(crate) fn find(
        &self,
        vocabulary: &Vocabulary,
        ranked: impl Iterator<Item = TokenId>,
        count: usize,
    ) -> Vec<TokenId> {
        let mut found: [Vec<TokenId>; 3] = Default::default();
        for id in ranked {
            let place = match vocabulary.bytes(id) {
                [] => continue,
                _ if self.id == Some(id) => 0,
                bytes if self.is(bytes) => 1,
                bytes if found[2].len() < count && self.is_in(bytes) => 2,
                _ => continue,
            };
            found[place].push(id);
        }
        let mut found = found.concat();
        found.truncate(count);
        found
    }

    /// Whether a token is the text; where that is only spaces, they count.
    fn is(&self, bytes: &[u8]) -> bool {
        let Ok(token) = core::str::from_utf8(bytes) else { return false };
        let (token, text) = match self.folded.trim_matches(' ') {
            "" => (token, self.text.as_str()),
            text => (token.trim_matches(' '), text),
        };
        if token.is_ascii() { token.eq_ignore_ascii_case(text) } else { token.to_lowercase() == text }
    }

    /// Whether a token has the text in it, capitals aside; the empty text is in all.
    fn is_in(&self, bytes: &[u8]) -> bool {
        let wanted = self.folded.as_bytes();
        if wanted.is_empty() {
            return true;
        }
        if bytes.is_ascii() {
            return bytes.windows(wanted.len()).any(|part| part.eq_ignore_ascii_case(wanted));
        }
        String::from_utf8_lossy(bytes).to_lowercase().contains(&self.folded)
    }
}

fn meant(sign: char) -> char {
    match sign {
        '\u{2423}' => ' ',
        '\u{21b5}' => '\n',
        '\u{240d}' => '\r',
        '\u{21e5}' => '\t',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKENS: [&[u8]; 9] =
        [b"the", b" the", b" then", b"Other", b" ", b"  ", b"\n", b"\xF0\x9F", "\u{c9}t\u{e9}".as_bytes()];

    fn find(typed: &str, count: usize) -> Vec<u32> {
        let ends = TOKENS.iter().scan(0, |end, bytes| {
            *end += bytes.len() as u32;
            Some(*end)
        });
        let vocabulary = Vocabulary::new(TOKENS.concat(), ends.collect()).unwrap();
        // The likeliest is the last; beyond the vocabulary there is padding.
        let ranked = (0..12).rev().map(TokenId);
        Search::new(typed).find(&vocabulary, ranked, count).into_iter().map(|id| id.0).collect()
    }

    #[test]
    fn what_is_the_text_comes_before_what_has_it() {
        assert_eq!(find("the", 9), [1, 0, 3, 2]);
        assert_eq!(find("THE", 3), [1, 0, 3]);
        assert_eq!(find(" the", 9), [1, 0, 2]);
        assert_eq!(find("HER", 9), [3]);
        assert_eq!(find("xyz", 9), [] as [u32; 0]);
    }

    #[test]
    fn white_space_is_found_by_the_signs_that_show_it() {
        assert_eq!(find("\u{2423}", 9), [4, 5, 2, 1]);
        assert_eq!(find("\u{21b5}", 9), [6]);
    }

    #[test]
    fn letters_beyond_ascii_have_no_capitals_either() {
        assert_eq!(find("\u{e9}T\u{c9}", 9), [8]);
        assert_eq!(find("T\u{c9}", 9), [8]);
    }

    #[test]
    fn a_token_that_is_no_text_is_found_by_its_id() {
        assert_eq!(find("#7", 9), [7]);
        for typed in ["#", "#9", "#-1", "#99999999999"] {
            assert_eq!(find(typed, 9), [] as [u32; 0], "{typed}");
        }
    }

    #[test]
    fn a_search_for_nothing_finds_the_likeliest() {
        assert_eq!(find("", 3), [8, 7, 6]);
    }
}
