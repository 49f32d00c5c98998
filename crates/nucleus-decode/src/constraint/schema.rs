//! The subset of JSON Schema, read into a type that holds no bad schema.

mod keys;

use super::error::{ConstraintError, Must, Pointer, SchemaProblem};
use super::json::Json;

use keys::{Keys, Type, check_type};

/// A schema of the subset.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Schema {
    /// An object with these properties, in this order, and no others.
    Object(Vec<Property>),
    /// A list of so many values.
    Array {
        items: Box<Schema>,
        count: Bounds,
    },
    /// A string of so many characters.
    String {
        length: Bounds,
    },
    Number,
    Integer,
    Boolean,
    Null,
    /// One of these values, spelled in one way.
    Values(Vec<Json>),
}

/// A property of an object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) schema: Schema,
    pub(super) is_required: bool,
}

/// How many there are: `least` or more, `most` or fewer if there is a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) least: u32,
    pub(super) most: Option<u32>,
}

/// How deep schemas may be nested.
const MAX_DEPTH: usize = 12;
/// The largest `maxItems`, and the largest `maxLength`.
const MAX_ITEMS: u32 = 64;
const MAX_LENGTH: u32 = 256;

const OF_VALUES: &[&str] = &["type", "enum"];
const OF_CONST: &[&str] = &["type", "const"];
const OF_OBJECT: &[&str] = &["type", "properties", "required", "additionalProperties"];
const OF_ARRAY: &[&str] = &["type", "items", "minItems", "maxItems"];
const OF_STRING: &[&str] = &["type", "minLength", "maxLength", "enum", "const"];
const OF_OTHERS: &[&str] = &["type", "enum", "const"];

impl Schema {
    /// Reads the text of a schema.
    pub(super) fn read(text: &str) -> Result<Self, ConstraintError> {
        if text.trim().is_empty() {
            return Err(ConstraintError::EmptySchema);
        }
        let json = serde_json::from_str(text).map_err(|error| ConstraintError::Json { reason: error.to_string() })?;
        Reader { place: Pointer::default(), depth: 0 }.schema(&json)
    }
}

/// Where in the schema the reader is.
struct Reader {
    place: Pointer,
    depth: usize,
}

impl Reader {
    fn within(&self, key: &str) -> Self {
        Self { place: self.place.child(key), depth: self.depth }
    }

    fn schema(&self, json: &Json) -> Result<Schema, ConstraintError> {
        if self.depth >= MAX_DEPTH {
            return self.place.refuse(SchemaProblem::TooDeep { limit: MAX_DEPTH });
        }
        let Json::Object(members) = json else {
            return self.place.refuse(SchemaProblem::NotAnObject { found: json.kind() });
        };
        let keys = Keys { members, place: &self.place };
        let name = keys.name_of_type()?;
        if let Some(values) = keys.get("enum") {
            keys.only(OF_VALUES)?;
            return self.values(keys.list("enum", values, Must::Values)?, "enum", name);
        }
        if let Some(value) = keys.get("const") {
            keys.only(OF_CONST)?;
            check_type(value, name, &self.place.child("const"))?;
            return Ok(Schema::Values(vec![value.clone()]));
        }
        match name {
            None => keys.only(OF_OTHERS).and(self.place.refuse(SchemaProblem::MissingType)),
            Some(Type::Object) => self.object(&keys),
            Some(Type::Array) => self.array(&keys),
            Some(Type::String) => {
                keys.only(OF_STRING)?;
                Ok(Schema::String { length: keys.bounds("minLength", "maxLength", MAX_LENGTH)? })
            }
            Some(Type::Number) => keys.only(OF_OTHERS).map(|()| Schema::Number),
            Some(Type::Integer) => keys.only(OF_OTHERS).map(|()| Schema::Integer),
            Some(Type::Boolean) => keys.only(OF_OTHERS).map(|()| Schema::Boolean),
            Some(Type::Null) => keys.only(OF_OTHERS).map(|()| Schema::Null),
        }
    }

    fn values(&self, values: &[Json], key: &str, name: Option<Type>) -> Result<Schema, ConstraintError> {
        if values.is_empty() {
            return self.place.refuse(SchemaProblem::Value { key: "enum", must: Must::Values });
        }
        for (i, value) in values.iter().enumerate() {
            check_type(value, name, &self.place.child(key).child(i))?;
        }
        Ok(Schema::Values(values.to_vec()))
    }

    fn object(&self, keys: &Keys) -> Result<Schema, ConstraintError> {
        keys.only(OF_OBJECT)?;
        if keys.get("additionalProperties").is_some_and(|value| *value != Json::Bool(false)) {
            return self.place.refuse(SchemaProblem::Value { key: "additionalProperties", must: Must::False });
        }
        let properties = match keys.get("properties") {
            None => return self.place.refuse(SchemaProblem::MissingKey { key: "properties" }),
            Some(Json::Object(properties)) => properties,
            Some(_) => {
                return self.place.refuse(SchemaProblem::Value { key: "properties", must: Must::Schemas });
            }
        };
        let required = self.required(keys)?;
        if let Some(name) = required.iter().find(|name| !properties.iter().any(|(known, _)| known == *name)) {
            return self.place.refuse(SchemaProblem::NotAProperty { name: (*name).to_owned() });
        }
        let inside = self.within("properties");
        let property = |(name, schema): &(String, Json)| {
            let reader = Self { depth: self.depth + 1, ..inside.within(name) };
            let is_required = required.contains(&name.as_str());
            Ok(Property { name: name.clone(), schema: reader.schema(schema)?, is_required })
        };
        Ok(Schema::Object(properties.iter().map(property).collect::<Result<_, ConstraintError>>()?))
    }

    fn required<'a>(&self, keys: &Keys<'a>) -> Result<Vec<&'a str>, ConstraintError> {
        let Some(value) = keys.get("required") else { return Ok(Vec::new()) };
        let names = keys.list("required", value, Must::Strings)?;
        match names.iter().map(Json::as_str).collect() {
            Some(names) => Ok(names),
            None => self.place.refuse(SchemaProblem::Value { key: "required", must: Must::Strings }),
        }
    }

    fn array(&self, keys: &Keys) -> Result<Schema, ConstraintError> {
        keys.only(OF_ARRAY)?;
        let Some(items) = keys.get("items") else {
            return self.place.refuse(SchemaProblem::MissingKey { key: "items" });
        };
        let reader = Self { depth: self.depth + 1, ..self.within("items") };
        let count = keys.bounds("minItems", "maxItems", MAX_ITEMS)?;
        Ok(Schema::Array { items: Box::new(reader.schema(items)?), count })
    }
}
