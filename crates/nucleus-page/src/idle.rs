//! Work for when nothing else waits: `setTimeout`, which every browser has, in place of `requestIdleCallback`.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::Window;

/// Long enough that a slider's own answer is drawn first.
const PAUSE_MS: i32 = 30;

/// A callback for later; asking again before it ran changes nothing.
pub struct Idle {
    closure: Closure<dyn FnMut()>,
    is_asked_for: Rc<Cell<bool>>,
}

impl Idle {
    /// A callback for idle times.
    pub fn new(mut work: impl FnMut() + 'static) -> Self {
        let is_asked_for = Rc::new(Cell::new(false));
        let flag = Rc::clone(&is_asked_for);
        let closure = Closure::new(move || {
            flag.set(false);
            work();
        });
        Self { closure, is_asked_for }
    }

    /// Asks for one call.
    ///
    /// # Errors
    /// What the browser throws.
    pub fn request(&self, window: &Window) -> Result<(), JsValue> {
        if self.is_asked_for.replace(true) {
            return Ok(());
        }
        let callback = self.closure.as_ref().unchecked_ref();
        window.set_timeout_with_callback_and_timeout_and_arguments_0(callback, PAUSE_MS).map(drop)
    }
}
