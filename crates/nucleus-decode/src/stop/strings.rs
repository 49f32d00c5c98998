use serde::{Deserialize, Serialize};

/// The texts at which a run ends: none to [`StopStrings::MOST`], none of them empty.
///
/// On the wire it is the list of the texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct StopStrings(Vec<String>);

/// Why texts cannot be stop strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StopStringError {
    /// An empty text occurs before the first character.
    #[error("stop string {number} is empty, which would end every run at once: give it a character or leave it out")]
    Empty {
        /// Which of them, from 1.
        number: usize,
    },
    /// Each is looked for at every byte.
    #[error("there are {found} stop strings, but at most {} are allowed: leave some out", StopStrings::MOST)]
    TooMany {
        /// How many there are.
        found: usize,
    },
}

impl StopStrings {
    /// The largest number of them.
    pub const MOST: usize = 16;

    /// Checks the texts. Their order is kept: an index names the same text everywhere.
    ///
    /// # Errors
    ///
    /// [`StopStringError::Empty`] for an empty text, [`StopStringError::TooMany`] for more than [`Self::MOST`].
    pub fn new(texts: Vec<String>) -> Result<Self, StopStringError> {
        if texts.len() > Self::MOST {
            return Err(StopStringError::TooMany { found: texts.len() });
        }
        match texts.iter().position(String::is_empty) {
            Some(index) => Err(StopStringError::Empty { number: index + 1 }),
            None => Ok(Self(texts)),
        }
    }

    /// Whether no text ends the run.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The texts, in order.
    #[must_use]
    pub fn texts(&self) -> &[String] {
        &self.0
    }

    /// The text with an index, as [`StopReason::StopString`](crate::StopReason::StopString) names it.
    #[must_use]
    pub fn get(&self, index: u8) -> Option<&str> {
        self.0.get(usize::from(index)).map(String::as_str)
    }
}

impl TryFrom<Vec<String>> for StopStrings {
    type Error = StopStringError;

    fn try_from(texts: Vec<String>) -> Result<Self, StopStringError> {
        Self::new(texts)
    }
}

impl From<StopStrings> for Vec<String> {
    fn from(strings: StopStrings) -> Self {
        strings.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_text_is_refused_and_named() {
        let texts = |texts: &[&str]| StopStrings::new(texts.iter().map(ToString::to_string).collect());
        assert_eq!(texts(&["\n", ""]), Err(StopStringError::Empty { number: 2 }));
        assert_eq!(texts(&["", ""]), Err(StopStringError::Empty { number: 1 }));
        assert!(texts(&[" "]).is_ok());
        assert!(texts(&[]).is_ok_and(|none| none.is_empty()));
    }

    #[test]
    fn the_limit_itself() {
        let texts = |n: usize| StopStrings::new(vec!["x".to_owned(); n]);
        assert!(texts(StopStrings::MOST).is_ok());
        assert_eq!(texts(17), Err(StopStringError::TooMany { found: 17 }));
        assert!(StopStringError::TooMany { found: 17 }.to_string().contains("17 stop strings, but at most 16"));
    }
}
