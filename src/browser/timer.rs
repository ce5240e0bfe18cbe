//! The one timer: armed for the machine's next deadline, and for nothing else.
//!
//! A timer that fires early or late does no harm: the machine is told the time, not that the deadline came.

use crate::runtime::ids::Millis;
use std::cell::{Cell, OnceCell, RefCell};
use wasm_bindgen::prelude::*;

/// Longest span `setTimeout` understands; a longer one would fire at once.
const LONGEST: u64 = 0x7fff_ffff;

#[wasm_bindgen]
extern "C" {
    // The handle is a number in browsers and an object in Node, so it stays a bare value.
    #[wasm_bindgen(js_name = setTimeout, catch)]
    fn set_timeout(callback: &JsValue, span: f64) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_name = clearTimeout, catch)]
    fn clear_timeout(handle: &JsValue) -> Result<(), JsValue>;
}

/// The timer. Dropping it disarms it.
#[derive(Debug, Default)]
pub(super) struct Timer {
    callback: OnceCell<Closure<dyn FnMut()>>,
    armed: RefCell<Option<JsValue>>,
    due: Cell<Option<Millis>>,
}

impl Timer {
    /// Says what to do when it fires. Only the first call counts.
    pub(super) fn on_fire(&self, callback: impl FnMut() + 'static) {
        let _ = self.callback.set(Closure::new(callback));
    }

    /// Arms it for a moment, or disarms it. Does nothing if that is how it is already.
    pub(super) fn set(&self, due: Option<Millis>, now: Millis) {
        if due == self.due.get() && (due.is_none() || self.armed.borrow().is_some()) {
            return;
        }
        self.disarm();
        self.due.set(due);
        let (Some(due), Some(callback)) = (due, self.callback.get()) else { return };
        let span = due.since(now).0.min(LONGEST);
        let handle = set_timeout(callback.as_ref(), span as f64).ok();
        *self.armed.borrow_mut() = handle;
    }

    /// Notes that it fired, so that the same deadline can be armed again.
    pub(super) fn fired(&self) {
        self.armed.borrow_mut().take();
    }

    fn disarm(&self) {
        let armed = self.armed.borrow_mut().take();
        if let Some(handle) = armed {
            let _ = clear_timeout(&handle);
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.disarm();
    }
}
