//! The name of a token: its column in the logits.

use core::fmt;

use serde::{Deserialize, Serialize};

/// A token's id, which is also its column in the logits: 0 or more, below `n_vocab`.
///
/// On the wire it is the bare number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenId(pub u32);

impl TokenId {
    /// The id as an index into the logits.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<u32> for TokenId {
    fn from(id: u32) -> Self {
        Self(id)
    }
}

impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
