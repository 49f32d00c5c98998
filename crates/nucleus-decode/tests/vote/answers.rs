use nucleus_decode::{AnswerRule, Extractor, PatternError};
use proptest::prelude::*;

/// What is counted, and what of the text it was.
fn found(rule: &AnswerRule, text: &str) -> Option<(String, String)> {
    let answer = Extractor::new(rule.clone()).unwrap().answer(text)?;
    Some((answer.value, text[answer.range].to_owned()))
}

fn assert_finds(rule: &AnswerRule, pairs: &[(&str, Option<(&str, &str)>)]) {
    for &(text, expected) in pairs {
        let expected = expected.map(|(value, written)| (value.to_owned(), written.to_owned()));
        assert_eq!(found(rule, text), expected, "{text:?}");
    }
}

#[test]
fn the_first_number() {
    let pairs = [
        (" 42.", Some(("42", "42"))),
        ("The answer is 7, or 8.", Some(("7", "7"))),
        ("-3 degrees", Some(("-3", "-3"))),
        ("x = −3.50", Some(("-3.5", "−3.50"))),
        ("+7", Some(("7", "+7"))),
        ("007", Some(("7", "007"))),
        ("-0.0", Some(("0", "-0.0"))),
        (".5 of it", Some(("0.5", ".5"))),
        ("It costs $1,234.50!", Some(("1234.5", "1,234.50"))),
        ("1,000,000", Some(("1000000", "1,000,000"))),
        ("1,2345", Some(("1", "1"))),
        ("1, 2, 3", Some(("1", "1"))),
        ("10-5", Some(("10", "10"))),
        ("(12)", Some(("12", "12"))),
        ("on\n9", Some(("9", "9"))),
        ("100.", Some(("100", "100"))),
        ("3.14.15", Some(("3.14", "3.14"))),
        ("room b2 has 5", Some(("5", "5"))),
        ("b2", None),
        ("no number", None),
        ("", None),
        ("-", None),
    ];
    assert_finds(&AnswerRule::FirstNumber, &pairs);
}

#[test]
fn the_first_word() {
    let pairs = [
        (" Yes, it is.", Some(("yes", "Yes"))),
        ("\n\"YES!\"", Some(("yes", "YES"))),
        ("… don't", Some(("don't", "don't"))),
        ("'well-known'", Some(("well-known", "well-known'"))),
        ("--no", Some(("no", "no"))),
        ("Große Bären", Some(("große", "Große"))),
        ("東京 です", Some(("東京", "東京"))),
        ("12 apples", Some(("12", "12"))),
        (" ... ?!", None),
        ("", None),
    ];
    assert_finds(&AnswerRule::FirstWord, &pairs);
}

#[test]
fn a_pattern_gives_its_first_group_or_all_that_it_matches() {
    let rule = |pattern: &str| AnswerRule::Pattern(pattern.to_owned());
    let text = "so the answer is: blue . The answer is red";
    assert_finds(&rule("answer is:? ([^.]*)"), &[(text, Some(("blue", "blue ")))]);
    assert_finds(&rule("blue|red"), &[(text, Some(("blue", "blue"))), ("Red", None)]);
    assert_finds(&rule("(green)|red"), &[(text, None)]);
    assert_finds(&rule(" *"), &[(text, None)]);
    assert_finds(&rule("(?s).*"), &[(" \n ", None), ("a\n", Some(("a", "a\n")))]);
}

/// What the user sees of a rule is what the rule does: as a pattern it finds the same places.
#[test]
fn every_rule_is_its_pattern() {
    for rule in [AnswerRule::FirstNumber, AnswerRule::FirstWord] {
        let shown = AnswerRule::Pattern(rule.pattern().to_owned());
        for text in ["It is 1,234.50, no?", "−7", "'Yes'", "", "b2 or not", "…"] {
            let written = |rule| found(rule, text).map(|(_, written)| written);
            assert_eq!(written(&shown), written(&rule), "{text:?}");
        }
    }
}

#[test]
fn a_pattern_that_is_none_says_what_to_do() {
    for pattern in ["(", "[a", "a{2,1}", "\\p{L}"] {
        let error = Extractor::new(AnswerRule::Pattern(pattern.to_owned())).unwrap_err().to_string();
        assert!(error.starts_with("the pattern is no regular expression: "), "{error}");
        assert!(error.ends_with("; correct it, or choose another rule"), "{error}");
    }
}

#[test]
fn a_pattern_that_would_take_too_long_is_refused_and_a_useful_one_is_not() {
    let extractor = |pattern: &str| Extractor::new(AnswerRule::Pattern(pattern.to_owned()));
    for pattern in ["([a-z ]{0,100}){100}Z$", "(.{0,50}){50}zqz", "a{1000}{1000}", &"(a?)".repeat(200)] {
        let error = extractor(pattern).unwrap_err();
        assert_eq!(error, PatternError::TooLarge, "{pattern}");
        assert!(error.to_string().contains("too large: lower the counts in it, as 100 in {0,100}"), "{error}");
    }
    for (pattern, text, answer) in [
        (r"\b(yes|no)\b", "Well, no.", "no"),
        (r"(\d+)", "about 42", "42"),
        (r"(?i)answer( is|:)?\s*[A-E]", "The Answer is B", "is"),
        (r"\d{4}-\d{2}-\d{2}", "on 2024-02-29", "2024-02-29"),
        (r"^[^.!?]{1,150}[.!?]", "One. Two.", "One."),
        (r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:Jan|Febr)uary|March|April|May", "in May", "May"),
    ] {
        assert_eq!(extractor(pattern).unwrap().answer(text).unwrap().value, answer, "{pattern}");
    }
}

proptest! {
    #[test]
    fn an_answer_is_a_part_of_any_text(text: String) {
        for rule in [AnswerRule::FirstNumber, AnswerRule::FirstWord, AnswerRule::Pattern("(?s).(.*)".to_owned())] {
            if let Some((value, written)) = found(&rule, &text) {
                prop_assert!(!value.is_empty() && text.contains(&written));
            }
        }
    }

    #[test]
    fn a_whole_number_is_found_however_it_is_written(n: i64, text in "[a-z ]{0,9} ") {
        let grouped: String = {
            let digits = n.unsigned_abs().to_string();
            let comma = |i: usize| if i > 0 && (digits.len() - i).is_multiple_of(3) { "," } else { "" };
            digits.char_indices().map(|(i, digit)| format!("{}{digit}", comma(i))).collect()
        };
        let sign = if n < 0 { "-" } else { "" };
        for written in [n.to_string(), format!("{sign}{grouped}"), format!("{sign}{grouped}.00")] {
            let value = found(&AnswerRule::FirstNumber, &format!("{text}{written} 5")).unwrap();
            prop_assert_eq!(value, (n.to_string(), written));
        }
    }
}
