//! Requests that wait for the engine.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Poll, Waker};

use nucleus_session::{Request, RunId};
use web_sys::File;

use crate::clock::Alarm;
use crate::halt::Halt;

/// A request, and the files that came beside it.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) request: Request,
    /// Those of the source, in its order.
    pub(crate) files: Vec<File>,
}

/// A queue with one reader, filled from the worker's message listener.
///
/// It also answers the question that long jobs ask between two pieces of work: is there something that ends me?
#[derive(Default)]
pub struct Inbox {
    waiting: RefCell<VecDeque<Asked>>,
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
        self.push_with_files(request, Vec::new());
    }

    /// Adds a request with the files that it is about.
    pub fn push_with_files(&self, request: Request, files: Vec<File>) {
        self.waiting.borrow_mut().push_back(Asked { request, files });
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }

    /// The oldest request; waits for one if there is none.
    pub(crate) async fn next(&self) -> Asked {
        poll_fn(|context| match self.waiting.borrow_mut().pop_front() {
            Some(asked) => Poll::Ready(asked),
            None => {
                self.reader.set(Some(context.waker().clone()));
                Poll::Pending
            }
        })
        .await
    }

    /// The oldest of the waiting requests that `wanted` accepts.
    pub(crate) fn take(&self, wanted: impl Fn(&Request) -> bool) -> Option<Request> {
        let mut waiting = self.waiting.borrow_mut();
        let place = waiting.iter().position(|asked| wanted(&asked.request))?;
        waiting.remove(place).map(|asked| asked.request)
    }

    /// Waits for `job`, but not longer than loading makes sense.
    ///
    /// # Errors
    /// [`Halt::Superseded`] as soon as [`ends_loading`](Self::ends_loading).
    pub(crate) async fn unless_ended<T>(&self, job: impl Future<Output = T>) -> Result<T, Halt> {
        let mut job = pin!(job);
        poll_fn(|context| {
            if self.ends_loading() {
                return Poll::Ready(Err(Halt::Superseded));
            }
            self.reader.set(Some(context.waker().clone()));
            job.as_mut().poll(context).map(Ok)
        })
        .await
    }

    /// As [`unless_ended`](Self::unless_ended), but not for longer than `milliseconds`: then `None`.
    ///
    /// # Errors
    /// The same.
    pub(crate) async fn patient<T>(&self, job: impl Future<Output = T>, milliseconds: i32) -> Result<Option<T>, Halt> {
        let alarm = Alarm::set(milliseconds);
        let (mut job, mut rung) = (pin!(job), pin!(alarm.rung()));
        let first = poll_fn(|context| match job.as_mut().poll(context) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending => rung.as_mut().poll(context).map(|()| None),
        });
        self.unless_ended(first).await
    }

    /// Waits until there is a request that was not there before, of whatever kind.
    pub(crate) async fn news(&self) {
        let before = self.waiting.borrow().len();
        poll_fn(|context| {
            if self.waiting.borrow().len() > before {
                return Poll::Ready(());
            }
            self.reader.set(Some(context.waker().clone()));
            Poll::Pending
        })
        .await;
    }

    /// Whether `run` should end: it was told to, or other work is waiting.
    pub(crate) fn ends(&self, run: RunId) -> bool {
        self.waiting.borrow().iter().any(|asked| match &asked.request {
            Request::Load { .. } | Request::Generate(_) | Request::Decode(_) => true,
            Request::Stop { run: stopped } => *stopped == run,
            _ => false,
        })
    }

    /// Whether a newer model was asked for, or loading was given up, so that to go on with it is of no use.
    pub(crate) fn ends_loading(&self) -> bool {
        let ends = |request: &Request| matches!(request, Request::Load { .. } | Request::CancelLoading);
        self.waiting.borrow().iter().any(|asked| ends(&asked.request))
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
        assert_eq!(first.as_mut().poll(&mut context).map(|asked| asked.request), Poll::Ready(load("a")));
        assert_eq!(pin!(inbox.next()).poll(&mut context).map(|asked| asked.request), Poll::Ready(load("b")));
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
    fn loading_is_ended_by_a_newer_load_and_by_giving_up_only() {
        for end in [load("a"), Request::CancelLoading] {
            let inbox = Inbox::new();
            let mut context = Context::from_waker(Waker::noop());
            let mut job = pin!(inbox.unless_ended(std::future::pending::<()>()));
            inbox.push(Request::Stop { run: RunId(1) });
            inbox.push(Request::Download);
            assert!(!inbox.ends_loading() && job.as_mut().poll(&mut context).is_pending());
            inbox.push(end);
            assert!(inbox.ends_loading());
            assert_eq!(job.as_mut().poll(&mut context), Poll::Ready(Err(Halt::Superseded)));
        }
    }

    #[test]
    fn a_request_is_taken_out_of_turn_and_the_others_stay_in_order() {
        let inbox = Inbox::new();
        [Request::ListKept, load("a"), Request::Download].into_iter().for_each(|request| inbox.push(request));
        assert_eq!(inbox.take(|request| *request == Request::Download), Some(Request::Download));
        assert_eq!(inbox.take(|request| *request == Request::Download), None);
        let mut context = Context::from_waker(Waker::noop());
        assert_eq!(pin!(inbox.next()).poll(&mut context).map(|asked| asked.request), Poll::Ready(Request::ListKept));
    }
}
