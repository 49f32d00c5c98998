//! Why a job ended before its result.

use nucleus_session::Failure;
use thiserror::Error;

/// A job that has no result.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Halt {
    /// It failed, and the page must hear why.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// A request waits that makes it useless: the page asked for that.
    #[error("a newer request took its place")]
    Superseded,
    /// The file on the server is no longer the one whose first part came.
    #[error("the file changed on the server")]
    Changed,
}
