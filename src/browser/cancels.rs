//! The abort controllers of what is going on: requests, handlers, questions to a person.
//!
//! Aborting runs listeners, which are user code: no table may be borrowed while that happens.

use std::cell::RefCell;
use std::collections::BTreeMap;
use wasm_bindgen::JsValue;
use web_sys::AbortController;

/// One table of controllers.
#[derive(Debug)]
pub(super) struct Cancels<K>(RefCell<BTreeMap<K, Option<AbortController>>>);

impl<K: Ord + Copy> Cancels<K> {
    pub(super) fn new() -> Self {
        Cancels(RefCell::new(BTreeMap::new()))
    }

    /// Notes that something began and gives its signal: undefined where there are no controllers.
    pub(super) fn open(&self, key: K) -> JsValue {
        let controller = AbortController::new().ok();
        let signal = controller.as_ref().map_or(JsValue::UNDEFINED, |controller| controller.signal().into());
        self.0.borrow_mut().insert(key, controller);
        signal
    }

    /// Whether it is still going on.
    pub(super) fn has(&self, key: K) -> bool {
        self.0.borrow().contains_key(&key)
    }

    /// Notes that it is over.
    pub(super) fn close(&self, key: K) {
        self.0.borrow_mut().remove(&key);
    }

    /// Tells it to stop, and why.
    pub(super) fn abort(&self, key: K, reason: &str) {
        let controller = self.0.borrow_mut().remove(&key);
        stop(controller.flatten(), reason);
    }

    /// Tells all of them to stop.
    pub(super) fn abort_all(&self, reason: &str) {
        let all = std::mem::take(&mut *self.0.borrow_mut());
        for controller in all.into_values() {
            stop(controller, reason);
        }
    }
}

fn stop(controller: Option<AbortController>, reason: &str) {
    if let Some(controller) = controller {
        let error = js_sys::Error::new(reason);
        error.set_name("AbortError");
        controller.abort_with_reason(&error);
    }
}
