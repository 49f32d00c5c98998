//! What is held back is shown with its reason, byte by byte where a character is cut.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part of the common scenes")]

mod common;

use common::of_class;
use nucleus_charts::{Node, held_back, held_back_sentence};
use nucleus_decode::{StopStream, StopStrings};

/// What is there, what is missing, and the sentence, after `bytes`.
fn after(strings: &[&str], bytes: &[u8]) -> (String, String, String) {
    let strings = StopStrings::new(strings.iter().map(ToString::to_string).collect()).unwrap();
    let mut stream = StopStream::new(&strings);
    let held = stream.push(bytes).held.unwrap();
    let node = held_back(stream.pending(), held, &strings);
    let text = |class| Node::from(of_class(&node, class)[0].clone()).text_content();
    (text("there"), text("missing"), held_back_sentence(stream.pending(), held, &strings))
}

#[test]
fn the_start_of_a_stop_string() {
    let (there, missing, said) = after(&["END", "\n\n"], b"One.\n");
    assert_eq!((there.as_str(), missing.as_str()), ("↵", "↵"));
    assert_eq!(
        said,
        "Held back: '↵' could be the start of the stop string '↵↵'. It is shown as soon as it turns out not to be."
    );
    let (there, missing, _) = after(&["<script>"], b"a<scr");
    assert_eq!((there.as_str(), missing.as_str()), ("<scr", "ipt>"));
}

#[test]
fn a_stop_string_within_a_character() {
    let (there, missing, _) = after(&["地。"], b"\xE5\x9C");
    assert_eq!((there.as_str(), missing.as_str()), ("⟨E5 9C⟩", "⟨B0⟩。"));
}

#[test]
fn the_start_of_a_character() {
    let (there, missing, said) = after(&[], b"a\xF0\x9F");
    assert_eq!((there.as_str(), missing.as_str()), ("⟨F0 9F⟩", "…"));
    assert!(said.starts_with("Held back: '⟨F0 9F⟩' is the start of a character."), "{said}");
}
