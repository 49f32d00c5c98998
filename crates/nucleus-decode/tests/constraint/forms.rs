//! Each form of schema, and the texts that it takes and refuses.

use nucleus_decode::Constraint;

use crate::valid::is_valid;

/// What a schema takes must also be valid for a reader that knows nothing of automata.
fn check(schema: &str, taken: &[&str], refused: &[&str]) {
    let constraint = Constraint::json_schema(schema).unwrap();
    let schema = serde_json::from_str(schema).unwrap();
    for text in taken {
        assert!(constraint.accepts(text.as_bytes()), "{schema} should take {text}");
        assert!(is_valid(&schema, &serde_json::from_str(text).unwrap()), "{text}");
    }
    for text in refused {
        assert!(!constraint.accepts(text.as_bytes()), "{schema} should refuse {text}");
    }
}

#[test]
fn booleans_and_null() {
    check(r#"{"type": "boolean"}"#, &["true", "false"], &["", "True", "true ", " true", "null", "1"]);
    check(r#"{"type": "null"}"#, &["null"], &["", "nul", "nulll", "0"]);
}

#[test]
fn integers_are_exact_and_have_no_leading_zero() {
    check(
        r#"{"type": "integer"}"#,
        &["0", "7", "-1", "10", "999999999999999", "-999999999999999"],
        &["", "-", "-0", "01", "+1", "1.0", "1e3", "1000000000000000", "1 "],
    );
}

#[test]
fn numbers_neither_overflow_nor_lack_digits() {
    check(
        r#"{"type": "number"}"#,
        &["0", "-0", "1.5", "-0.25", "1e5", "2E-09", "1e+1", "999999999999999.999999999999999e99", "1e-99"],
        &["", "-", ".5", "1.", "1e", "1e+", "00", "1e100", "1.0000000000000000", "NaN", "Infinity", "0x1", "1.2.3"],
    );
}

#[test]
fn strings_hold_any_character_but_raw_controls_and_surrogates() {
    check(
        r#"{"type": "string"}"#,
        &[
            r#""""#,
            r#""a""#,
            r#""\"\\\/\b\f\n\r\t""#,
            r#""\u0041\uD7ff\ue000""#,
            "\"é世😊\u{7f}\u{2028}\"",
            "\" {\\u0000}\"",
        ],
        &[
            "",
            "\"",
            "a",
            "\"a",
            "a\"",
            "\"\"\"",
            "\"\n\"",
            "\"\t\"",
            "\"\0\"",
            r#""\x""#,
            r#""\u12""#,
            r#""\uD800""#,
            r#""\uDFFF""#,
            r#""\ud83d\ude0a""#,
            r#""\""#,
            "''",
        ],
    );
}

#[test]
fn bytes_that_are_no_character_are_in_no_string() {
    let constraint = Constraint::json_schema(r#"{"type": "string"}"#).unwrap();
    for bytes in
        [&b"\"\xff\""[..], b"\"\xed\xa0\x80\"", b"\"\xc0\xaf\"", b"\"\xf0\x9f\"", b"\"\x80\"", b"\"\xf4\x90\x80\x80\""]
    {
        assert!(!constraint.accepts(bytes), "{bytes:02X?}");
    }
}

#[test]
fn lengths_count_characters_and_not_bytes() {
    check(
        r#"{"type": "string", "minLength": 2, "maxLength": 3}"#,
        &[r#""ab""#, r#""世界😊""#, r#""\n\u0041""#, r#""\\\\\\""#],
        &[r#""""#, r#""a""#, r#""abcd""#, r#""😊""#, r#""\n""#],
    );
    check(r#"{"type": "string", "maxLength": 0}"#, &[r#""""#], &[r#"" ""#]);
}

#[test]
fn properties_keep_their_order_and_commas_stand_between_what_is_there() {
    let all = r#"{"type": "object", "additionalProperties": false, "properties":
        {"a": {"type": "null"}, "b": {"type": "null"}, "c": {"type": "null"}}, "required": REQUIRED}"#;
    let text = |names: &str| {
        let members: Vec<String> = names.chars().map(|name| format!("\"{name}\":null")).collect();
        format!("{{{}}}", members.join(","))
    };
    let subsets = ["", "a", "b", "c", "ab", "ac", "bc", "abc"];
    for required in ["", "a", "b", "c", "ab", "ac", "bc", "abc"] {
        let list: Vec<String> = required.chars().map(|name| format!("\"{name}\"")).collect();
        let schema = all.replace("REQUIRED", &format!("[{}]", list.join(",")));
        let (taken, refused): (Vec<&str>, Vec<&str>) =
            subsets.iter().partition(|names| required.chars().all(|name| names.contains(name)));
        let texts = |names: Vec<&str>| names.into_iter().map(text).collect::<Vec<_>>();
        let (taken, refused) = (texts(taken), texts(refused));
        let wrong = ["ba", "cb", "aa", "abca", "abcd"].map(text);
        let broken = [r#"{"a":null,}"#, r#"{,"a":null}"#, r#"{"a":null "b":null}"#, r#"{"a":null,,"b":null}"#, "{"];
        let refused: Vec<&str> = refused.iter().chain(&wrong).map(String::as_str).chain(broken).collect();
        check(&schema, &taken.iter().map(String::as_str).collect::<Vec<_>>(), &refused);
    }
}

#[test]
fn names_are_written_in_one_way() {
    check(
        r#"{"type": "object", "properties": {"a \"b\"\n": {"type": "null"}, "é/~": {"type": "null"}, "": {"type": "null"}}}"#,
        &[r#"{"a \"b\"\n":null,"é/~":null,"":null}"#, "{}"],
        &[r#"{"a \"b\"\u000a":null}"#, r#"{"\u00e9/~":null}"#, r#"{"é\/~":null}"#],
    );
    check(r#"{"type": "object", "properties": {}}"#, &["{}", "{\n  }"], &[r#"{"a":1}"#]);
}

#[test]
fn lists_have_so_many_items() {
    let of = |bounds: &str| format!(r#"{{"type": "array", "items": {{"type": "boolean"}}{bounds}}}"#);
    let lists = ["[]", "[true]", "[true,false]", "[true,false,true]", "[true,false,true,true]"];
    for (bounds, least, most) in [
        ("", 0, 9),
        (r#", "minItems": 1"#, 1, 9),
        (r#", "minItems": 2"#, 2, 9),
        (r#", "maxItems": 0"#, 0, 0),
        (r#", "maxItems": 1"#, 0, 1),
        (r#", "maxItems": 2"#, 0, 2),
        (r#", "minItems": 2, "maxItems": 3"#, 2, 3),
        (r#", "minItems": 3, "maxItems": 3"#, 3, 3),
        (r#", "minItems": 0, "maxItems": 0"#, 0, 0),
    ] {
        let within = |n: &usize| (least..=most).contains(n);
        let (taken, refused): (Vec<usize>, Vec<usize>) = (0..lists.len()).partition(within);
        let texts = |numbers: Vec<usize>| numbers.into_iter().map(|n| lists[n]).collect::<Vec<_>>();
        let refused: Vec<&str> = texts(refused).into_iter().chain(["[true,]", "[,]", "[true true]", "["]).collect();
        check(&of(bounds), &texts(taken), &refused);
    }
}

#[test]
fn values_of_enum_and_const_are_written_compactly() {
    check(
        r#"{"enum": ["red", 1, -2.5, null, true, {"b": [1, "x"], "a": {}}]}"#,
        &[r#""red""#, "1", "-2.5", "null", "true", r#"{"b":[1,"x"],"a":{}}"#],
        &["red", "1.0", "2", "false", r#"{"a":{},"b":[1,"x"]}"#, ""],
    );
    check(r#"{"const": "a\"b"}"#, &[r#""a\"b""#], &[r#""a""#]);
    check(r#"{"type": "string", "enum": ["a", "ab"]}"#, &[r#""a""#, r#""ab""#], &[r#""abb""#]);
    check(r#"{"type": "integer", "const": 1.0}"#, &["1.0"], &["1"]);
}

#[test]
fn nested_schemas_and_annotations() {
    check(
        r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A", "description": "B", "type": "object",
            "required": ["pets"], "properties": {"pets": {"type": "array", "minItems": 1, "items":
            {"type": "object", "default": {}, "examples": [1], "required": ["name"], "properties":
            {"name": {"type": "string", "$comment": "c"}, "age": {"type": "integer"}}}}}}"#,
        &[r#"{"pets":[{"name":"Tom"}]}"#, "{\"pets\": [\n  {\"name\": \"a\", \"age\": 3},{\"name\":\"\"}\n]}"],
        &[r#"{"pets":[]}"#, r#"{"pets":[{"age":3}]}"#, r#"{}"#, r#"[{"name":"Tom"}]"#],
    );
}

/// Case 24: legal white space has an end.
#[test]
fn white_space_between_tokens_is_at_most_a_newline_and_two_spaces() {
    check(
        r#"{"type": "array", "items": {"type": "object", "properties": {"a": {"type": "null"}}}}"#,
        &["[]", "[ ]", "[\n  ]", "[\n  {\n  \"a\"\n  :\n  null\n  }\n  ,\n  {}\n  ]", "[ {}, {} ]"],
        &["[   ]", "[\n\n]", "[ \n]", "[\n   ]", "[\t]", "[\r\n]", " []", "[] ", "[]\n", "[{}\n   ,{}]"],
    );
}

#[test]
fn a_regular_expression_must_match_from_end_to_end() {
    let check = |pattern: &str, taken: &[&str], refused: &[&str]| {
        let constraint = Constraint::regex(pattern).unwrap();
        for text in taken {
            assert!(constraint.accepts(text.as_bytes()), "{pattern} should take {text:?}");
        }
        for text in refused {
            assert!(!constraint.accepts(text.as_bytes()), "{pattern} should refuse {text:?}");
        }
    };
    check("a|ab|abc", &["a", "ab", "abc"], &["", "b", "abcd"]);
    check("a*?b?", &["", "a", "aab", "b"], &["ba", "abb"]);
    check(r"[0-9]{3}-\d{4}", &["555-1234"], &["555-123", "5555-1234", " 555-1234", "555-1234\n"]);
    check("^(yes|no)$", &["yes", "no"], &["yes no", "yes\n"]);
    check("(?i)straße|.{2}", &["STRASSE"; 0], &["x", "straß"]);
    check("(?i)straße|.{2}", &["STRAßE", "世界", "😊😊"], &["世", "\n\n"]);
    check(r"\p{Greek}+", &["αβγ"], &["abc", ""]);
    check(r"(?-u:\b)cat(?-u:\b)", &["cat"], &["cats"]);
}
