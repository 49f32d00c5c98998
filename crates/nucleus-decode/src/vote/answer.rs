use core::ops::Range;

use regex_lite::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use super::{AnswerRule, PatternError};

/// What a rule finds in a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// What is counted: see [`AnswerRule`] for what counts as the same.
    pub value: String,
    /// Where it stands in the text, in bytes.
    pub range: Range<usize>,
}

/// A rule that is ready to be used.
#[derive(Clone, Debug)]
pub struct Extractor {
    rule: AnswerRule,
    regex: Regex,
}

/// The most memory that a compiled pattern may take, in bytes; most of it are addresses. The time that a text takes grows
/// with it.
const MAX_BYTES: usize = 3072 * size_of::<usize>();

impl Extractor {
    /// Compiles the rule.
    ///
    /// # Errors
    ///
    /// [`PatternError`] if its pattern is no regular expression, or one that is too large.
    pub fn new(rule: AnswerRule) -> Result<Self, PatternError> {
        match compiled(rule.pattern(), MAX_BYTES) {
            Ok(regex) => Ok(Self { rule, regex }),
            // The library tells its errors apart by their text only. With no memory at all every pattern is too large.
            Err(error) if compiled("", 0).is_err_and(|too_large| too_large == error) => Err(PatternError::TooLarge),
            Err(error) => Err(PatternError::Syntax(error)),
        }
    }

    /// The answer in `text`, if there is one. One of white space alone is none.
    #[must_use]
    pub fn answer(&self, text: &str) -> Option<Answer> {
        let captures = self.regex.captures(text)?;
        // A group that took no part in the match leaves nothing.
        let found = if captures.len() > 1 { captures.get(1) } else { captures.get(0) }?;
        let value = self.rule.folded(found.as_str());
        (!value.is_empty()).then(|| Answer { value, range: found.range() })
    }
}

fn compiled(pattern: &str, max_bytes: usize) -> Result<Regex, regex_lite::Error> {
    RegexBuilder::new(pattern).size_limit(max_bytes).build()
}
