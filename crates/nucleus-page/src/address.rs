//! The page's address: read once at the start, replaced as the session asks.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::Window;

/// Browsers limit how often an address may be replaced (100 times in 30 s in Safari), and a slider asks at every
/// position: the last query is written once the asking has paused for this long.
const PAUSE_MS: i32 = 350;

/// Writes queries into the address bar, the last of several.
pub struct Address {
    window: Window,
    waiting: Rc<RefCell<Option<String>>>,
    timer: Cell<Option<i32>>,
    write: Closure<dyn FnMut()>,
}

impl Address {
    /// The address of a window.
    pub fn new(window: Window) -> Self {
        let waiting = Rc::new(RefCell::new(None::<String>));
        let write = Closure::new({
            let (window, waiting) = (window.clone(), Rc::clone(&waiting));
            move || {
                if let Some(query) = waiting.take() {
                    write(&window, &query).unwrap_or_else(|error| web_sys::console::warn_1(&error));
                }
            }
        });
        Self { window, waiting, timer: Cell::new(None), write }
    }

    /// Puts a query, `?` included, into the address bar, soon.
    pub fn replace(&self, query: String) {
        self.waiting.replace(Some(query));
        if let Some(timer) = self.timer.take() {
            self.window.clear_timeout_with_handle(timer);
        }
        let write = self.write.as_ref().unchecked_ref();
        self.timer.set(self.window.set_timeout_with_callback_and_timeout_and_arguments_0(write, PAUSE_MS).ok());
    }
}

fn write(window: &Window, query: &str) -> Result<(), JsValue> {
    window.history()?.replace_state_with_url(&JsValue::NULL, "", Some(query))
}
