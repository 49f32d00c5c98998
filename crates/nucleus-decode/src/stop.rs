//! Stop strings: texts at which a run ends, found in the bytes of its tokens.
//!
//! What counts is the decoded text, whatever tokens it is made of: a stop string may span tokens, begin within one, and
//! end within one. Only new text is searched, not the prompt.
//!
//! The run ends at the occurrence that is complete first; of those that the same byte completes, at the longest, which
//! is the one that starts first. So the cut does not depend on how the text is cut into tokens, as it would if each
//! token were followed by a search for one stop string after the other. Nothing of the occurrence is text of the run, nor
//! what the same token has after it.

mod matcher;
mod stream;
mod strings;

pub use matcher::{Scan, StopMatch, StopMatcher};
pub use stream::{Held, Shown, StopStream};
pub use strings::{StopStringError, StopStrings};
