//! What the page says about itself: the network came or went, the page is seen again.
//!
//! Works where there is no window: whatever the global object cannot do is left out.

use super::thrown::property;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::EventTarget;

/// What the page said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    /// The network is there.
    Online,
    /// The network is gone.
    Offline,
    /// The page is seen again.
    Seen,
}

/// Listeners of the page's signals. Dropping it removes them.
#[must_use = "dropping this removes the listeners"]
pub(super) struct Signals(Vec<Listener>);

struct Listener {
    target: EventTarget,
    event: &'static str,
    callback: Closure<dyn FnMut()>,
}

impl Signals {
    /// Listens. `heard` is also told at once if the page is offline already.
    pub(super) fn listen(heard: impl Fn(Signal) + 'static) -> Self {
        let heard: Rc<dyn Fn(Signal)> = Rc::new(heard);
        let global: JsValue = js_sys::global().into();
        let navigator = property(&global, "navigator");
        if navigator.and_then(|it| property(&it, "onLine")).and_then(|it| it.as_bool()) == Some(false) {
            heard(Signal::Offline);
        }
        let document = property(&global, "document");
        let wanted = [
            (Some(&global), "online", Signal::Online),
            (Some(&global), "offline", Signal::Offline),
            (Some(&global), "pageshow", Signal::Seen),
            (document.as_ref(), "visibilitychange", Signal::Seen),
        ];
        let listeners = wanted.into_iter().filter_map(|(target, event, signal)| {
            let heard = Rc::clone(&heard);
            Listener::add(target?, event, move || {
                if signal != Signal::Seen || !hidden() {
                    heard(signal);
                }
            })
        });
        Signals(listeners.collect())
    }
}

impl std::fmt::Debug for Signals {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Signals").field(&self.0.len()).finish()
    }
}

fn hidden() -> bool {
    let document = property(&js_sys::global(), "document");
    document.and_then(|it| property(&it, "hidden")).and_then(|it| it.as_bool()).unwrap_or(false)
}

impl Listener {
    fn add(target: &JsValue, event: &'static str, callback: impl FnMut() + 'static) -> Option<Self> {
        property(target, "addEventListener")?;
        let target: EventTarget = target.clone().unchecked_into();
        let callback = Closure::<dyn FnMut()>::new(callback);
        target.add_event_listener_with_callback(event, callback.as_ref().unchecked_ref()).ok()?;
        Some(Listener { target, event, callback })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let callback = self.callback.as_ref().unchecked_ref();
        let _ = self.target.remove_event_listener_with_callback(self.event, callback);
    }
}
