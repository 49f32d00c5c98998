//! Time, and giving way to messages.

use js_sys::Promise;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{MessageChannel, WorkerGlobalScope};

/// Milliseconds since the worker started, from `performance.now()`; 0 where there is no such clock.
pub(crate) fn now() -> f64 {
    js_sys::global().unchecked_into::<WorkerGlobalScope>().performance().map_or(0.0, |clock| clock.now())
}

/// Lets the worker's event loop run once, so that messages which have come are delivered.
///
/// A promise that is already resolved would not do: it runs before the next event. A timer would, but browsers make
/// nested timers wait 4 ms, longer than a token takes. A message to oneself is an event without delay.
pub(crate) struct Breath {
    channel: Option<MessageChannel>,
}

impl Breath {
    pub(crate) fn new() -> Self {
        Self { channel: MessageChannel::new().ok() }
    }

    pub(crate) async fn take(&self) {
        let Some(channel) = &self.channel else { return };
        let delivered = Promise::new(&mut |resolve, _| {
            channel.port1().set_onmessage(Some(&resolve));
            // Posting null cannot fail, and if it did, waiting for it would hang.
            if channel.port2().post_message(&JsValue::NULL).is_err() {
                let _ = resolve.call0(&JsValue::NULL);
            }
        });
        let _ = JsFuture::from(delivered).await;
    }
}

/// Waits, at least this long.
pub(crate) async fn sleep(milliseconds: i32) {
    Alarm::set(milliseconds).rung().await;
}

/// A timer, which is taken back when it is dropped.
pub(crate) struct Alarm {
    timer: Option<i32>,
    rung: Promise,
}

impl Alarm {
    pub(crate) fn set(milliseconds: i32) -> Self {
        let worker = js_sys::global().unchecked_into::<WorkerGlobalScope>();
        let mut timer = None;
        let rung = Promise::new(&mut |resolve, _| {
            timer = worker.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, milliseconds).ok();
        });
        Self { timer, rung }
    }

    pub(crate) async fn rung(&self) {
        // A browser that sets no timer would be waited for for ever.
        if self.timer.is_some() {
            let _ = JsFuture::from(self.rung.clone()).await;
        }
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        if let Some(timer) = self.timer {
            js_sys::global().unchecked_into::<WorkerGlobalScope>().clear_timeout_with_handle(timer);
        }
    }
}
