//! The keys of a schema, one by one.

use super::super::error::{ConstraintError, Must, Pointer, SchemaProblem};
use super::super::json::Json;
use super::Bounds;

/// Keys that say nothing about which values are valid (JSON Schema 2020-12, Validation, section 9): they are skipped.
const ANNOTATIONS: [&str; 9] =
    ["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$schema", "$comment"];

/// The keys of one schema.
pub(super) struct Keys<'a> {
    pub(super) members: &'a [(String, Json)],
    pub(super) place: &'a Pointer,
}

impl<'a> Keys<'a> {
    pub(super) fn get(&self, key: &str) -> Option<&'a Json> {
        self.members.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// Refuses every key that is neither in `allowed` nor an annotation.
    pub(super) fn only(&self, allowed: &'static [&'static str]) -> Result<(), ConstraintError> {
        let is_known = |key: &str| allowed.contains(&key) || ANNOTATIONS.contains(&key);
        match self.members.iter().find(|(key, _)| !is_known(key)) {
            Some((key, _)) => self.place.refuse(SchemaProblem::UnknownKey { key: key.clone(), allowed }),
            None => Ok(()),
        }
    }

    pub(super) fn list(&self, key: &'static str, value: &'a Json, must: Must) -> Result<&'a [Json], ConstraintError> {
        match value {
            Json::Array(items) => Ok(items),
            _ => self.place.refuse(SchemaProblem::Value { key, must }),
        }
    }

    pub(super) fn name_of_type(&self) -> Result<Option<Type>, ConstraintError> {
        match self.get("type") {
            None => Ok(None),
            Some(Json::String(found)) => match Type::named(found) {
                Some(name) => Ok(Some(name)),
                None => self.place.refuse(SchemaProblem::UnknownType { found: found.clone() }),
            },
            Some(_) => self.place.refuse(SchemaProblem::Value { key: "type", must: Must::String }),
        }
    }

    pub(super) fn bounds(&self, min: &'static str, max: &'static str, limit: u32) -> Result<Bounds, ConstraintError> {
        let (least, most) = (self.number(min, limit)?.unwrap_or(0), self.number(max, limit)?);
        match most {
            Some(most) if least > most => self.place.refuse(SchemaProblem::LeastAboveMost { least, most }),
            _ => Ok(Bounds { least, most }),
        }
    }

    fn number(&self, key: &'static str, limit: u32) -> Result<Option<u32>, ConstraintError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let number = if let Json::Number(number) = value { number.as_u64() } else { None };
        match number.and_then(|number| u32::try_from(number).ok()).filter(|number| *number <= limit) {
            Some(number) => Ok(Some(number)),
            None => self.place.refuse(SchemaProblem::Value { key, must: Must::UpTo(limit) }),
        }
    }
}

/// The types of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Object,
    Array,
    String,
    Number,
    Integer,
    Boolean,
    Null,
}

impl Type {
    const ALL: [Self; 7] =
        [Self::Object, Self::Array, Self::String, Self::Number, Self::Integer, Self::Boolean, Self::Null];

    fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Null => "null",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name() == name)
    }

    fn has(self, value: &Json) -> bool {
        match (self, value) {
            (Self::Object, Json::Object(_))
            | (Self::Array, Json::Array(_))
            | (Self::String, Json::String(_))
            | (Self::Number, Json::Number(_))
            | (Self::Boolean, Json::Bool(_))
            | (Self::Null, Json::Null) => true,
            // 1.0 is an integer (JSON Schema 2020-12, Validation, section 6.1.1).
            (Self::Integer, Json::Number(number)) => number.as_f64().is_some_and(|number| number.fract() == 0.0),
            _ => false,
        }
    }
}

/// Whether `value`, which stands at `place`, is of the type beside it, if there is one.
pub(super) fn check_type(value: &Json, name: Option<Type>, place: &Pointer) -> Result<(), ConstraintError> {
    match name.filter(|name| !name.has(value)) {
        Some(name) => place.refuse(SchemaProblem::OtherType { value: value.to_string(), expected: name.name() }),
        None => Ok(()),
    }
}
