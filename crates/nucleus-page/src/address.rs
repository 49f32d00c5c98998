//! The page's address: read once at the start, replaced as the session asks.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::Window;

/// Browsers limit how often an address may be replaced (100 times in 30 s in Safari), and a slider asks at every position:
/// after a query is written, the next one waits for this long.
const PAUSE_MS: i32 = 350;

/// Writes queries into the address bar, the last of several.
pub struct Address {
    pen: Rc<Pen>,
    on_time: Closure<dyn FnMut()>,
}

impl Address {
    /// The address of a window.
    pub fn new(window: Window) -> Self {
        let pen = Rc::new(Pen { window, waiting: RefCell::default(), written_ms: Cell::new(f64::NEG_INFINITY) });
        let of_timer = Rc::clone(&pen);
        Self { pen, on_time: Closure::new(move || of_timer.write()) }
    }

    /// Puts a query, `?` included, into the address bar: at once if none was written lately, since a browser that loads the
    /// page again has taken the address before it tells the page so.
    pub fn replace(&self, query: String) {
        if self.pen.waiting.replace(Some(query)).is_some() {
            return;
        }
        let is_rested = self.pen.now() - self.pen.written_ms.get() >= f64::from(PAUSE_MS);
        if is_rested {
            self.pen.write();
            return;
        }
        let on_time = self.on_time.as_ref().unchecked_ref();
        if let Err(error) = self.pen.window.set_timeout_with_callback_and_timeout_and_arguments_0(on_time, PAUSE_MS) {
            web_sys::console::warn_1(&error);
        }
    }

    /// Writes what still waits, before the page goes.
    pub fn write_now(&self) {
        self.pen.write();
    }
}

/// What the timer shares with the address.
struct Pen {
    window: Window,
    waiting: RefCell<Option<String>>,
    /// When a query was last written.
    written_ms: Cell<f64>,
}

impl Pen {
    fn write(&self) {
        if let Some(query) = self.waiting.take() {
            self.written_ms.set(self.now());
            self.replace_state(&query).unwrap_or_else(|error| web_sys::console::warn_1(&error));
        }
    }

    fn replace_state(&self, query: &str) -> Result<(), JsValue> {
        self.window.history()?.replace_state_with_url(&JsValue::NULL, "", Some(query))
    }

    /// Milliseconds since the page was opened; 0 where the browser has no such clock.
    fn now(&self) -> f64 {
        self.window.performance().map_or(0.0, |performance| performance.now())
    }
}
