//! The bytes that may come next, in words.

use nucleus_decode::constraint::ByteRange;

use crate::token_quote;

/// The most things that are named.
const MAX_NAMED: usize = 8;

/// "'0' to '9', ',' or '}'": the bytes of ASCII one by one or as runs, the others as what they are in UTF-8.
pub(super) fn next_in_words(ranges: &[ByteRange]) -> String {
    let has = |byte: u8| ranges.iter().any(|range| (range.first..=range.last).contains(&byte));
    let mut named = Vec::new();
    if (b' '..=b'~').all(has) {
        named.push("any character of ASCII that can be printed".to_owned());
    } else {
        let ascii = ranges.iter().filter(|range| range.first < 0x80);
        named.extend(ascii.flat_map(|range| run(range.first, range.last.min(0x7F))));
    }
    if named.len() > MAX_NAMED {
        let more = named.len() - MAX_NAMED + 1;
        named.truncate(MAX_NAMED - 1);
        named.push(format!("one of {more} other things"));
    }
    // In UTF-8 a byte from C2 on begins a character of several bytes, and those from 80 to BF go on with it.
    if (0xC2..=0xF4).any(has) {
        named.push("a character beyond ASCII".to_owned());
    }
    if (0x80..=0xBF).any(has) {
        named.push("the rest of a character".to_owned());
    }
    listed(&named)
}

fn run(first: u8, last: u8) -> Vec<String> {
    let quote = |byte: u8| token_quote(&[byte]);
    match last - first {
        0 => vec![quote(first)],
        1 => vec![quote(first), quote(last)],
        _ => vec![format!("{} to {}", quote(first), quote(last))],
    }
}

fn listed(named: &[String]) -> String {
    match named {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [before @ .., last] => format!("{} or {last}", before.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(ranges: &[(u8, u8)]) -> String {
        let ranges: Vec<ByteRange> = ranges.iter().map(|&(first, last)| ByteRange { first, last }).collect();
        next_in_words(&ranges)
    }

    #[test]
    fn bytes_are_named() {
        assert_eq!(words(&[]), "nothing");
        assert_eq!(words(&[(b'{', b'{')]), "'{'");
        assert_eq!(
            words(&[(b'\n', b'\n'), (b' ', b' '), (b'0', b'9'), (b'e', b'f')]),
            "'↵', '␣', '0' to '9', 'e' or 'f'"
        );
        assert_eq!(words(&[(0x80, 0xBF)]), "the rest of a character");
        let string = [(b' ', 0x7F), (0xC2, 0xF4)];
        assert_eq!(words(&string), "any character of ASCII that can be printed or a character beyond ASCII");
        let many: Vec<(u8, u8)> = (0..10).map(|i| (b'0' + 2 * i, b'0' + 2 * i)).collect();
        assert_eq!(words(&many), "'0', '2', '4', '6', '8', ':', '<' or one of 3 other things");
    }
}
