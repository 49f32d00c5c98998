//! Stop strings: where the text is cut, what is held back, and what is shown when.

use std::ops::ControlFlow;

use nucleus_decode::{Held, StopMatch, StopReason, StopStream, StopStrings, Utf8Stream, generate};
use nucleus_sampler::TokenId;
use proptest::prelude::*;

use crate::canned::{Canned, block_on, ids, only, plan};

fn strings(texts: &[&str]) -> StopStrings {
    StopStrings::new(texts.iter().map(ToString::to_string).collect()).unwrap()
}

/// What a reader sees at the end, and the occurrence.
fn read(strings: &StopStrings, pieces: &[&[u8]]) -> (String, Option<StopMatch>) {
    let mut stream = StopStream::new(strings);
    let mut text = String::new();
    let mut stop = None;
    for piece in pieces {
        let shown = stream.push(piece);
        text.push_str(&shown.text);
        stop = shown.stop;
    }
    (text + &stream.finish(), stop)
}

/// The text before the first occurrence, found by looking at every end in turn.
fn naive(strings: &StopStrings, bytes: &[u8]) -> (String, Option<StopMatch>) {
    let at = |end: usize| {
        let ends = |(_, text): &(u8, &String)| bytes[..end].ends_with(text.as_bytes());
        let all = (0..).zip(strings.texts()).filter(ends);
        let longest = all.reduce(|best, next| if next.1.len() > best.1.len() { next } else { best });
        longest.map(|(index, text)| StopMatch { index, start: end - text.len(), end })
    };
    let stop = (1..=bytes.len()).find_map(at);
    let mut stream = Utf8Stream::new();
    let text = stream.push(&bytes[..stop.map_or(bytes.len(), |stop| stop.start)]);
    (text + &stream.finish(), stop)
}

#[test]
fn nothing_of_a_stop_string_that_spans_tokens_is_shown_before_it_is_complete() {
    let mut stream = StopStream::new(&strings(&["END"]));
    let steps = [(" one E", " one ", 1), ("N", "", 2), ("D two", "", 0)];
    for (piece, text, held) in steps {
        let shown = stream.push(piece.as_bytes());
        assert_eq!(shown.text, text, "{piece}");
        assert_eq!(shown.held.map_or(0, Held::bytes), held, "{piece}");
        assert_eq!(stream.pending(), &b"END"[..held], "{piece}");
    }
    assert_eq!(stream.push(b" three").text, "", "nothing comes after a stop string");
    assert_eq!(stream.finish(), "");
}

#[test]
fn what_turns_out_not_to_be_one_is_shown_then() {
    let mut stream = StopStream::new(&strings(&["END"]));
    assert_eq!(stream.push(b"E").text, "");
    assert_eq!(stream.push(b"N").text, "");
    assert_eq!(stream.push(b"T").text, "ENT");
    assert_eq!(stream.push(b"EN").text, "");
    assert_eq!(stream.push(b"END").text, "EN", "the second E starts it anew");
    assert_eq!(stream.finish(), "");
}

#[test]
fn at_the_end_of_the_run_what_is_held_is_shown() {
    let mut stream = StopStream::new(&strings(&["\n\n"]));
    assert_eq!(stream.push(b"a\n").text, "a");
    assert_eq!(stream.finish(), "\n");
    // A cut character that could start a stop string, too.
    let mut stream = StopStream::new(&strings(&["\u{e9}t"]));
    let shown = stream.push(b"a\xC3");
    assert_eq!((shown.text.as_str(), shown.held), ("a", Some(Held::StopString { index: 0, matched: 1 })));
    assert_eq!(stream.finish(), "\u{27e8}C3\u{27e9}");
}

#[test]
fn it_is_cut_at_its_first_occurrence_also_inside_a_longer_token() {
    let newline = strings(&["\n"]);
    for pieces in [&["a", "\n\n"][..], &["a\n\nb"], &["a\n", "b\n"], &["a", "\n", "\n"], &["a\r\n"]] {
        let pieces: Vec<&[u8]> = pieces.iter().map(|piece| piece.as_bytes()).collect();
        let (text, stop) = read(&newline, &pieces);
        assert_eq!(text.trim_end_matches('\r'), "a", "{pieces:?}");
        assert_eq!(stop.unwrap().end - stop.unwrap().start, 1);
    }
    let (text, stop) = read(&strings(&["END"]), &[b"a END b END c"]);
    assert_eq!((text.as_str(), stop), ("a ", Some(StopMatch { index: 0, start: 2, end: 5 })));
    assert_eq!(read(&newline, &[b"\nall"]).0, "", "at the very start");
}

