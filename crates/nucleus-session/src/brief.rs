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

/// A whole sentence or two that may quote something long: what is too much is left out of the middle, since the end says what
/// to do.
pub(crate) fn without_its_middle(text: &str) -> String {
    let n = text.chars().count();
    if n <= 3 * LONGEST {
        return text.to_owned();
    }
    text.chars().take(2 * LONGEST).chain(['\u{2026}']).chain(text.chars().skip(n - LONGEST)).collect()
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

    #[test]
    fn of_a_long_sentence_the_beginning_and_the_end_stay() {
        let text = format!("The file is {}. Choose another.", "x".repeat(5000));
        let cut = without_its_middle(&text);
        assert_eq!(cut.chars().count(), 3 * LONGEST + 1);
        assert!(cut.starts_with("The file is x") && cut.ends_with("x. Choose another."), "{cut}");
        assert_eq!(without_its_middle(&text[..3 * LONGEST]), text[..3 * LONGEST]);
    }
}
