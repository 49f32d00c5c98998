use core::ops::Range;

use regex_lite::Regex;
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

impl Extractor {
    /// Compiles the rule.
    ///
    /// # Errors
    ///
    /// [`PatternError`] if its pattern is no regular expression, or one that is too large.
    pub fn new(rule: AnswerRule) -> Result<Self, PatternError> {
        let regex = Regex::new(rule.pattern())?;
        Ok(Self { rule, regex })
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
