//! Tokens that hold parts of several JSON tokens or of characters, the exact end, and the room that is left.

use nucleus_decode::constraint::Verdict;
use nucleus_decode::{Constraint, ConstraintError, ConstraintState, TokenTrie};
use nucleus_sampler::TokenId;

use crate::walk::{END, SPANNING, trie, vocabulary};

/// The texts of the tokens that are allowed after `text`, the end of text as "END".
fn allowed(constraint: &Constraint, tokens: &[Vec<u8>], text: &[&[u8]], left: usize) -> Vec<Vec<u8>> {
    let trie = trie(tokens);
    let mut state = ConstraintState::new(constraint, &trie, Some(END)).unwrap();
    for token in text {
        state.accept(id(tokens, token));
    }
    let set = state.allowed(left).clone();
    // The set says what the verdicts say of each token alone.
    for id in (0..tokens.len() as u32).map(TokenId) {
        assert_eq!(set.contains(id), state.verdict(id, left) == Verdict::Allowed, "{:?}", tokens[id.index()]);
    }
    let bytes = |id: TokenId| if id == END { b"END".to_vec() } else { tokens[id.index()].clone() };
    set.iter().map(bytes).collect()
}

fn id(tokens: &[Vec<u8>], token: &[u8]) -> TokenId {
    let place = tokens.iter().position(|known| known == token).unwrap();
    TokenId(place as u32)
}

fn schema(text: &str) -> Constraint {
    Constraint::json_schema(text).unwrap()
}

#[test]
fn a_token_may_span_several_json_tokens() {
    let tokens = vocabulary(&SPANNING);
    let object = schema(
        r#"{"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "string"}, "b": {"type": "boolean"}}}"#,
    );
    let after = |text: &[&[u8]]| allowed(&object, &tokens, text, 50);
    // Between the name and the string: the token with the quote, the colon and the quote is allowed, as are its parts.
    let next = after(&[b"{", b"\"", b"a"]);
    assert_eq!(next, [b"\"".to_vec(), b"\":\"".to_vec(), b"\": ".to_vec()]);
    let inside = after(&[b"{", b"\"", b"a", b"\":\""]);
    assert!(inside.contains(&b"},".to_vec()), "anything is text in a string");
    assert!(inside.contains(&b"\",\"".to_vec()));
    assert!(!inside.contains(&b"\"},{\"".to_vec()), "the object is not complete without b");
    assert!(!inside.contains(&b"\n".to_vec()));
    let last = after(&[b"{", b"\"", b"a", b"\":\"", b"\",\"", b"b", b"\": "]);
    assert_eq!(last, [b" ".to_vec(), b"f".to_vec(), b"t".to_vec(), b"true".to_vec()]);
    // "e}" ends the value and the object at once, and nothing follows.
    let end = after(&[b"{", b"\"", b"a", b"\":\"", b"\",\"", b"b", b"\": ", b"t", b"ru"]);
    assert_eq!(end, [b"e".to_vec(), b"e}".to_vec()]);
    let trie = trie(&tokens);
    let mut state = ConstraintState::new(&object, &trie, Some(END)).unwrap();
    for token in [&b"{"[..], b"\"", b"a", b"\":\"", b"\",\"", b"b", b"\": ", b"t", b"ru"] {
        state.accept(id(&tokens, token));
        assert!(!state.is_complete() && !state.is_closed());
    }
    state.accept(id(&tokens, b"e}"));
    assert!(state.is_complete() && state.is_closed());
    assert!(state.allowed(50).is_empty());
}

