//! A validator of the subset that works on values, written apart from the automata: what the tests trust.

use serde_json::Value;

pub fn is_valid(schema: &Value, value: &Value) -> bool {
    if let Some(values) = schema.get("enum") {
        return values.as_array().unwrap().contains(value);
    }
    if let Some(only) = schema.get("const") {
        return only == value;
    }
    let bound = |key: &str, default: u64| schema.get(key).map_or(default, |bound| bound.as_u64().unwrap());
    let within = |n: usize, min: &str, max: &str| (bound(min, 0)..=bound(max, u64::MAX)).contains(&(n as u64));
    match (schema["type"].as_str().unwrap(), value) {
        ("null", Value::Null) | ("boolean", Value::Bool(_)) => true,
        ("number", Value::Number(number)) => number.as_f64().is_some_and(f64::is_finite),
        ("integer", Value::Number(number)) => number.is_i64() || number.is_u64(),
        ("string", Value::String(text)) => within(text.chars().count(), "minLength", "maxLength"),
        ("array", Value::Array(items)) => {
            within(items.len(), "minItems", "maxItems") && items.iter().all(|item| is_valid(&schema["items"], item))
        }
        ("object", Value::Object(members)) => {
            let properties = schema["properties"].as_object().unwrap();
            let required = schema.get("required").map_or(&[][..], |names| names.as_array().unwrap());
            required.iter().all(|name| members.contains_key(name.as_str().unwrap()))
                && members
                    .iter()
                    .all(|(name, value)| properties.get(name).is_some_and(|schema| is_valid(schema, value)))
        }
        _ => false,
    }
}

#[test]
fn the_validator_itself_refuses() {
    let schema = serde_json::json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "array", "maxItems": 1,
        "items": {"type": "string", "minLength": 2}}}});
    let valid = |text: &str| is_valid(&schema, &serde_json::from_str(text).unwrap());
    assert!(valid(r#"{"a": ["xy"]}"#) && valid(r#"{"a": []}"#));
    for text in [r#"{}"#, r#"{"a": ["x"]}"#, r#"{"a": ["xy", "xy"]}"#, r#"{"a": [1]}"#, r#"{"a": [], "b": 1}"#, "[]"] {
        assert!(!valid(text), "{text}");
    }
}
