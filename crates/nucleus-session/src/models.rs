//! Which models there are, and where.

use core::fmt;

use serde::{Deserialize, Serialize};

/// The name of a model: that of its folder in `models/`.
///
/// Another checkpoint is used by putting its folder there and opening `?model=` with its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelName(String);

/// The longest name, bytes.
const LONGEST: usize = 100;

/// The model that comes with the page.
const EMBEDDED: &str = "tales";

/// The models that the page offers in its list.
pub const KNOWN_MODELS: [KnownModel; 1] = [KnownModel { name: EMBEDDED, title: "Tales, 3.5 million parameters" }];

/// A model in the page's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownModel {
    /// Its name.
    pub name: &'static str,
    /// What the list shows.
    pub title: &'static str,
}

impl ModelName {
    /// Checks a name. It becomes part of an address, so that nothing in it may lead elsewhere.
    #[must_use]
    pub fn new(name: &str) -> Option<Self> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        let fits = (1..=LONGEST).contains(&name.len());
        (fits && !name.starts_with('.') && name.chars().all(plain)).then(|| Self(name.to_owned()))
    }

    /// The name itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folder's address relative to the page, with a slash at its end.
    #[must_use]
    pub fn folder(&self) -> String {
        format!("models/{}/", self.0)
    }
}

impl Default for ModelName {
    fn default() -> Self {
        Self(EMBEDDED.to_owned())
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_within_its_folder() {
        for name in ["", ".", "..", ".git", "a/b", "../x", "a b", "a%2fb", "a\\b", "http:x", "\u{e9}"] {
            assert_eq!(ModelName::new(name), None, "{name}");
        }
        assert!(ModelName::new(&"a".repeat(LONGEST)).is_some());
        assert_eq!(ModelName::new(&"a".repeat(LONGEST + 1)), None);
        let folder = ModelName::new("gpt2-medium_v1.0").map(|name| name.folder());
        assert_eq!(folder.as_deref(), Some("models/gpt2-medium_v1.0/"));
    }

    #[test]
    fn every_known_model_has_a_good_name_and_the_embedded_one_is_among_them() {
        assert!(KNOWN_MODELS.iter().all(|model| ModelName::new(model.name).is_some()));
        assert!(KNOWN_MODELS.iter().any(|model| model.name == ModelName::default().as_str()));
    }
}
