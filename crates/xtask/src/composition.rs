//! What a wasm module is made of: bytes of code by crate, and data.
//!
//! Read from the module as the compiler wrote it: section 10 has the size of each function, the
//! custom section `name` says which function it is (WebAssembly core specification, 5.5 and 7.4).

use anyhow::{Context, Result};
use std::collections::BTreeMap;

/// The part that is not code: constants, tables, and what describes the rest.
pub const NOT_CODE: &str = "(data)";

/// Functions that are no crate's, such as `memcpy`.
const OTHER: &str = "(other)";

const CUSTOM: u8 = 0;
const IMPORTS: u8 = 2;
const CODE: u8 = 10;
const FUNCTION_NAMES: u8 = 1;

/// Bytes by crate, largest first. The names themselves are not counted: no browser downloads them.
///
/// # Errors
///
/// When the bytes are no wasm module, or have no names.
pub fn by_crate(module: &[u8]) -> Result<Vec<(String, usize)>> {
    let parts = Parts::read(module).context("not a wasm module that this program understands")?;
    let names = parts.names.context("the module was built without the names of its functions")?;
    let mut sizes = BTreeMap::from([(NOT_CODE.to_owned(), parts.other)]);
    for (index, size) in (parts.imports..).zip(parts.sizes) {
        let of = names.get(&index).map_or_else(|| NOT_CODE.to_owned(), |name| crate_of(name));
        *sizes.entry(of).or_default() += size;
    }
    let mut sizes: Vec<_> = sizes.into_iter().collect();
    sizes.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
    Ok(sizes)
}

/// The crate whose source a function is from. An implementation counts for the type, or for the
/// trait where the type is generic; a generic function for the crate that wrote it, whoever asked for it.
fn crate_of(symbol: &str) -> String {
    let name = format!("{:#}", rustc_demangle::demangle(symbol));
    let Some((start, _)) = name.split_once("::") else { return OTHER.to_owned() };
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    // What is before the first `::` ends with the crate's name: `<&mut burn_flex`, `<T as downcast_rs`.
    let word = start.rsplit(|letter| !is_word(letter)).next().unwrap_or_default();
    if word.is_empty() { OTHER.to_owned() } else { word.to_owned() }
}

/// The facts of a module that matter here.
#[derive(Default)]
struct Parts<'module> {
    /// How many functions are imported: they come first in the numbering.
    imports: usize,
    /// The size of each function's body, in order.
    sizes: Vec<usize>,
    /// The names, by number; None without a `name` section.
    names: Option<BTreeMap<usize, &'module str>>,
    /// The size of all other sections but the custom ones.
    other: usize,
}

impl<'module> Parts<'module> {
    fn read(module: &'module [u8]) -> Option<Self> {
        let mut parts = Self::default();
        let mut rest = Bytes(module.strip_prefix(b"\0asm\x01\0\0\0")?);
        while let Some(id) = rest.byte() {
            let content = rest.sized()?;
            match id {
                CODE => parts.sizes = content.function_sizes()?,
                CUSTOM => parts.names = content.names().or(parts.names),
                _ => {
                    parts.other += content.0.len();
                    if id == IMPORTS {
                        parts.imports = content.imported_functions()?;
                    }
                }
            }
        }
        Some(parts)
    }
}

/// Bytes that are still to be read.
#[derive(Clone, Copy)]
struct Bytes<'module>(&'module [u8]);

impl<'module> Bytes<'module> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// An unsigned number in LEB128.
    fn number(&mut self) -> Option<usize> {
        let mut value = 0_usize;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            value |= usize::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// A length and as many bytes.
    fn sized(&mut self) -> Option<Self> {
        let length = self.number()?;
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(Self(taken))
    }

    fn text(&mut self) -> Option<&'module str> {
        std::str::from_utf8(self.sized()?.0).ok()
    }

    fn function_sizes(mut self) -> Option<Vec<usize>> {
        let count = self.number()?;
        (0..count).map(|_| Some(self.sized()?.0.len())).collect()
    }

    fn names(mut self) -> Option<BTreeMap<usize, &'module str>> {
        if self.text()? != "name" {
            return None;
        }
        while let Some(id) = self.byte() {
            let mut content = self.sized()?;
            if id == FUNCTION_NAMES {
                let count = content.number()?;
                return (0..count).map(|_| Some((content.number()?, content.text()?))).collect();
            }
        }
        None
    }

    /// Counts the functions among the imports. A module of Rust for a browser imports only
    /// functions, and memories or tables when it shares them; globals and tags do not occur.
    fn imported_functions(mut self) -> Option<usize> {
        let mut functions = 0;
        for _ in 0..self.number()? {
            self.text()?;
            self.text()?;
            match self.byte()? {
                0 => {
                    self.number()?;
                    functions += 1;
                }
                1 => {
                    self.byte()?;
                    self.limits()?;
                }
                2 => self.limits()?,
                _ => return None,
            }
        }
        Some(functions)
    }

    fn limits(&mut self) -> Option<()> {
        let has_maximum = self.byte()? & 1 == 1;
        self.number()?;
        if has_maximum {
            self.number()?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::{NOT_CODE, by_crate, crate_of};

    /// One imported function (0), then `core::f` of 3 bytes (1) and `burn::g` of 5 bytes (2).
    const MODULE: &[u8] = b"\0asm\x01\0\0\0\
        \x02\x07\x01\x01e\x01i\0\0\
        \x0a\x0b\x02\x03\0\x01\x0b\x05\0\x01\x01\x01\x0b\
        \0\x24\x04name\x01\x1d\x02\x01\x0c_RNvC4core1f\x02\x0c_RNvC4burn1g";

    #[test]
    fn code_is_counted_for_the_crate_that_wrote_it() {
        let sizes = by_crate(MODULE).unwrap();
        let expected = [(NOT_CODE, 7), ("burn", 5), ("core", 3)];
        assert_eq!(sizes, expected.map(|(name, size)| (name.to_owned(), size)));
    }

    #[test]
    fn an_implementation_counts_for_its_type() {
        assert_eq!(crate_of("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE"), "core");
        assert_eq!(crate_of("<&mut burn_flex::ops::Matmul as core::fmt::Debug>::fmt"), "burn_flex");
        assert_eq!(crate_of("<T as downcast_rs::Downcast>::into_any"), "downcast_rs");
        assert_eq!(crate_of("memcpy"), "(other)");
    }

    #[test]
    fn a_module_that_is_cut_short_is_an_error() {
        for length in 0..MODULE.len() {
            assert!(by_crate(&MODULE[..length]).is_err(), "{length}");
        }
    }
}
