//! Stop strings as they are typed.

use nucleus_decode::StopStrings;

use super::option::{OptionKey, Options};
use super::plan::OptionError;

/// The stop strings that stand in their field, one per line; a line that is empty is none. `\n` is a line break, `\t` a tab,
/// `\\` a backslash.
pub(crate) fn stop_strings(options: &Options) -> Result<StopStrings, OptionError> {
    let key = OptionKey::Stop;
    let lines = options.text(key).lines().filter(|line| !line.is_empty());
    let texts = lines.map(unescape).collect::<Result<Vec<_>, _>>()?;
    StopStrings::new(texts).map_err(|error| OptionError { key, message: error.to_string() })
}

fn unescape(line: &str) -> Result<String, OptionError> {
    let mut text = String::new();
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '\\' => match characters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('\\') => '\\',
                other => {
                    let after = other.map(String::from).unwrap_or_default();
                    let message =
                        format!("\\{after} means nothing: after a backslash type n for a line break, t for a tab, or another backslash");
                    return Err(OptionError { key: OptionKey::Stop, message });
                }
            },
            other => other,
        });
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Vec<String>, String> {
        let mut options = Options::default();
        options.set(OptionKey::Stop, text.into());
        stop_strings(&options).map(|stop| stop.texts().to_vec()).map_err(|error| error.to_string())
    }

    #[test]
    fn one_a_line_and_a_line_break_can_be_written() {
        assert_eq!(parsed(""), Ok(vec![]));
        assert_eq!(parsed("The end\n\n\\n\\n\n a\\\\n"), Ok(vec!["The end".into(), "\n\n".into(), " a\\n".into()]));
    }

    #[test]
    fn a_backslash_before_anything_else_and_too_many_are_refused() {
        assert!(parsed("\\x").unwrap_err().contains("\\x means nothing"));
        assert!(parsed("a\\").unwrap_err().contains("after a backslash"));
        assert!(parsed(&"a\n".repeat(17)).unwrap_err().contains("17"));
    }
}
