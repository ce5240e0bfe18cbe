//! The abort controllers of what is going on: requests, handlers, questions to a person.
//!
//! Aborting runs listeners, which are user code: no table may be borrowed while that happens.
//! A list, not a map: few things go on at once, and a map for each kind of key costs kilobytes of code.

use std::cell::RefCell;
use wasm_bindgen::JsValue;
use web_sys::AbortController;

/// One table of controllers, by the number of their handle.
#[derive(Debug, Default)]
pub(super) struct Cancels(RefCell<Vec<(u32, Option<AbortController>)>>);

impl Cancels {
    /// Notes that something began and gives its signal: undefined where there are no controllers.
    pub(super) fn open(&self, key: u32) -> JsValue {
        let controller = AbortController::new().ok();
        let signal = controller.as_ref().map_or(JsValue::UNDEFINED, |controller| controller.signal().into());
        self.0.borrow_mut().push((key, controller));
        signal
    }

    /// Whether it is still going on.
    pub(super) fn has(&self, key: u32) -> bool {
        self.0.borrow().iter().any(|(known, _)| *known == key)
    }

    /// Notes that it is over.
    pub(super) fn close(&self, key: u32) {
        drop(self.take(key));
    }

    /// Tells it to stop, and why.
    pub(super) fn abort(&self, key: u32, reason: &str) {
        stop(self.take(key), reason);
    }

    /// Tells all of them to stop.
    pub(super) fn abort_all(&self, reason: &str) {
        for (_, controller) in self.0.take() {
            stop(controller, reason);
        }
    }

    fn take(&self, key: u32) -> Option<AbortController> {
        let mut going_on = self.0.borrow_mut();
        let at = going_on.iter().position(|(known, _)| *known == key)?;
        going_on.swap_remove(at).1
    }
}

fn stop(controller: Option<AbortController>, reason: &str) {
    if let Some(controller) = controller {
        let error = js_sys::Error::new(reason);
        error.set_name("AbortError");
        controller.abort_with_reason(&error);
    }
}