#[test]
fn a_character_may_be_split_over_tokens() {
    let mut tokens = vocabulary(&[]);
    tokens.push("世".as_bytes()[..2].to_vec());
    tokens.push([&"世".as_bytes()[2..], b"\""].concat());
    let string = schema(r#"{"type": "string", "maxLength": 1}"#);
    let next = allowed(&string, &tokens, &[b"\"", &[0xE4, 0xB8]], 9);
    let expected: Vec<Vec<u8>> = (0x80..=0xBF).map(|byte| vec![byte]).chain([b"\x96\"".to_vec()]).collect();
    assert_eq!(next, expected, "the rest of a character, or it and the quote, and no quote before it");
    assert_eq!(allowed(&string, &tokens, &[b"\"", &[0xE4, 0xB8], &[0x96]], 9), [b"\"".to_vec()]);
    // With three tokens left there is room for the rest of a character of three bytes and the quote; with two there is none.
    let start_of_three = vec![0xE4];
    assert!(allowed(&string, &tokens, &[b"\""], 4).contains(&start_of_three));
    assert!(allowed(&string, &tokens, &[b"\""], 3).contains(&start_of_three), "the pair token closes it");
    assert!(!allowed(&string, &tokens, &[b"\""], 2).contains(&start_of_three));
    assert_eq!(allowed(&string, &tokens, &[b"\""], 1), [b"\"".to_vec()]);
}

#[test]
fn the_end_of_text_is_allowed_exactly_where_the_text_is_complete() {
    let tokens = vocabulary(&SPANNING);
    let number = schema(r#"{"type": "integer"}"#);
    let ends = |text: &[&[u8]]| allowed(&number, &tokens, text, 9).contains(&b"END".to_vec());
    assert!(!ends(&[]) && !ends(&[b"-"]));
    assert!(ends(&[b"1"]) && ends(&[b"-", b"12"]));
    let trie = trie(&tokens);
    let mut state = ConstraintState::new(&number, &trie, Some(END)).unwrap();
    assert_eq!(state.verdict(END, 9), Verdict::TooEarly);
    state.accept(id(&tokens, b"12"));
    assert!(state.is_complete() && !state.is_closed(), "digits may follow");
    state.accept(END);
    assert!(state.is_complete() && state.is_closed());
    assert!(state.allowed(9).is_empty());
    // Nothing can follow 0, so that there is no choice left to make.
    let mut state = ConstraintState::new(&number, &trie, Some(END)).unwrap();
    state.accept(id(&tokens, b"0"));
    assert!(state.is_closed() && state.allowed(9).is_empty());
}

#[test]
fn the_text_of_a_special_token_is_not_the_token() {
    let tokens = vocabulary(&[]);
    let string = schema(r#"{"type": "string"}"#);
    assert!(
        !allowed(&string, &tokens, &[b"\""], 40).contains(&b"END".to_vec()),
        "though its letters are text in a string"
    );
    let greedy = trie(&tokens);
    assert_eq!(greedy.bytes(END), b"");
    assert_eq!(greedy.n_vocab(), 257);
    assert_eq!(greedy.bytes(TokenId(65)), b"A");
    assert_eq!(greedy.bytes(TokenId(9999)), b"");
}

#[test]
fn tokens_that_leave_no_room_to_finish_are_forbidden() {
    let tokens = vocabulary(&["tru"]);
    let list = schema(r#"{"type": "array", "items": {"type": "boolean"}}"#);
    // [true] takes 4: the bracket, tru, e, the bracket.
    assert_eq!(allowed(&list, &tokens, &[b"["], 2), [b"\n".to_vec(), b" ".to_vec(), b"]".to_vec()]);
    assert_eq!(allowed(&list, &tokens, &[b"["], 1), [b"]".to_vec()]);
    assert!(allowed(&list, &tokens, &[b"["], 3).contains(&b"tru".to_vec()));
    assert!(!allowed(&list, &tokens, &[b"["], 3).contains(&b"t".to_vec()), "t, r, u, e and ] are 5");
    let trie = trie(&tokens);
    let mut state = ConstraintState::new(&list, &trie, Some(END)).unwrap();
    state.accept(id(&tokens, b"["));
    assert_eq!(state.least(), 1);
    assert_eq!(state.verdict(id(&tokens, b"t"), 4), Verdict::NoRoom);
    assert_eq!(state.verdict(id(&tokens, b"t"), 5), Verdict::Allowed);
    assert_eq!(state.verdict(id(&tokens, b"x"), 5), Verdict::Breaks);
}

#[test]
fn the_least_number_of_tokens_counts_tokens_and_not_bytes() {
    let boolean = schema(r#"{"type": "boolean"}"#);
    let least = |more: &[&str]| {
        let tokens = vocabulary(more);
        ConstraintState::new(&boolean, &trie(&tokens), None).unwrap().least()
    };
    assert_eq!(least(&[]), 4, "t, r, u, e");
    assert_eq!(least(&["fal"]), 3);
    assert_eq!(least(&["false", "tr"]), 1);
}

#[test]
fn a_vocabulary_without_a_byte_takes_another_way_or_none() {
    let boolean = schema(r#"{"type": "boolean"}"#);
    let begin = |tokens: &[&[u8]]| {
        let trie = TokenTrie::new(tokens.iter().copied(), &[]);
        ConstraintState::new(&boolean, &trie, None).map(|state| state.least())
    };
    assert_eq!(begin(&[b"t", b"r", b"e"]), Err(ConstraintError::NotSpellable), "there is no u");
    assert_eq!(begin(&[b"t", b"r", b"e", b"fal", b"s"]), Ok(3));
    assert_eq!(begin(&[b"", b"tru", b"e", b"e"]), Ok(2));
    assert_eq!(begin(&[]), Err(ConstraintError::NotSpellable));
    // A token from which nothing can be completed is not allowed, though the grammar has nothing against it.
    let trie = TokenTrie::new([&b"t"[..], b"false", b"r"], &[]);
    let mut state = ConstraintState::new(&boolean, &trie, None).unwrap();
    assert_eq!(state.allowed(100).iter().collect::<Vec<_>>(), [TokenId(1)]);
    assert_eq!(state.verdict(TokenId(0), 100), Verdict::Breaks);
}

#[test]
fn a_token_that_is_not_allowed_leads_nowhere() {
    let tokens = vocabulary(&[]);
    let trie = trie(&tokens);
    let boolean = schema(r#"{"type": "boolean"}"#);
    let mut state = ConstraintState::new(&boolean, &trie, Some(END)).unwrap();
    state.accept(id(&tokens, b"x"));
    assert!(state.allowed(10).is_empty() && !state.is_complete() && !state.is_closed());
    let mut state = ConstraintState::new(&boolean, &trie, Some(END)).unwrap();
    state.accept(END);
    assert!(state.allowed(10).is_empty() && !state.is_complete() && !state.is_closed());
}
