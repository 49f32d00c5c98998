//! Texts that are not the page's own, cut to what a sentence bears.

/// The longest text that stands whole in a sentence, characters.
const LONGEST: usize = 200;

/// The text itself or, where it is longer than a sentence bears, its beginning and an ellipsis.
pub(crate) fn brief(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some(_) => text.chars().take(LONGEST - 1).chain(['\u{2026}']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters_and_a_short_one_is_not() {
        let whole = "\u{e9}".repeat(LONGEST);
        assert_eq!(brief(&whole), whole);
        let cut = brief(&"\u{e9}".repeat(LONGEST + 1));
        assert_eq!(cut.chars().count(), LONGEST);
        assert!(cut.ends_with("\u{e9}\u{2026}"), "{cut}");
        assert_eq!(brief(""), "");
    }
}
