//! A schema as a regular expression over bytes. The subset has no recursion, so there is one.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, Repetition};

use super::json::{Json, quoted};
use super::schema::{Bounds, Property, Schema};

/// A regular expression, and how many pieces it is made of: a bound for the memory that it takes.
pub(super) struct Grammar {
    hir: Hir,
    size: usize,
}

/// The most pieces. An object of which no property is required repeats each property once for every one before it, and
/// such objects inside of one another would fill the memory.
const MAX_SIZE: usize = 200_000;

impl Grammar {
    /// The texts that satisfy `schema`; `None` where the expression would be too large.
    ///
    /// Between two JSON tokens there may be a newline, and then up to two spaces: a model that likes white space cannot
    /// lose itself in it. Before and after the whole there is none.
    pub(super) fn of(schema: &Schema) -> Option<Self> {
        let grammar = match schema {
            Schema::Object(properties) => return object(properties),
            Schema::Array { items, count } => array(&Self::of(items)?, *count),
            Schema::String { length } => string(*length),
            Schema::Number => number(),
            Schema::Integer => integer(),
            Schema::Boolean => any([literal("true"), literal("false")]),
            Schema::Null => literal("null"),
            Schema::Values(values) => any(values.iter().map(value)),
        };
        (grammar.size <= MAX_SIZE).then_some(grammar)
    }

    pub(super) fn into_hir(self) -> Hir {
        self.hir
    }

    fn repeated(&self, least: u32, most: Option<u32>) -> Self {
        let sub = Box::new(self.hir.clone());
        let repetition = Repetition { min: least, max: most, greedy: true, sub };
        Self { hir: Hir::repetition(repetition), size: self.size + 1 }
    }

    fn optional(&self) -> Self {
        self.repeated(0, Some(1))
    }

    fn copy(&self) -> Self {
        Self { hir: self.hir.clone(), size: self.size }
    }
}

fn literal(text: &str) -> Grammar {
    Grammar { hir: Hir::literal(text.as_bytes()), size: 1 + text.len() }
}

fn class(ranges: &[(char, char)]) -> Grammar {
    let ranges = ranges.iter().map(|&(start, end)| ClassUnicodeRange::new(start, end));
    Grammar { hir: Hir::class(Class::Unicode(ClassUnicode::new(ranges))), size: 1 }
}

fn sequence(parts: impl IntoIterator<Item = Grammar>) -> Grammar {
    let (parts, size) = unzip(parts);
    Grammar { hir: Hir::concat(parts), size }
}

fn any(parts: impl IntoIterator<Item = Grammar>) -> Grammar {
    let (parts, size) = unzip(parts);
    Grammar { hir: Hir::alternation(parts), size }
}

fn unzip(parts: impl IntoIterator<Item = Grammar>) -> (Vec<Hir>, usize) {
    let mut size = 1;
    let parts = parts.into_iter().map(|part| {
        size += part.size;
        part.hir
    });
    (parts.collect(), size)
}

/// What may stand between two JSON tokens.
fn space() -> Grammar {
    sequence([literal("\n").optional(), literal(" ").repeated(0, Some(2))])
}

fn comma() -> Grammar {
    sequence([space(), literal(","), space()])
}

/// Named properties in their order. What comes before the first required one brings its comma behind it, what comes
/// after it brings its comma along; where none is required, any of them can be the first.
fn object(properties: &[Property]) -> Option<Grammar> {
    let members: Vec<Grammar> = properties.iter().map(member).collect::<Option<_>>()?;
    let rest = |from: usize| {
        let each = properties[from..].iter().zip(&members[from..]);
        each.map(|(property, member)| {
            let with_comma = sequence([comma(), member.copy()]);
            if property.is_required { with_comma } else { with_comma.optional() }
        })
    };
    let inside = match properties.iter().position(|property| property.is_required) {
        Some(first) => {
            let before = members[..first].iter().map(|member| sequence([member.copy(), comma()]).optional());
            sequence(before.chain([members[first].copy()]).chain(rest(first + 1)).chain([space()]))
        }
        None => {
            let copies = members.iter().enumerate().map(|(i, member)| (i + 1) * (member.size + 8));
            if copies.sum::<usize>() > MAX_SIZE {
                return None;
            }
            let first = members.iter().enumerate();
            let each = any(first.map(|(i, member)| sequence([member.copy()].into_iter().chain(rest(i + 1)))));
            if members.is_empty() { sequence([]) } else { sequence([each, space()]).optional() }
        }
    };
    let whole = sequence([literal("{"), space(), inside, literal("}")]);
    (whole.size <= MAX_SIZE).then_some(whole)
}

fn member(property: &Property) -> Option<Grammar> {
    let value = Grammar::of(&property.schema)?;
    Some(sequence([literal(&quoted(&property.name)), space(), literal(":"), space(), value]))
}

fn array(items: &Grammar, count: Bounds) -> Grammar {
    let Bounds { least, most } = count;
    let more =
        sequence([comma(), items.copy()]).repeated(least.saturating_sub(1), most.map(|most| most.saturating_sub(1)));
    let some = sequence([items.copy(), more, space()]);
    let inside = match (least, most) {
        (_, Some(0)) => sequence([]),
        (0, _) => some.optional(),
        _ => some,
    };
    sequence([literal("["), space(), inside, literal("]")])
}

/// Any characters but raw controls, and escapes. Surrogates are left out: alone they are no character, and what a pair
/// of them stands for can be written as it is.
fn string(length: Bounds) -> Grammar {
    let raw = class(&[(' ', '!'), ('#', '['), (']', char::MAX)]);
    let short = sequence([
        literal("\\"),
        class(&[('"', '"'), ('/', '/'), ('\\', '\\'), ('b', 'b'), ('f', 'f'), ('n', 'n'), ('r', 'r'), ('t', 't')]),
    ]);
    let hex = || class(&[('0', '9'), ('A', 'F'), ('a', 'f')]);
    let not_d = class(&[('0', '9'), ('A', 'C'), ('E', 'F'), ('a', 'c'), ('e', 'f')]);
    let any_block = sequence([not_d, hex()]);
    let below_d8 = sequence([class(&[('D', 'D'), ('d', 'd')]), class(&[('0', '7')])]);
    let long = sequence([literal("\\u"), any([any_block, below_d8]), hex(), hex()]);
    let character = any([raw, short, long]);
    sequence([literal("\""), character.repeated(length.least, length.most), literal("\"")])
}

/// At most 15 digits, so that every integer is exact in a double.
const MORE_DIGITS: Option<u32> = Some(14);

fn digit() -> Grammar {
    class(&[('0', '9')])
}

fn natural() -> Grammar {
    sequence([class(&[('1', '9')]), digit().repeated(0, MORE_DIGITS)])
}

/// There is no -0, which is no integer to some readers.
fn integer() -> Grammar {
    any([literal("0"), sequence([literal("-").optional(), natural()])])
}

/// At most 15 digits before the point and after it, and 2 in the exponent: nothing overflows.
fn number() -> Grammar {
    let whole = any([literal("0"), natural()]);
    let fraction = sequence([literal("."), digit().repeated(1, Some(15))]).optional();
    let sign = class(&[('+', '+'), ('-', '-')]).optional();
    let exponent = sequence([class(&[('E', 'E'), ('e', 'e')]), sign, digit().repeated(1, Some(2))]).optional();
    sequence([literal("-").optional(), whole, fraction, exponent])
}

/// A value as it is, compact.
fn value(value: &Json) -> Grammar {
    literal(&value.to_string())
}
