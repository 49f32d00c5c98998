//! Output that obeys a JSON Schema or a regular expression, token by token.
//!
//! A [`Constraint`] is compiled to an automaton over bytes, so a token is judged by what it stands for, wherever tokens
//! begin and end: one may hold the end of a string, a colon and the beginning of the next, and a character may be split
//! over several. [`TokenTrie`] arranges a vocabulary once; [`ConstraintState`] walks it at each step and gives the set of
//! tokens that may come, a mask over the logits (as Willard and Louf describe, "Efficient Guided Generation for Large
//! Language Models", 2023).
//!
//! What a run of [`generate_constrained`](crate::generate_constrained) promises, unless its caller stops it:
//!
//! * Its text satisfies the constraint, always, also where the limit of new tokens ends it: a token is allowed only if
//!   the rest of the limit is enough to complete the text. A limit that is too small from the start is an error.
//! * It ends right after the value closes. Where a text is complete but more could follow (a number, an optional end),
//!   the end-of-text token or the limit ends it.
//!
//! # The subset of JSON Schema
//!
//! | type | keys beside it | texts |
//! | --- | --- | --- |
//! | `object` | `properties` (must be there), `required`, `additionalProperties: false` | the properties in the order written; those not required may be left out; no others |
//! | `array` | `items` (must be there), `minItems`, `maxItems` (to 64) | so many items |
//! | `string` | `minLength`, `maxLength` (to 256) | any characters, and escapes but those of surrogates |
//! | `number` | | up to 15 digits before the point and after it, exponents up to two digits |
//! | `integer` | | up to 15 digits, no exponent |
//! | `boolean`, `null` | | `true`, `false`, `null` |
//!
//! `enum` or `const` stand alone or beside `type`, which their values must be of; the values are written compactly.
//! Numbers from 2^53 on are allowed only as integers in digits alone that 64 bits hold.
//! Schemas may be nested 12 deep. `title`, `description` and other annotations are skipped. All else (`$ref`, `anyOf`,
//! `pattern`, `format`, a list of types, a schema without a type) is an error that names the place and what may stand
//! there. Between two JSON tokens there may be one newline and then up to two spaces; around the whole there is none.
//!
//! # Regular expressions
//!
//! The whole text must match, as if between `^` and `$`. The syntax is that of the crate `regex`, without Unicode word
//! boundaries.

mod automaton;
mod distance;
mod error;
mod grammar;
mod guide;
mod json;
mod schema;
mod trace;
mod trie;

use automaton::Automaton;
use grammar::Grammar;
use schema::Schema;

pub use error::{ConstraintError, Must, Pointer, SchemaProblem};
pub use guide::ConstraintState;
pub use trace::{ByteRange, Considered, ConstraintTrace, Verdict};
pub use trie::TokenTrie;

/// What a text must be, compiled. It knows no vocabulary.
#[derive(Clone, Debug)]
pub struct Constraint {
    automaton: Automaton,
}

impl Constraint {
    /// JSON that is valid against the schema `text`: see [the subset](self#the-subset-of-json-schema).
    ///
    /// # Errors
    ///
    /// When `text` is empty, not JSON, not in the subset, or allows so much that its automaton is too large.
    pub fn json_schema(text: &str) -> Result<Self, ConstraintError> {
        let schema = Schema::read(text)?;
        let grammar = Grammar::of(&schema).ok_or_else(Automaton::too_large)?;
        Ok(Self { automaton: Automaton::of(&grammar.into_hir())? })
    }

    /// Text that matches `pattern` from its first byte to its last.
    ///
    /// # Errors
    ///
    /// When `pattern` is no regular expression, has a Unicode word boundary, matches nothing or the empty text only, or
    /// is too large.
    pub fn regex(pattern: &str) -> Result<Self, ConstraintError> {
        let hir = regex_syntax::parse(pattern).map_err(|error| ConstraintError::unreadable(&error))?;
        Ok(Self { automaton: Automaton::of(&hir)? })
    }

    /// How many states the automaton has: 3 to 8,192.
    #[must_use]
    pub fn n_states(&self) -> usize {
        self.automaton.n_states()
    }

    /// Whether `bytes` are a whole text of the constraint.
    #[must_use]
    pub fn accepts(&self, bytes: &[u8]) -> bool {
        self.automaton.is_accepting(self.automaton.after(self.automaton.start(), bytes))
    }
}
