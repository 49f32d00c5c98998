/// The words of a text, in order: what a bigram counts.
///
/// * A word is a run of characters that are neither white space nor marks; letters, digits, and all else.
/// * Every mark (`.`, `,`, a quotation mark, ...) is a word of its own, so that a sentence ends and begins somewhere.
/// * `'`, `’`, `-` between two such characters belong to the word: `don't`, `well-known`.
/// * Each ideograph and each kana is a word of its own, since no space tells where their words end.
/// * Letters stay as they are: `The` and `the` are two words. What is drawn then reads as the text does, with capitals
///   where sentences begin.
/// * White space separates, and is not counted.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text.trim_start();
    core::iter::from_fn(move || {
        let word = rest.get(..length(rest)).filter(|word| !word.is_empty())?;
        rest = rest[word.len()..].trim_start();
        Some(word)
    })
}

/// How many bytes the word takes that `text`, which starts with no white space, starts with.
fn length(text: &str) -> usize {
    let mut characters = text.char_indices().peekable();
    let Some((_, first)) = characters.next() else {
        return 0;
    };
    if is_mark(first) || is_ideographic(first) {
        return first.len_utf8();
    }
    while let Some((at, character)) = characters.next() {
        let joins = matches!(character, '\'' | '\u{2019}' | '-')
            && characters.peek().is_some_and(|(_, next)| belongs_to_a_word(*next));
        if !joins && !belongs_to_a_word(character) {
            return at;
        }
    }
    text.len()
}

fn belongs_to_a_word(character: char) -> bool {
    !character.is_whitespace() && !is_mark(character) && !is_ideographic(character)
}

/// Words as a text: a space between two of them, but none before a mark that closes, after one that opens, and between
/// ideographs.
pub fn join<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for word in words {
        let last = text.chars().next_back();
        let first = word.chars().next();
        if let (Some(last), Some(first)) = (last, first)
            && !opens(last)
            && !closes(first)
            && !(takes_no_space(last) && takes_no_space(first))
        {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

/// Punctuation: of ASCII, of Latin-1, and the marks of other scripts that stand at the end of a word or sentence.
fn is_mark(character: char) -> bool {
    character.is_ascii_punctuation()
        || matches!(character,
            '\u{a1}'..='\u{a9}' | '\u{ab}'..='\u{b1}' | '\u{b4}' | '\u{b6}'..='\u{b8}' | '\u{bb}' | '\u{bf}'
            | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' | '\u{60c}' | '\u{61b}' | '\u{61f}' | '\u{964}' | '\u{965}')
        || is_wide_mark(character)
}

/// The marks that come with ideographs, and take the room of one.
fn is_wide_mark(character: char) -> bool {
    matches!(character,
        '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}' | '\u{30fb}'
        | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}')
}

fn is_ideographic(character: char) -> bool {
    matches!(character,
        '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn takes_no_space(character: char) -> bool {
    is_ideographic(character) || is_wide_mark(character)
}

fn opens(character: char) -> bool {
    matches!(character, '(' | '[' | '{' | '\u{201c}' | '\u{2018}' | '\u{ab}' | '\u{a1}' | '\u{bf}')
}

fn closes(character: char) -> bool {
    matches!(
        character,
        '.' | ','
            | ';'
            | ':'
            | '!'
            | '?'
            | '%'
            | ')'
            | ']'
            | '}'
            | '\u{201d}'
            | '\u{2019}'
            | '\u{bb}'
            | '\u{2026}'
            | '\u{60c}'
            | '\u{61b}'
            | '\u{61f}'
            | '\u{964}'
            | '\u{965}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(text: &str) -> Vec<&str> {
        words(text).collect()
    }

    #[test]
    fn marks_are_words_of_their_own() {
        assert_eq!(
            split("The king, old, slept.\n\nThen?!"),
            ["The", "king", ",", "old", ",", "slept", ".", "Then", "?", "!"]
        );
        assert_eq!(
            split("\u{201c}Come in,\u{201d} she said."),
            ["\u{201c}", "Come", "in", ",", "\u{201d}", "she", "said", "."]
        );
        assert_eq!(split("a=b"), ["a", "=", "b"]);
    }

    #[test]
    fn an_apostrophe_or_hyphen_within_a_word_belongs_to_it() {
        assert_eq!(split("don't well-known it\u{2019}s"), ["don't", "well-known", "it\u{2019}s"]);
        assert_eq!(split("'tis the boys' - a--b"), ["'", "tis", "the", "boys", "'", "-", "a", "-", "-", "b"]);
    }

    #[test]
    fn other_scripts_have_words_too() {
        assert_eq!(split("\u{4ece}\u{524d}\u{3002}\u{6709}a"), ["\u{4ece}", "\u{524d}", "\u{3002}", "\u{6709}", "a"]);
        // A vowel sign and a virama are no letters, and a word is not cut at them; an emoji is a word.
        assert_eq!(
            split("\u{928}\u{92e}\u{938}\u{94d}\u{924}\u{947}\u{964} e\u{301}t\u{e9} \u{1f60a}."),
            ["\u{928}\u{92e}\u{938}\u{94d}\u{924}\u{947}", "\u{964}", "e\u{301}t\u{e9}", "\u{1f60a}", "."]
        );
    }

    #[test]
    fn nothing_and_white_space_have_no_words() {
        assert_eq!(split(""), [""; 0]);
        assert_eq!(split(" \n\t\u{3000}"), [""; 0]);
    }

    #[test]
    fn words_are_joined_as_they_are_written() {
        for text in [
            "The king, old (and tired), slept. Then?!",
            "\u{201c}Come in,\u{201d} she said. \u{2018}No\u{2019}: well-known, isn't it?",
            "\u{4ece}\u{524d}\u{3002}\u{6709} a",
        ] {
            assert_eq!(join(words(text)), text);
        }
        assert_eq!(join([]), "");
    }

    proptest! {
        #[test]
        fn nothing_but_white_space_is_left_out(text: String) {
            let all: String = words(&text).collect();
            let without: String = text.chars().filter(|character| !character.is_whitespace()).collect();
            prop_assert_eq!(all, without);
        }

        #[test]
        fn joined_words_are_the_same_words_again(text in "[ab'. ,\u{201c}\u{201d}\u{4ece}\u{3002}\n(-]{0,30}") {
            let once: Vec<&str> = words(&text).collect();
            // Marks that joined would make one word with their neighbours have spaces around them.
            let spaced = once.join(" ");
            prop_assert_eq!(words(&spaced).collect::<Vec<_>>(), once);
        }
    }
}
