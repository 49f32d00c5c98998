//! A page that only listens.

use std::cell::RefCell;
use std::rc::Rc;

use nucleus_engine::{Engine, Inbox, Outbox};
use nucleus_session::{Report, Request};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::File;

use super::{after, last};

/// A report, with the logits that came beside it.
pub type Told = (Report, Option<Vec<f32>>);

/// An engine and the reports it has sent.
pub struct Page {
    pub inbox: Rc<Inbox>,
    reports: Rc<RefCell<Vec<Told>>>,
}

impl Page {
    /// Starts an engine in this worker.
    pub fn open() -> Self {
        let (inbox, reports) = (Rc::new(Inbox::new()), Rc::new(RefCell::new(Vec::new())));
        let heard = Rc::clone(&reports);
        let outbox = Outbox::new(move |report, logits| heard.borrow_mut().push((report, logits)));
        spawn_local(Engine::new(Rc::clone(&inbox), outbox).serve());
        Self { inbox, reports }
    }

    /// An engine that has answered `load` with a model.
    pub async fn ready(load: Request) -> Self {
        let page = Self::open();
        page.ask(load);
        let reports = page.end().await;
        assert!(matches!(last(&reports), Report::Ready { .. }), "{:?}", last(&reports));
        page
    }

    pub fn ask(&self, request: Request) {
        // As a message would: through the wire format.
        let bytes = request.encode().unwrap();
        self.inbox.push(Request::decode(&bytes).unwrap());
    }

    /// A request to load files of the reader's.
    pub fn ask_with_files(&self, request: Request, files: Vec<File>) {
        self.inbox.push_with_files(request, files);
    }

    /// Waits for a report that `wanted` accepts, and gives all reports up to it.
    pub async fn until(&self, wanted: impl Fn(&Report) -> bool) -> Vec<Told> {
        loop {
            let found = self.reports.borrow().iter().position(|(report, _)| wanted(report));
            if let Some(last) = found {
                return self.reports.borrow_mut().drain(..=last).collect();
            }
            JsFuture::from(after(1, JsValue::UNDEFINED)).await.unwrap();
        }
    }

    /// Waits for the end of what was asked: ready, finished or failed.
    pub async fn end(&self) -> Vec<Told> {
        self.until(|report| matches!(report, Report::Ready { .. } | Report::Finished { .. } | Report::Failed { .. }))
            .await
    }
}
