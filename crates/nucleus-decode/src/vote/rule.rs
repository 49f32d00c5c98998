use serde::{Deserialize, Serialize};

/// Where the answer of a text stands. Every rule is a regular expression that can be shown, and edited as a
/// [`Pattern`](Self::Pattern); the answer is what its first group matches, or all that it matches where it has no group,
/// at the first place where it does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AnswerRule {
    /// The first number that does not begin inside a word: a sign (`-`, `+` or `−`), digits, commas between groups of
    /// three, a point and decimals. `1,234.50` is one number, and in `1,2345` the first is 1. Numbers that are written
    /// differently but are the same count as the same: 1,234.50 as 1234.5, +7 and 007 as 7, -0 as 0.
    #[default]
    FirstNumber,
    /// The first word: what stands between white space and punctuation, hyphens and apostrophes inside it kept. Upper and
    /// lower case are the same.
    FirstWord,
    /// A regular expression in the syntax of the crate `regex-lite`. Answers are compared as they stand, without white
    /// space around them.
    Pattern(String),
}

/// A sign, digits with or without commas, decimals. It does not begin inside a word: what is before it is no letter of
/// a to z, digit or underscore.
const FIRST_NUMBER: &str = r"(?:^|\W)([-+−]?(?:(?:\d{1,3}(?:,\d{3})+\b|\d+)(?:\.\d+)?|\.\d+))";
/// Neither white space nor punctuation; hyphens and apostrophes not at the beginning.
const FIRST_WORD: &str = r#"[^\s.,;:!?…"“”„«»()\[\]{}<>*_'’‘`–—-][^\s.,;:!?…"“”„«»()\[\]{}<>*_–—]*"#;

impl AnswerRule {
    /// The regular expression.
    #[must_use]
    pub fn pattern(&self) -> &str {
        match self {
            Self::FirstNumber => FIRST_NUMBER,
            Self::FirstWord => FIRST_WORD,
            Self::Pattern(pattern) => pattern,
        }
    }

    /// What two answers are compared by; empty for no answer.
    pub(super) fn folded(&self, found: &str) -> String {
        match self {
            Self::FirstNumber => number(found),
            Self::FirstWord => found.trim_end_matches(['\'', '’', '‘', '`', '-']).to_lowercase(),
            Self::Pattern(_) => found.trim().to_owned(),
        }
    }
}

/// One way to write each number: no plus, no commas, no zeros that say nothing, no minus before zero.
fn number(found: &str) -> String {
    let is_negative = found.starts_with(['-', '−']);
    let digits = found.trim_start_matches(['-', '+', '−']).replace(',', "");
    let (whole, decimals) = digits.split_once('.').unwrap_or((&digits, ""));
    let (whole, decimals) = (whole.trim_start_matches('0'), decimals.trim_end_matches('0'));
    let sign = if is_negative && !(whole.is_empty() && decimals.is_empty()) { "-" } else { "" };
    let whole = if whole.is_empty() { "0" } else { whole };
    let point = if decimals.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{decimals}")
}

/// Why a pattern cannot be a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It is not in the syntax.
    #[error("the pattern is no regular expression: {0}; correct it, or choose another rule")]
    Syntax(regex_lite::Error),
    /// Looking for it would take too long.
    #[error("the pattern is too large: lower the counts in it, as 100 in {{0,100}}, or give fewer alternatives")]
    TooLarge,
}
