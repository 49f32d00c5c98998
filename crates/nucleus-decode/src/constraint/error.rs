//! What can be wrong with a constraint.

use core::fmt;

/// Why a text is no constraint. Nothing is generated then: a bad schema never means an unconstrained run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConstraintError {
    /// Nothing was typed.
    #[error("the schema is empty: type one, such as {{\"type\": \"boolean\"}}")]
    EmptySchema,
    /// The schema is not JSON, or a key stands twice in an object.
    #[error("the schema is not valid JSON: {reason}")]
    Json {
        /// What the reader of JSON says, with line and column.
        reason: String,
    },
    /// The schema is JSON, but not in the subset.
    #[error("the schema {place}: {problem}")]
    Schema {
        /// Where.
        place: Pointer,
        /// What is wrong there, and what is allowed.
        problem: SchemaProblem,
    },
    /// The regular expression cannot be read.
    #[error("the regular expression is wrong at character {at}: {reason}")]
    Regex {
        /// Which character, from 1.
        at: usize,
        /// What the reader of regular expressions says.
        reason: String,
    },
    /// `\b` and the like ask for the characters on both sides, which bytes that come one by one cannot tell.
    #[error(
        "the regular expression has a Unicode word boundary, which is not supported: write (?-u:\\b) for ASCII words"
    )]
    WordBoundary,
    /// The automaton would be too large, or too much work to build.
    #[error(
        "the constraint is too large: its automaton may have {limit} states; lower the lengths and counts in it, give \
         fewer alternatives, or write ASCII classes such as [A-Za-z0-9_] instead of \\w"
    )]
    TooLarge {
        /// How many states there may be.
        limit: usize,
    },
    /// No text at all satisfies the constraint.
    #[error("no text matches the regular expression: it contradicts itself")]
    MatchesNothing,
    /// Only the text of no bytes does.
    #[error("the regular expression matches the empty text only, so there is nothing to generate")]
    MatchesEmptyOnly,
    /// The vocabulary has no tokens that make a text of the constraint.
    #[error("the model's vocabulary has no tokens that spell a text of this constraint")]
    NotSpellable,
}

impl ConstraintError {
    /// The reason alone: the library's own message draws the pattern again, over several lines.
    pub(crate) fn unreadable(error: &regex_syntax::Error) -> Self {
        let (reason, pattern, offset) = match error {
            regex_syntax::Error::Parse(error) => (error.kind().to_string(), error.pattern(), error.span().start.offset),
            regex_syntax::Error::Translate(error) => {
                (error.kind().to_string(), error.pattern(), error.span().start.offset)
            }
            other => (other.to_string(), "", 0),
        };
        Self::Regex { at: 1 + pattern.get(..offset).map_or(0, |before| before.chars().count()), reason }
    }
}

/// A place in a schema, as a JSON pointer (RFC 6901): empty for the whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pointer(String);

impl Pointer {
    /// The pointer itself: `/properties/age/type`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The place of `key` inside this one.
    pub(crate) fn child(&self, key: impl fmt::Display) -> Self {
        let key = key.to_string().replace('~', "~0").replace('/', "~1");
        Self(format!("{}/{key}", self.0))
    }

    pub(crate) fn refuse<T>(&self, problem: SchemaProblem) -> Result<T, ConstraintError> {
        Err(ConstraintError::Schema { place: self.clone(), problem })
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_str() {
            "" => f.write_str("as a whole"),
            pointer => write!(f, "at {pointer}"),
        }
    }
}

/// What is wrong at a place of a schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaProblem {
    /// Something else stands where a schema must.
    #[error("a schema must be an object such as {{\"type\": \"string\"}}, not {found}")]
    NotAnObject {
        /// What stands there.
        found: &'static str,
    },
    /// A schema that says nothing would allow everything.
    #[error("\"type\" is missing; it must be one of {TYPES}, unless there is an \"enum\" or a \"const\"")]
    MissingType,
    /// A type that there is not.
    #[error("the type is \"{found}\", but must be one of {TYPES}")]
    UnknownType {
        /// What was written.
        found: String,
    },
    /// A key that is not in the subset, or does not go with the others.
    #[error("\"{key}\" is not supported here; {} may stand here", Keys(.allowed))]
    UnknownKey {
        /// The key.
        key: String,
        /// The keys that may, beside annotations.
        allowed: &'static [&'static str],
    },
    /// A key that must be there.
    #[error("\"{key}\" is missing; without it anything would be allowed")]
    MissingKey {
        /// The key.
        key: &'static str,
    },
    /// The value of a key is of a wrong kind, or out of range.
    #[error("\"{key}\" must be {must}")]
    Value {
        /// The key.
        key: &'static str,
        /// What its value must be.
        must: Must,
    },
    /// `minItems` above `maxItems`, or `minLength` above `maxLength`.
    #[error("the least, {least}, is above the most, {most}")]
    LeastAboveMost {
        /// The lower limit.
        least: u32,
        /// The upper limit.
        most: u32,
    },
    /// `required` has a name that `properties` does not.
    #[error("\"required\" names \"{name}\", which is not among the properties")]
    NotAProperty {
        /// The name.
        name: String,
    },
    /// A value of `enum` or `const` is not of the type beside it.
    #[error("the value {value} is not of type {expected}")]
    OtherType {
        /// The value as JSON.
        value: String,
        /// The type.
        expected: &'static str,
    },
    /// Too much nesting.
    #[error("this is nested more than {limit} deep")]
    TooDeep {
        /// How deep schemas may be.
        limit: usize,
    },
}

const TYPES: &str = "object, array, string, number, integer, boolean, null";

/// What the value of a key must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Must {
    /// A string.
    String,
    /// An object of schemas.
    Schemas,
    /// A list of strings.
    Strings,
    /// A list of values, not empty.
    Values,
    /// `false` and nothing else.
    False,
    /// A whole number from 0 to this limit.
    UpTo(u32),
}

impl fmt::Display for Must {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::String => f.write_str("a string"),
            Self::Schemas => f.write_str("an object whose values are schemas"),
            Self::Strings => f.write_str("a list of strings"),
            Self::Values => f.write_str("a list of 1 value or more"),
            Self::False => f.write_str("false: other properties than those named cannot be allowed"),
            Self::UpTo(limit) => write!(f, "a whole number from 0 to {limit}"),
        }
    }
}

/// `"type", "items" or "minItems"`.
struct Keys<'a>(&'a [&'a str]);

impl fmt::Display for Keys<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, key) in self.0.iter().enumerate() {
            let before = match i {
                0 => "",
                _ if i + 1 == self.0.len() => " and ",
                _ => ", ",
            };
            write!(f, "{before}\"{key}\"")?;
        }
        Ok(())
    }
}
