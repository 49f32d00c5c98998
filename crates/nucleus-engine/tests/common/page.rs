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
    reaction: Rc<RefCell<Option<Reaction>>>,
}

/// What is asked in the moment in which a report comes, and which report that is.
type Reaction = (Box<dyn Fn(&Report) -> bool>, Request);

impl Page {
    /// Starts an engine in this worker.
    pub fn open() -> Self {
        let (inbox, reports) = (Rc::new(Inbox::new()), Rc::new(RefCell::new(Vec::new())));
        let reaction: Rc<RefCell<Option<Reaction>>> = Rc::default();
        let (heard, reacting, asked) = (Rc::clone(&reports), Rc::clone(&reaction), Rc::clone(&inbox));
        let outbox = Outbox::new(move |report, logits| {
            if let Some((_, request)) = reacting.borrow_mut().take_if(|(wanted, _)| wanted(&report)) {
                asked.push(request);
            }
            heard.borrow_mut().push((report, logits));
        });
        spawn_local(Engine::new(Rc::clone(&inbox), outbox).serve());
        Self { inbox, reports, reaction }
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

    /// Asks as soon as a report comes that `wanted` accepts: before the engine does anything else.
    pub fn ask_when(&self, wanted: impl Fn(&Report) -> bool + 'static, request: Request) {
        self.reaction.replace(Some((Box::new(wanted), request)));
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
