//! Whatever the schema and whatever is chosen, the text parses and is valid.

use nucleus_decode::Constraint;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::valid::is_valid;
use crate::walk::{SPANNING, random, trie, vocabulary};

/// Any schema of the subset, up to three deep.
fn schema() -> impl Strategy<Value = Value> {
    let scalar = || {
        prop_oneof![
            Just(json!(null)),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a-z\"\\\\é世\n]{0,5}".prop_map(Value::from)
        ]
    };
    let leaf = prop_oneof![
        Just(json!({"type": "null"})),
        Just(json!({"type": "boolean"})),
        Just(json!({"type": "integer"})),
        Just(json!({"type": "number"})),
        Just(json!({"type": "string"})),
        (0..4_u32, 0..4_u32)
            .prop_map(|(min, more)| json!({"type": "string", "minLength": min, "maxLength": min + more})),
        prop::collection::vec(scalar(), 1..4).prop_map(|values| json!({"enum": values})),
        scalar().prop_map(|value| json!({"const": value})),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        let property = ("[a-z\"\\\\é/ ]{0,4}", inner.clone(), any::<bool>());
        let object = prop::collection::vec(property, 0..4).prop_map(|properties| {
            let named = |(name, schema, _): &(String, Value, bool)| (name.clone(), schema.clone());
            let required = properties.iter().filter(|(.., is_required)| *is_required).map(|(name, ..)| name.clone());
            json!({
                "type": "object",
                "required": required.collect::<Vec<_>>(),
                "properties": properties.iter().map(named).collect::<serde_json::Map<_, _>>(),
            })
        });
        let array = (inner, 0..3_u32, prop::option::of(0..3_u32)).prop_map(|(items, min, more)| match more {
            None => json!({"type": "array", "items": items, "minItems": min}),
            Some(more) => json!({"type": "array", "items": items, "minItems": min, "maxItems": min + more}),
        });
        prop_oneof![object, array]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_choices_under_any_schema_give_valid_json(schema in schema(), seed: u64, limit in 1..60_usize, ends: bool) {
        let constraint = Constraint::json_schema(&schema.to_string()).unwrap();
        let trie = trie(&vocabulary(&SPANNING));
        if let Some(text) = random(&constraint, &trie, limit, seed, ends) {
            let text = String::from_utf8(text).unwrap();
            let value: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
            prop_assert!(is_valid(&schema, &value), "{text} under {schema}");
            prop_assert!(!text.contains("\n\n") && !text.starts_with([' ', '\n']), "{text:?}");
        }
    }

    #[test]
    fn any_choices_under_a_regular_expression_match_it(seed: u64, limit in 1..30_usize, ends: bool) {
        for pattern in ["[a-c]+(-[0-9]{2})?", "(?i)once upon a (time|moon)[.!]{0,3}", "(世|😊|é){1,4}x?", r"\d{4}-\d\d-\d\d|never"] {
            let constraint = Constraint::regex(pattern).unwrap();
            let trie = trie(&vocabulary(&SPANNING));
            if let Some(text) = random(&constraint, &trie, limit, seed, ends) {
                let whole = regex_automata::meta::Regex::new(&format!("^(?:{pattern})$")).unwrap();
                prop_assert!(whole.is_match(&text), "{:?} under {pattern}", String::from_utf8_lossy(&text));
            }
        }
    }
}
