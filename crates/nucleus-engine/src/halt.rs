//! Why a job ended before its result.

use nucleus_session::Failure;
use thiserror::Error;

/// A job that has no result.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Halt {
    /// It failed, and the page must hear why.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// A newer request waits that makes it useless; the page asked for that, and needs no report.
    #[error("a newer request took its place")]
    Superseded,
}
