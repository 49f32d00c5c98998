use serde::Deserialize;

use crate::TokenizerError;

/// Merge rules in order of rank: the two tokens that become one.
pub(crate) type Merges = Vec<(String, String)>;

/// One rule as a `tokenizer.json` spells it: `["Ġ", "t"]` today, `"Ġ t"` before version 0.20 of the library.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Rule {
    Pair(String, String),
    Line(String),
}

/// The rules of a `tokenizer.json`.
pub(crate) fn from_rules(rules: Vec<Rule>) -> Result<Merges, TokenizerError> {
    let read = |(rule, spelled)| match spelled {
        Rule::Pair(left, right) => Ok((left, right)),
        Rule::Line(line) => from_line(rule, &line),
    };
    rules.into_iter().enumerate().map(read).collect()
}

/// The rules of a `vocab.bpe` or `merges.txt`: a line `#version: 0.2`, then one rule a line.
pub(crate) fn from_text(bytes: &[u8]) -> Result<Merges, TokenizerError> {
    let text = core::str::from_utf8(bytes)
        .map_err(|error| TokenizerError::MergesNotText { valid_up_to: error.valid_up_to() })?;
    let text = text.trim_end_matches(['\r', '\n']);
    let is_header = |line: &&str| line.starts_with("#version");
    let skip = usize::from(text.lines().next().is_some_and(|line| is_header(&line)));
    text.lines().skip(skip).enumerate().map(|(rule, line)| from_line(rule, line)).collect()
}

fn from_line(rule: usize, line: &str) -> Result<(String, String), TokenizerError> {
    match line.split_once(' ') {
        Some((left, right)) if !left.is_empty() && !right.is_empty() && !right.contains(' ') => {
            Ok((left.to_owned(), right.to_owned()))
        }
        _ => Err(TokenizerError::BadMerge { rule }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(left: &str, right: &str) -> (String, String) {
        (left.to_owned(), right.to_owned())
    }

    #[test]
    fn the_header_is_skipped_once_and_hashes_are_tokens() {
        let merges = from_text(b"#version: 0.2\n# #\na b\r\n").unwrap();
        assert_eq!(merges, [pair("#", "#"), pair("a", "b")]);
        assert_eq!(from_text(b"a b").unwrap(), [pair("a", "b")]);
        assert_eq!(from_text(b"").unwrap(), []);
    }

    #[test]
    fn a_bad_line_is_named_by_its_rank() {
        for text in ["a b\nab\n", "a b\n\nb c", "a b\na  b", "a b\n a", "a b\na ", "a b\na b c"] {
            let error = from_text(text.as_bytes()).unwrap_err();
            assert!(matches!(error, TokenizerError::BadMerge { rule: 1 }), "{text:?}: {error}");
        }
    }

    #[test]
    fn bytes_that_are_not_text_are_refused() {
        assert!(matches!(from_text(b"a b\n\xFF"), Err(TokenizerError::MergesNotText { valid_up_to: 4 })));
    }

    #[test]
    fn both_spellings_of_a_rule_are_read() {
        let rules: Vec<Rule> = serde_json::from_str(r#"[["a", "b"], "a b"]"#).unwrap();
        assert_eq!(from_rules(rules).unwrap(), [pair("a", "b"), pair("a", "b")]);
    }
}
