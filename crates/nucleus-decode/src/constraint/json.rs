//! JSON as it is written: properties keep their order, and none may stand twice.

use core::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Number(serde_json::Number),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// What it is, with an article, for a message.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "a list",
            Self::Object(_) => "an object",
        }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }
}

/// 2^53: from here on a double does not hold every integer.
const FIRST_INEXACT: f64 = 9_007_199_254_740_992.0;

/// A string as JSON text, in quotes: one spelling of the many there are.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Compact JSON text.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::String(text) => f.write_str(&quoted(text)),
            Self::Array(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    let comma = if i == 0 { "" } else { "," };
                    write!(f, "{comma}{item}")?;
                }
                f.write_str("]")
            }
            Self::Object(members) => {
                f.write_str("{")?;
                for (i, (name, value)) in members.iter().enumerate() {
                    let comma = if i == 0 { "" } else { "," };
                    write!(f, "{comma}{}:{value}", quoted(name))?;
                }
                f.write_str("}")
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Json, E> {
        let number = serde_json::Number::from_f64(value).ok_or_else(|| E::custom("a number that is not finite"))?;
        // It may have been another integer: what is generated would not be what was written.
        if value.abs() >= FIRST_INEXACT {
            return Err(E::custom(format_args!(
                "a number is read as {number}, and may not be exact: with a point or an exponent it must be below \
                 {FIRST_INEXACT} (2^53), and in digits alone at most {}; or write it as a string",
                u64::MAX
            )));
        }
        Ok(Json::Number(number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element()? {
            all.push(item);
        }
        Ok(Json::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let mut all: Vec<(String, Json)> = Vec::new();
        while let Some(name) = members.next_key::<String>()? {
            if all.iter().any(|(known, _)| *known == name) {
                return Err(A::Error::custom(format_args!("the key {} stands twice", quoted(&name))));
            }
            let value = members.next_value()?;
            all.push((name, value));
        }
        Ok(Json::Object(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back_compact_and_in_order() {
        let json: Json = serde_json::from_str(r#" {"b": [1, -2.5, null, true], "a": {"\u00e9\n": "\"/"}} "#).unwrap();
        assert_eq!(json.to_string(), r#"{"b":[1,-2.5,null,true],"a":{"é\n":"\"/"}}"#);
    }

    #[test]
    fn integers_are_exact_or_refused() {
        for text in ["18446744073709551615", "-9223372036854775808", "9007199254740993", "900719925474099.0", "-2.5e15"]
        {
            let json: Json = serde_json::from_str(text).unwrap();
            let exact = if text == "-2.5e15" { "-2500000000000000.0" } else { text };
            assert_eq!(json.to_string(), exact);
        }
        for (text, read) in [
            ("123456789012345678901234567890", "1.2345678901234568e+29"),
            ("-9223372036854775809", "-9.223372036854776e+18"),
            ("9007199254740993e0", "9007199254740992.0"),
            ("[1e300]", "1e+300"),
        ] {
            let error = serde_json::from_str::<Json>(text).unwrap_err().to_string();
            assert!(error.starts_with(&format!("a number is read as {read}, and may not be exact: ")), "{error}");
            assert!(error.contains("below 9007199254740992 (2^53)"), "{error}");
        }
    }

    #[test]
    fn a_key_that_stands_twice_is_named_with_its_line() {
        let error = serde_json::from_str::<Json>("{\"a\": 1,\n \"a\": 2}").unwrap_err().to_string();
        assert_eq!(error, "the key \"a\" stands twice at line 2 column 4");
    }
}
