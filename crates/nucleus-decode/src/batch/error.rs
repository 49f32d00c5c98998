use crate::{DecodeError, Request};

/// Why several rows could not start or go on. The steps before it have been delivered, and stay good.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BatchError<E: std::error::Error + 'static> {
    /// There is nothing to continue.
    #[error("there are no prompts: give 1 or more")]
    NoPrompts,
    /// There is nothing to put a request into.
    #[error("there are 0 slots: give 1 or more")]
    NoSlots,
    /// A request would arrive in a time that is not counted.
    #[error("request {} arrives at step {arrives_at}, but must arrive by step {}", .request + 1, Request::LATEST)]
    Arrival {
        /// Which, from 0; the sentence counts from 1.
        request: usize,
        /// The step that was asked for.
        arrives_at: usize,
    },
    /// One row of a batch went wrong.
    #[error("row {}: {source}", .row + 1)]
    Row {
        /// Which, from 0; the sentence counts from 1.
        row: usize,
        /// What is wrong with it.
        source: DecodeError<E>,
    },
    /// One request of a continuous batch went wrong.
    #[error("request {}: {source}", .request + 1)]
    Request {
        /// Which, from 0; the sentence counts from 1.
        request: usize,
        /// What is wrong with it.
        source: DecodeError<E>,
    },
    /// The model failed for all rows together.
    #[error("the model failed: {0}")]
    Model(#[source] E),
}

impl<E: std::error::Error + 'static> BatchError<E> {
    /// Puts the row beside what went wrong.
    pub(crate) fn row(row: usize) -> impl FnOnce(DecodeError<E>) -> Self {
        move |source| Self::Row { row, source }
    }

    /// Puts the request beside what went wrong.
    pub(crate) fn request(request: usize) -> impl FnOnce(DecodeError<E>) -> Self {
        move |source| Self::Request { request, source }
    }
}
