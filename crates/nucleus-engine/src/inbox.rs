//! Requests that wait for the engine.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::task::{Poll, Waker};

use nucleus_session::{Request, RunId};

/// A queue with one reader, filled from the worker's message listener.
///
/// It also answers the question that long jobs ask between two pieces of work: is there something that ends me?
#[derive(Default)]
pub struct Inbox {
    waiting: RefCell<VecDeque<Request>>,
    reader: Cell<Option<Waker>>,
}

impl Inbox {
    /// An inbox without requests.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a request, and wakes the reader.
    pub fn push(&self, request: Request) {
        self.waiting.borrow_mut().push_back(request);
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }

    /// The oldest request; waits for one if there is none.
    pub(crate) async fn next(&self) -> Request {
        poll_fn(|context| match self.waiting.borrow_mut().pop_front() {
            Some(request) => Poll::Ready(request),
            None => {
                self.reader.set(Some(context.waker().clone()));
                Poll::Pending
            }
        })
        .await
    }

    /// Whether `run` should end: it was told to, or other work is waiting.
    pub(crate) fn ends(&self, run: RunId) -> bool {
        self.waiting.borrow().iter().any(|request| match request {
            Request::Load { .. } | Request::Generate(_) => true,
            Request::Stop { run: stopped } => *stopped == run,
            _ => false,
        })
    }

    /// Whether a newer model was asked for, so that loading the present one is of no use.
    pub(crate) fn ends_loading(&self) -> bool {
        self.waiting.borrow().iter().any(|request| matches!(request, Request::Load { .. }))
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::Context;

    use nucleus_session::{DevicePreference, ModelSource};
    #[cfg(target_family = "wasm")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    fn load(model: &str) -> Request {
        Request::Load { source: ModelSource::parse(model).unwrap(), device: DevicePreference::Auto, weights: None }
    }

    #[test]
    fn requests_come_out_in_their_order_and_an_empty_inbox_waits() {
        let inbox = Inbox::new();
        let mut context = Context::from_waker(Waker::noop());
        let mut first = pin!(inbox.next());
        assert!(first.as_mut().poll(&mut context).is_pending());
        inbox.push(load("a"));
        inbox.push(load("b"));
        assert_eq!(first.as_mut().poll(&mut context), Poll::Ready(load("a")));
        assert_eq!(pin!(inbox.next()).poll(&mut context), Poll::Ready(load("b")));
    }

    #[test]
    fn a_run_is_ended_by_its_own_stop_and_by_newer_work_but_not_by_another_stop() {
        let inbox = Inbox::new();
        inbox.push(Request::Stop { run: RunId(1) });
        assert!(inbox.ends(RunId(1)));
        assert!(!inbox.ends(RunId(2)));
        inbox.push(load("a"));
        assert!(inbox.ends(RunId(2)));
    }

    #[test]
    fn loading_is_ended_by_a_newer_load_only() {
        let inbox = Inbox::new();
        inbox.push(Request::Stop { run: RunId(1) });
        assert!(!inbox.ends_loading());
        inbox.push(load("a"));
        assert!(inbox.ends_loading());
    }
}
