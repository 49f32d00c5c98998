//! Case 25: a bad schema never means an unconstrained run; the error names the place, what is wrong, what is allowed.

use nucleus_decode::{Constraint, ConstraintError};

fn refusal(schema: &str) -> String {
    match Constraint::json_schema(schema) {
        Ok(_) => panic!("{schema} is not refused"),
        Err(error) => error.to_string(),
    }
}

fn check(schema: &str, parts: &[&str]) {
    let said = refusal(schema);
    for part in parts {
        assert!(said.contains(part), "{schema}: {said:?} does not say {part:?}");
    }
}

#[test]
fn what_is_no_json_at_all() {
    assert_eq!(Constraint::json_schema("").unwrap_err(), ConstraintError::EmptySchema);
    check(" \n", &["the schema is empty", "{\"type\": \"boolean\"}"]);
    check("{", &["not valid JSON", "line 1 column 1"]);
    check("{'type': 'string'}", &["not valid JSON", "line 1 column 2"]);
    check(r#"{"type": "string"} {}"#, &["not valid JSON", "trailing characters"]);
    check(r#"{"type": "string", "type": "null"}"#, &["\"type\" stands twice", "line 1"]);
    check(r#"{"const": 1e999}"#, &["not valid JSON", "out of range"]);
    check(r#"{"const": 123456789012345678901234567890}"#, &["1.2345678901234568e+29", "2^53", "line 1 column 40"]);
    check(&format!("{}{}", "[".repeat(400), "]".repeat(400)), &["not valid JSON", "recursion limit"]);
}

#[test]
fn what_is_no_schema() {
    for (schema, found) in
        [("true", "a boolean"), ("\"string\"", "a string"), ("[]", "a list"), ("null", "null"), ("3", "a number")]
    {
        check(schema, &["the schema as a whole", "must be an object", &format!("not {found}")]);
    }
    check("{}", &["\"type\" is missing", "object, array, string, number, integer, boolean, null", "\"enum\""]);
    check(r#"{"title": "a"}"#, &["\"type\" is missing"]);
}

#[test]
fn unknown_keys_are_named_with_their_place_and_what_may_stand_there() {
    check(
        r##"{"$ref": "#/$defs/a"}"##,
        &["as a whole", "\"$ref\" is not supported", "\"type\", \"enum\" and \"const\""],
    );
    for key in ["anyOf", "oneOf", "allOf", "not", "if", "$defs", "nullable", "Type", "enumm"] {
        check(&format!(r#"{{"type": "null", "{key}": []}}"#), &[&format!("\"{key}\" is not supported here")]);
    }
    for key in ["pattern", "format", "maxlength", "minItems"] {
        check(&format!(r#"{{"type": "string", "{key}": 1}}"#), &[key, "\"minLength\"", "\"maxLength\""]);
    }
    for key in ["minimum", "maximum", "multipleOf", "exclusiveMinimum"] {
        check(&format!(r#"{{"type": "integer", "{key}": 1}}"#), &[key, "is not supported here"]);
    }
    for key in ["uniqueItems", "prefixItems", "contains", "maxLength"] {
        check(&format!(r#"{{"type": "array", "items": {{"type": "null"}}, "{key}": 1}}"#), &[key, "\"maxItems\""]);
    }
    for key in ["patternProperties", "minProperties", "dependentRequired", "items"] {
        check(&format!(r#"{{"type": "object", "properties": {{}}, "{key}": 1}}"#), &[key, "\"required\""]);
    }
    check(r#"{"enum": [1], "const": 1}"#, &["\"const\" is not supported here"]);
    check(r#"{"type": "string", "enum": ["a"], "maxLength": 3}"#, &["\"maxLength\" is not supported here"]);
}

#[test]
fn the_place_is_a_json_pointer() {
    let schema = r#"{"type": "object", "properties": {"a/b~": {"type": "array", "items": {"type": "strin"}}}}"#;
    check(schema, &["at /properties/a~1b~0/items:", "the type is \"strin\"", "must be one of object, array,"]);
    check(r#"{"type": "array", "items": {"type": "array", "items": 5}}"#, &["at /items/items:", "not a number"]);
    check(r#"{"type": "string", "enum": ["a", 2]}"#, &["at /enum/1:", "the value 2 is not of type string"]);
    check(r#"{"type": "integer", "const": 1.5}"#, &["at /const:", "1.5 is not of type integer"]);
}

#[test]
fn values_of_a_wrong_kind_or_out_of_range() {
    let null = r#"{"type": "null"}"#;
    for (schema, parts) in [
        (r#"{"type": 3}"#.to_owned(), ["\"type\" must be a string", ""]),
        (r#"{"type": ["string", "null"]}"#.to_owned(), ["\"type\" must be a string", ""]),
        (r#"{"enum": []}"#.to_owned(), ["\"enum\" must be a list of 1 value or more", ""]),
        (r#"{"enum": "a"}"#.to_owned(), ["\"enum\" must be a list", ""]),
        (r#"{"type": "object"}"#.to_owned(), ["\"properties\" is missing", "anything"]),
        (r#"{"type": "object", "properties": []}"#.to_owned(), ["\"properties\" must be an object", "schemas"]),
        (r#"{"type": "object", "properties": {"a": true}}"#.to_owned(), ["at /properties/a:", "must be an object"]),
        (
            format!(r#"{{"type": "object", "properties": {{"a": {null}}}, "required": "a"}}"#),
            ["\"required\" must be a list of strings", ""],
        ),
        (
            format!(r#"{{"type": "object", "properties": {{"a": {null}}}, "required": [1]}}"#),
            ["\"required\" must be a list of strings", ""],
        ),
        (
            format!(r#"{{"type": "object", "properties": {{"a": {null}}}, "required": ["b"]}}"#),
            ["names \"b\"", "not among the properties"],
        ),
        (
            format!(r#"{{"type": "object", "properties": {{"a": {null}}}, "additionalProperties": true}}"#),
            ["\"additionalProperties\" must be false", ""],
        ),
        (
            format!(r#"{{"type": "object", "properties": {{"a": {null}}}, "additionalProperties": {null}}}"#),
            ["\"additionalProperties\" must be false", ""],
        ),
        (r#"{"type": "array"}"#.to_owned(), ["\"items\" is missing", "anything"]),
        (format!(r#"{{"type": "array", "items": [{null}]}}"#), ["at /items:", "not a list"]),
        (
            format!(r#"{{"type": "array", "items": {null}, "minItems": -1}}"#),
            ["\"minItems\" must be a whole number from 0 to 64", ""],
        ),
        (
            format!(r#"{{"type": "array", "items": {null}, "maxItems": 65}}"#),
            ["\"maxItems\" must be a whole number from 0 to 64", ""],
        ),
        (
            format!(r#"{{"type": "array", "items": {null}, "maxItems": 1.5}}"#),
            ["\"maxItems\" must be a whole number", ""],
        ),
        (
            format!(r#"{{"type": "array", "items": {null}, "minItems": "1"}}"#),
            ["\"minItems\" must be a whole number", ""],
        ),
        (
            format!(r#"{{"type": "array", "items": {null}, "minItems": 3, "maxItems": 2}}"#),
            ["the least, 3, is above the most, 2", ""],
        ),
        (
            r#"{"type": "string", "maxLength": 257}"#.to_owned(),
            ["\"maxLength\" must be a whole number from 0 to 256", ""],
        ),
        (r#"{"type": "string", "minLength": 4294967297}"#.to_owned(), ["\"minLength\" must be a whole number", ""]),
    ] {
        check(&schema, &parts);
    }
}

#[test]
fn what_is_too_deep_or_too_large() {
    let nested = |depth: usize| {
        let mut schema = r#"{"type": "null"}"#.to_owned();
        for _ in 1..depth {
            schema = format!(r#"{{"type": "object", "required": ["a"], "properties": {{"a": {schema}}}}}"#);
        }
        schema
    };
    assert!(Constraint::json_schema(&nested(12)).is_ok());
    check(&nested(13), &["at /properties/a/properties/a/", "nested more than 12 deep"]);

    let string = r#"{"type": "string", "maxLength": 256}"#;
    assert!(Constraint::json_schema(string).is_ok());
    let list = format!(r#"{{"type": "array", "maxItems": 64, "items": {string}}}"#);
    let too_large = ConstraintError::TooLarge { limit: 8192 };
    assert_eq!(Constraint::json_schema(&list).unwrap_err(), too_large);
    assert!(too_large.to_string().contains("8192 states; lower the lengths and counts"));

    // Objects of which any property can be the first, inside of one another.
    let mut schema = r#"{"type": "null"}"#.to_owned();
    for _ in 0..4 {
        let members: Vec<String> = (0..20).map(|i| format!("\"p{i}\": {schema}")).collect();
        schema = format!(r#"{{"type": "object", "properties": {{{}}}}}"#, members.join(","));
    }
    assert_eq!(Constraint::json_schema(&schema).unwrap_err(), too_large);
}

#[test]
fn regular_expressions_that_cannot_be_used() {
    let refusal = |pattern: &str| Constraint::regex(pattern).unwrap_err();
    assert_eq!(refusal("é(").to_string(), "the regular expression is wrong at character 2: unclosed group");
    for pattern in ["[z-a]", "a{2,1}", "*", r"\p{Nonsense}", "(?=a)", r"(a)\1", r"(?-u:\xFF)"] {
        assert!(matches!(refusal(pattern), ConstraintError::Regex { .. }), "{pattern}");
    }
    for pattern in ["[a&&b]", "a$b", "a^", r"\za"] {
        assert_eq!(refusal(pattern), ConstraintError::MatchesNothing, "{pattern}");
    }
    for pattern in ["", "^$", "(|)", "a{0}"] {
        assert_eq!(refusal(pattern), ConstraintError::MatchesEmptyOnly, "{pattern}");
    }
    for pattern in [r"\w{500}", "(a{100}){100}", "((a{99}){99}){99}"] {
        assert_eq!(refusal(pattern), ConstraintError::TooLarge { limit: 8192 }, "{pattern}");
    }
    assert_eq!(refusal(r"\bcat\b"), ConstraintError::WordBoundary);
}

#[test]
fn patterns_that_take_too_much_work_are_refused_and_useful_ones_are_not() {
    for pattern in [r"(\w+ ?){1,100}", r"(\w?){300}", r"(\pL?\pN?){500}", r"(\w+ ?){1,20}", "(a|b)*a(a|b){20}"] {
        let error = Constraint::regex(pattern).unwrap_err();
        assert_eq!(error, ConstraintError::TooLarge { limit: 8192 }, "{pattern}");
        let said = error.to_string();
        for advice in ["lower the lengths and counts", "fewer alternatives", r"[A-Za-z0-9_] instead of \w"] {
            assert!(said.contains(advice), "{said}");
        }
    }
    for (pattern, text) in [
        (r"\w{1,20}", "größer"),
        (r"\w+( \w+){0,9}", "these are five words éa"),
        (r"[\w.+-]+@[\w-]+\.[\w.-]+", "ada@example.org"),
        (r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", "2024-02-29"),
        (r"[^\n]{1,500}", "a line"),
        ("[a-z]{8000}|a", "a"),
    ] {
        assert!(Constraint::regex(pattern).unwrap().accepts(text.as_bytes()), "{pattern}");
    }
    let words: Vec<String> = (0..1000_u64).map(|i| format!("\"{}\"", i * 7919 * 7919)).collect();
    let words = Constraint::json_schema(&format!(r#"{{"enum": [{}]}}"#, words.join(","))).unwrap();
    assert!(words.accepts(b"\"62710561\"") && !words.accepts(b"\"62710562\""));
}