#[test]
fn a_string_that_overlaps_itself_is_found() {
    for (string, text, start) in [
        ("aab", "aaab", 1),
        ("aab", "aaaaaab", 4),
        ("ababc", "abababc", 2),
        ("abcabd", "abcabcabd", 3),
        ("aaa", "baaaa", 1),
        ("\n\n", "a\n\n\n", 1),
    ] {
        let bytes = text.as_bytes();
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        for pieces in [vec![bytes], single] {
            let (shown, stop) = read(&strings(&[string]), &pieces);
            assert_eq!(stop, Some(StopMatch { index: 0, start, end: start + string.len() }), "{string} in {text}");
            assert_eq!(shown, text[..start]);
        }
    }
}

#[test]
fn of_several_the_first_to_be_complete_ends_the_run() {
    // "c" is complete before "abcd" is, and "ab" was not one.
    assert_eq!(
        read(&strings(&["abcd", "c"]), &[b"abcd"]),
        ("ab".into(), Some(StopMatch { index: 1, start: 2, end: 3 }))
    );
    // The same byte completes both: the longer starts first.
    let (text, stop) = read(&strings(&["\n", "#\n", "\n"]), &[b"a#\n"]);
    assert_eq!((text.as_str(), stop.unwrap().index), ("a", 1));
    // Of equal strings the first is named.
    assert_eq!(read(&strings(&["x", "y", "y"]), &[b"ay"]).1.unwrap().index, 1);
    // A string within another is complete sooner.
    assert_eq!(
        read(&strings(&["abc", "b"]), &[b"a", b"bc"]),
        ("a".into(), Some(StopMatch { index: 1, start: 1, end: 2 }))
    );
}

#[test]
fn while_one_fails_another_may_still_come() {
    let mut stream = StopStream::new(&strings(&["Q:x", ":y"]));
    assert_eq!(stream.push(b"Q:").held, Some(Held::StopString { index: 0, matched: 2 }));
    let shown = stream.push(b"y");
    assert_eq!(shown.text, "Q");
    assert_eq!(shown.stop, Some(StopMatch { index: 1, start: 1, end: 3 }));
    let mut stream = StopStream::new(&strings(&["Q:x", ":yz"]));
    stream.push(b"Q:");
    let shown = stream.push(b"y");
    assert_eq!((shown.text.as_str(), shown.held), ("Q", Some(Held::StopString { index: 1, matched: 2 })));
    assert_eq!(stream.finish(), ":y");
}

#[test]
fn characters_are_held_back_as_without_stop_strings() {
    let mut stream = StopStream::new(&strings(&["\u{5730}\u{3002}"]));
    let shown = stream.push(b"a\xF0\x9F");
    assert_eq!((shown.text.as_str(), shown.held), ("a", Some(Held::Character { bytes: 2 })));
    assert_eq!(stream.push(b"\x98\x8A").text, "\u{1f60a}");
    // All of a character, though it may be the first of a stop string; then another second one.
    let earth = "\u{5730}".as_bytes();
    assert_eq!(stream.push(&earth[..1]).held, Some(Held::StopString { index: 0, matched: 1 }));
    assert_eq!(stream.push(&earth[1..]).held, Some(Held::StopString { index: 0, matched: 3 }));
    let shown = stream.push(b"\xE3\x80");
    assert_eq!((shown.text.as_str(), shown.held), ("", Some(Held::StopString { index: 0, matched: 5 })));
    let shown = stream.push(b"\x81");
    assert_eq!((shown.text.as_str(), shown.held), ("\u{5730}\u{3001}", None));
}

