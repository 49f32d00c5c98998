//! The running page: messages go into the session, effects come out and are carried out here.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use nucleus_session::{Asset, Effect, ModelSource, Msg, Request, Session};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;
use web_sys::Window;

use crate::address::Address;
use crate::disk::Disk;
use crate::dom;
use crate::fetch;
use crate::idle::Idle;
use crate::listener::Frame;
use crate::storage;
use crate::view::View;
use crate::worker::{Engine, FromWorker};

/// Everything that lives as long as the page. No borrow is held while the browser is called back.
pub struct App {
    window: Window,
    session: RefCell<Session>,
    engine: RefCell<Option<Engine>>,
    view: RefCell<View>,
    address: Address,
    disk: Disk,
    frame: Frame,
    idle: Idle,
    /// The session has changed since it was shown, and a frame is asked for.
    is_stale: Cell<bool>,
    /// Which worker is the present one: what an older one had on its way is dropped.
    generation: Cell<u32>,
    this: Weak<App>,
}

impl App {
    /// The page over an `index.html` whose elements are all there.
    ///
    /// # Errors
    /// When an element is missing, or the browser refuses a listener.
    pub fn new() -> Result<Rc<Self>, JsValue> {
        let window = dom::window()?;
        let view = View::new()?;
        Ok(Rc::new_cyclic(|this: &Weak<Self>| {
            let [for_frame, for_idle] = [this.clone(), this.clone()];
            Self {
                address: Address::new(window.clone()),
                disk: Disk::default(),
                window,
                session: RefCell::new(Session::new()),
                engine: RefCell::new(None),
                view: RefCell::new(view),
                frame: Frame::new(move || for_frame.upgrade().into_iter().for_each(|app| app.render_if_stale())),
                idle: Idle::new(move || for_idle.upgrade().into_iter().for_each(|app| app.dispatch(Msg::Idle))),
                is_stale: Cell::new(false),
                generation: Cell::new(0),
                this: this.clone(),
            }
        }))
    }

    /// The files that the reader gave.
    pub fn disk(&self) -> &Disk {
        &self.disk
    }

    /// Tells the session what happened, does what it asks for, and shows the result with the next frame.
    pub fn dispatch(&self, msg: Msg) {
        let effects = self.session.borrow_mut().update(msg);
        for effect in effects {
            if let Err(error) = self.carry_out(effect) {
                self.dispatch(Msg::EngineTrapped { message: fetch::message(&error) });
            }
        }
        self.ask_for_frame();
    }

    /// Lets go of the engine, and leaves the address as the session has it, before the page goes.
    pub fn close(&self) {
        self.dispatch(Msg::Closing);
        self.address.write_now();
    }

    /// Shows the session with the next frame: after a message, and when the room for the figures has changed.
    pub fn ask_for_frame(&self) {
        if !self.is_stale.replace(true)
            && let Err(error) = self.frame.request(&self.window)
        {
            web_sys::console::error_1(&error);
        }
    }

    /// Shows the session as it is now, in this very moment: for answers that should not wait for a frame.
    pub fn render(&self) {
        self.is_stale.set(false);
        let shown = self.view.borrow_mut().render(&self.session.borrow());
        if let Err(error) = shown {
            web_sys::console::error_1(&error);
        }
    }

    fn render_if_stale(&self) {
        if self.is_stale.get() {
            self.render();
        }
    }

    /// Does something and leaves how long it took in the browser's performance timeline.
    pub fn timed(&self, name: &str, act: impl FnOnce()) {
        let start = format!("{name} begins");
        let performance = self.window.performance();
        if let Some(performance) = &performance {
            let _ = performance.mark(&start);
        }
        act();
        if let Some(performance) = performance {
            let _ = performance.measure_with_start_mark(name, &start);
            performance.clear_marks_with_mark_name(&start);
        }
    }

    fn carry_out(&self, effect: Effect) -> Result<(), JsValue> {
        match effect {
            Effect::StartEngine => self.start_engine(),
            Effect::TerminateEngine => {
                self.engine.replace(None);
                Ok(())
            }
            Effect::Send(request) => self.send(&request),
            Effect::Fetch { asset, address } => {
                self.fetch(asset, address);
                Ok(())
            }
            Effect::ReplaceAddress(query) => {
                self.address.replace(query);
                Ok(())
            }
            Effect::FocusControl(control) => self.view.borrow().focus(control),
            Effect::FocusOption(key) => self.view.borrow().focus_option(key),
            Effect::FocusLoading => {
                self.view.borrow_mut().focus_loading();
                Ok(())
            }
            Effect::AskToPersist(really) => {
                self.ask_to_persist(really);
                Ok(())
            }
            Effect::WhenIdle => self.idle.request(&self.window),
        }
    }

    fn start_engine(&self) -> Result<(), JsValue> {
        let generation = self.generation.get() + 1;
        self.generation.set(generation);
        let this = self.this.clone();
        let receive = move |message| {
            if let Some(app) = this.upgrade().filter(|app| app.generation.get() == generation) {
                app.dispatch(match message {
                    FromWorker::Report(report, logits) => Msg::Reported { report, logits, at_ms: app.now() },
                    FromWorker::Died(message) => Msg::EngineTrapped { message },
                });
            }
        };
        self.engine.replace(Some(Engine::start("worker.js", receive)?));
        Ok(())
    }

    /// Milliseconds since the page was opened; 0 where the browser has no such clock.
    fn now(&self) -> f64 {
        self.window.performance().map_or(0.0, |performance| performance.now())
    }

    fn send(&self, request: &Request) -> Result<(), JsValue> {
        let files = match request {
            Request::Load { source: ModelSource::Files(files), .. } => Some(self.disk.find(files)),
            _ => None,
        };
        self.engine.borrow().as_ref().map_or(Ok(()), |engine| engine.send(request, files.as_ref()))
    }

    fn ask_to_persist(&self, really: bool) {
        let (this, window) = (self.this.clone(), self.window.clone());
        spawn_local(async move {
            let answer = storage::persistence(&window, !really).await;
            if let Some(app) = this.upgrade() {
                app.dispatch(Msg::Persistence(answer));
            }
        });
    }

    fn fetch(&self, asset: Asset, address: String) {
        let (this, window) = (self.this.clone(), self.window.clone());
        spawn_local(async move {
            let result = fetch::bytes(&window, &address).await;
            if let Some(app) = this.upgrade() {
                app.dispatch(Msg::Fetched { asset, result });
            }
        });
    }
}
