//! Tokens as text: everything in a token becomes visible, and nothing can reorder or hide what
//! stands beside it.

/// What a token stands for, with nothing invisible in it.
///
/// Spaces are `␣`, newlines `↵`, carriage returns `␍`, tabs `⇥`; other controls and bytes that are
/// no whole character are bytes, `⟨E5 9C⟩`; characters without a shape, or that change the
/// direction of the text, are code points, `⟨U+200B⟩`, and so are the signs that would be mistaken
/// for one of those.
pub fn token_label(bytes: &[u8]) -> String {
    visible(bytes, |_, _| false)
}

/// The token in quotes, for a sentence: `' the'`.
///
/// As [`token_label`], but a single space beside another character stays a space. A token that
/// holds the quote is put in double quotes.
pub fn token_quote(bytes: &[u8]) -> String {
    let text = visible(bytes, |before, after| match (before, after) {
        (None, None) => false,
        _ => before != Some(b' ') && after != Some(b' '),
    });
    if text.contains('\'') { format!("\"{text}\"") } else { format!("'{text}'") }
}

/// The label, cut to `width` columns with an ellipsis at the end (a wide character takes two
/// columns).
pub fn shortened(label: &str, width: usize) -> String {
    if label.chars().map(columns).sum::<usize>() <= width {
        return label.to_owned();
    }
    let mut left = width.saturating_sub(1);
    let fits = |character: &char| {
        let needed = columns(*character);
        let fits = needed <= left;
        left = left.saturating_sub(needed);
        fits
    };
    label.chars().take_while(fits).chain(['…']).collect()
}

/// `keeps_space(before, after)` says whether a space between those bytes stays what it is.
fn visible(bytes: &[u8], keeps_space: impl Fn(Option<u8>, Option<u8>) -> bool) -> String {
    if bytes.is_empty() {
        return "⟨empty⟩".to_owned();
    }
    let mut label = Label { text: String::with_capacity(bytes.len() + 8), ends_in_bytes: false };
    let mut offset = 0;
    for chunk in bytes.utf8_chunks() {
        for (i, character) in chunk.valid().char_indices() {
            let at = offset + i;
            let before = at.checked_sub(1).and_then(|i| bytes.get(i)).copied();
            let after = bytes.get(at + 1).copied();
            match character {
                ' ' if keeps_space(before, after) => label.push_text(" "),
                _ => label.push(character),
            }
        }
        label.push_bytes(chunk.invalid());
        offset += chunk.valid().len() + chunk.invalid().len();
    }
    label.text
}

/// A label while it grows. Bytes that follow one another share one pair of brackets.
struct Label {
    text: String,
    ends_in_bytes: bool,
}

impl Label {
    fn push(&mut self, character: char) {
        match character {
            ' ' => self.push_text("␣"),
            '\n' => self.push_text("↵"),
            '\r' => self.push_text("␍"),
            '\t' => self.push_text("⇥"),
            _ if character.is_control() => self.push_bytes(character.encode_utf8(&mut [0; 4]).as_bytes()),
            _ if is_shapeless(character) || is_sign(character) => {
                self.push_text(&format!("⟨U+{:04X}⟩", u32::from(character)));
            }
            _ => self.push_text(character.encode_utf8(&mut [0; 4])),
        }
    }

    fn push_text(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends_in_bytes = false;
    }

    fn push_bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let opening = if self.ends_in_bytes { " " } else { "⟨" };
            if self.ends_in_bytes {
                self.text.pop();
            }
            self.text.push_str(&format!("{opening}{byte:02X}⟩"));
            self.ends_in_bytes = true;
        }
    }
}

/// The signs that this file gives a meaning of its own.
fn is_sign(character: char) -> bool {
    matches!(character, '␣' | '↵' | '␍' | '⇥' | '⟨' | '⟩')
}

/// Characters that leave no mark of their own: spaces other than U+0020, joiners and fillers,
/// direction marks, variation selectors, tags, private use, the replacement character (Unicode 17:
/// White_Space, Default_Ignorable_Code_Point, Bidi_Control, General_Category = Co).
fn is_shapeless(character: char) -> bool {
    matches!(u32::from(character),
        0xA0 | 0xAD | 0x34F | 0x61C | 0x115F..=0x1160 | 0x1680 | 0x17B4..=0x17B5 | 0x180B..=0x180F
        | 0x2000..=0x200F | 0x2028..=0x202F | 0x205F..=0x206F | 0x3000 | 0x3164 | 0xE000..=0xF8FF
        | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFD | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A
        | 0xE0000..=0xE0FFF | 0xF0000..=0x10FFFF)
}

/// Columns that a character takes in a line of text: two for the East Asian wide ranges and emoji,
/// else one. An estimate that only decides where a label is cut.
fn columns(character: char) -> usize {
    match u32::from(character) {
        0x1100..=0x115F
        | 0x2E80..=0xA4CF
        | 0xAC00..=0xD7A3
        | 0xF900..=0xFAFF
        | 0xFE30..=0xFE6F
        | 0xFF00..=0xFF60
        | 0xFFE0..=0xFFE6
        | 0x1F300..=0x1FAFF
        | 0x20000..=0x3FFFD => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_visible() {
        let pairs: [(&[u8], &str); 14] = [
            (b" the", "␣the"),
            (b"\n\n", "↵↵"),
            (b"a\tb\r", "a⇥b␍"),
            (b"\x07\x7f", "⟨07 7F⟩"),
            (b"\xe5\x9c", "⟨E5 9C⟩"),
            (b"\x9c\xff a", "⟨9C FF⟩␣a"),
            ("圃".as_bytes(), "圃"),
            ("\u{202E}abc".as_bytes(), "⟨U+202E⟩abc"),
            ("a\u{200B}\u{A0}".as_bytes(), "a⟨U+200B⟩⟨U+00A0⟩"),
            ("\u{FFFD}".as_bytes(), "⟨U+FFFD⟩"),
            ("\u{85}".as_bytes(), "⟨C2 85⟩"),
            ("␣⟨".as_bytes(), "⟨U+2423⟩⟨U+27E8⟩"),
            (b"\0", "⟨00⟩"),
            (b"", "⟨empty⟩"),
        ];
        for (bytes, label) in pairs {
            assert_eq!(token_label(bytes), label, "{bytes:?}");
        }
    }

    #[test]
    fn quotes_keep_single_spaces() {
        let pairs: [(&[u8], &str); 6] = [
            (b" the", "' the'"),
            (b"  the", "'␣␣the'"),
            (b" ", "'␣'"),
            (b"'s", "\"'s\""),
            (b"\n", "'↵'"),
            (b"<script>", "'<script>'"),
        ];
        for (bytes, quote) in pairs {
            assert_eq!(token_quote(bytes), quote, "{bytes:?}");
        }
    }

    #[test]
    fn labels_are_cut_by_columns() {
        assert_eq!(shortened("␣the", 4), "␣the");
        assert_eq!(shortened("␣there", 4), "␣th…");
        assert_eq!(shortened("漢字漢字", 5), "漢字…");
    }
}
