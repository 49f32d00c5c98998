//! The one place where closures are handed to the browser, and taken back when their owner goes.

use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{Event, EventTarget};

/// A listener that is removed when it is dropped.
pub struct Listener {
    target: EventTarget,
    kind: &'static str,
    closure: Closure<dyn FnMut(Event)>,
}

impl Listener {
    /// Calls `react` for every event of a kind on `target` or, for events that bubble, in it.
    ///
    /// # Errors
    /// What the browser throws.
    pub fn new(target: &EventTarget, kind: &'static str, react: impl FnMut(Event) + 'static) -> Result<Self, JsValue> {
        let closure = Closure::<dyn FnMut(Event)>::new(react);
        target.add_event_listener_with_callback(kind, closure.as_ref().unchecked_ref())?;
        Ok(Self { target: target.clone(), kind, closure })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        // Fails only for a target that is gone, with which the listener went too.
        let _ = self.target.remove_event_listener_with_callback(self.kind, self.closure.as_ref().unchecked_ref());
    }
}

/// A function that the browser calls before the next frame.
pub struct Frame {
    closure: Closure<dyn FnMut()>,
}

impl Frame {
    /// A frame callback; it is called once for each [`request`](Self::request).
    pub fn new(draw: impl FnMut() + 'static) -> Self {
        Self { closure: Closure::new(draw) }
    }

    /// Asks for one call before the next frame.
    ///
    /// # Errors
    /// What the browser throws.
    pub fn request(&self, window: &web_sys::Window) -> Result<(), JsValue> {
        window.request_animation_frame(self.closure.as_ref().unchecked_ref()).map(drop)
    }
}