#[test]
fn a_cut_character_before_a_stop_string_is_shown_as_bytes() {
    let mut stream = StopStream::new(&strings(&["END"]));
    stream.push(b"\xF0\x9F");
    let shown = stream.push(b"E");
    assert_eq!(shown.text, "\u{27e8}F0 9F\u{27e9}", "an E completes no character");
    assert_eq!(shown.held, Some(Held::StopString { index: 0, matched: 1 }));
    assert_eq!(read(&strings(&["END"]), &[b"\xF0\x9F", b"END"]).0, "\u{27e8}F0 9F\u{27e9}");
}

#[test]
fn without_stop_strings_nothing_ends_the_text() {
    assert_eq!(read(&StopStrings::default(), &[b"a\n", b"\xE5"]), ("a\n\u{27e8}E5\u{27e9}".into(), None));
}

#[test]
fn a_run_ends_at_the_token_that_completes_one_and_says_which() {
    let words: [&[u8]; 4] = [b"a", b" E", b"N", b"D."];
    let mut model = Canned::new(64, |window| only(window.len() as u32 - 1));
    let mut stream = StopStream::new(&strings(&["\n", "END"]));
    let mut text = String::new();
    let outcome = block_on(generate(&mut model, &plan(&[9]), async |step| {
        let shown = stream.push(words[step.trace.token.index()]);
        text.push_str(&shown.text);
        match shown.stop {
            Some(stop) => ControlFlow::Break(StopReason::StopString { index: stop.index }),
            None => ControlFlow::Continue(()),
        }
    }))
    .unwrap();
    assert_eq!(outcome.reason, StopReason::StopString { index: 1 });
    assert_eq!(outcome.tokens, ids(&[0, 1, 2, 3]), "the token that completes it is the last");
    assert_eq!(outcome.tokens.last(), Some(&TokenId(3)));
    assert_eq!(text, "a ");
}

/// Strings over few letters, some of them longer than a byte, so that they often begin within one another.
fn letters(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(vec!['a', 'b', '\n', '\u{e9}', '\u{e8}', '\u{5730}']), 1..=most)
        .prop_map(|letters| letters.into_iter().collect())
}

fn some_strings() -> impl Strategy<Value = StopStrings> {
    prop::collection::vec(letters(4), 0..4).prop_map(|texts| StopStrings::new(texts).unwrap())
}

/// Text of the same letters, with a stray byte here and there.
fn some_bytes() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        6 => letters(6).prop_map(String::into_bytes),
        1 => prop::sample::select(vec![0xC3, 0xE5, 0xA9, 0xFF]).prop_map(|byte| vec![byte]),
    ];
    prop::collection::vec(part, 0..6).prop_map(|parts| parts.concat())
}

fn pieces<'a>(bytes: &'a [u8], cuts: &[prop::sample::Index]) -> Vec<&'a [u8]> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    cuts.extend([0, bytes.len()]);
    cuts.sort_unstable();
    cuts.windows(2).map(|ends| &bytes[ends[0]..ends[1]]).collect()
}

proptest! {
    #[test]
    fn any_pieces_give_what_a_search_through_the_whole_gives(
        strings in some_strings(), bytes in some_bytes(), cuts: Vec<prop::sample::Index>,
    ) {
        prop_assert_eq!(read(&strings, &pieces(&bytes, &cuts)), naive(&strings, &bytes));
    }

    #[test]
    fn what_is_shown_is_certain_and_what_is_held_is_not(
        strings in some_strings(), bytes in some_bytes(), cuts: Vec<prop::sample::Index>,
    ) {
        let (whole, _) = naive(&strings, &bytes);
        let mut stream = StopStream::new(&strings);
        let mut text = String::new();
        for piece in pieces(&bytes, &cuts) {
            let shown = stream.push(piece);
            text.push_str(&shown.text);
            prop_assert!(whole.starts_with(&text));
            prop_assert!(strings.texts().iter().all(|string| !text.contains(string.as_str())));
            prop_assert_eq!(shown.held.map_or(0, Held::bytes), stream.pending().len());
            if let Some(Held::StopString { index, .. }) = shown.held {
                let string = strings.get(index).unwrap().as_bytes();
                prop_assert!(string.len() > stream.pending().len() && string.starts_with(stream.pending()));
                // The rest of it would end the run, if nothing shorter does before.
                let ended = stream.clone().push(&string[stream.pending().len()..]);
                prop_assert!(ended.stop.is_some());
            }
        }
    }
}
