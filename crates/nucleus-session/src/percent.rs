//! Percent-encoding of a query's keys and values, exact for any Unicode text.
//!
//! Written: everything but RFC 3986's unreserved characters, so that no browser, chat or mail
//! program changes a link. Read: also what others write, with `+` for a space.

use core::fmt::Write;

/// How many characters the encoded form of a text has.
pub(crate) fn encoded_length(text: &str) -> usize {
    text.bytes().map(|byte| if is_unreserved(byte) { 1 } else { 3 }).sum()
}

/// Appends a text in encoded form.
pub(crate) fn encode_into(out: &mut String, text: &str) {
    for &byte in text.as_bytes() {
        if is_unreserved(byte) {
            out.push(char::from(byte));
        } else {
            // Writing into a String cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// The text that an encoded one stands for; `None` if its bytes are no UTF-8. A `%` without two
/// hexadecimal digits after it stands for itself, as browsers have it.
pub(crate) fn decode(encoded: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        match (first, tail) {
            (b'+', _) => bytes.push(b' '),
            (b'%', [high, low, after @ ..]) => match (digit(*high), digit(*low)) {
                (Some(high), Some(low)) => {
                    bytes.push(high << 4 | low);
                    rest = after;
                }
                _ => bytes.push(b'%'),
            },
            (&byte, _) => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

fn digit(character: u8) -> Option<u8> {
    char::from(character).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(text: &str) -> String {
        let mut out = String::new();
        encode_into(&mut out, text);
        assert_eq!(out.len(), encoded_length(text));
        out
    }

    #[test]
    fn what_means_something_in_a_query_is_encoded() {
        assert_eq!(encoded("a b+c&d=e%f#g\n"), "a%20b%2Bc%26d%3De%25f%23g%0A");
        assert_eq!(encoded("A-z_0.~"), "A-z_0.~");
        assert_eq!(encoded("中"), "%E4%B8%AD");
    }

    #[test]
    fn what_others_write_is_read() {
        assert_eq!(decode("a+b%2bc").as_deref(), Some("a b+c"));
        assert_eq!(decode("100%").as_deref(), Some("100%"));
        assert_eq!(decode("%zz%4").as_deref(), Some("%zz%4"));
        assert_eq!(decode("中").as_deref(), Some("中"));
    }

    #[test]
    fn bytes_that_are_no_utf_8_are_refused() {
        assert_eq!(decode("%E4%B8"), None);
        assert_eq!(decode("%FF"), None);
    }
}
