//! Events as the browser itself would fire them: of the classes of the element's own window, bubbling and crossing
//! shadow roots, with the coordinates and the buttons that belong to them.

use super::bridge::{call, get, number, object, set};
use super::tree::view;
use crate::page::words::is_one_of;
use js_sys::{Array, Function, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::Element;

/// Makes an object of a class of the element's own window.
pub(super) fn make(el: &Element, class: &str, given: &[&JsValue]) -> Option<JsValue> {
    let own: JsValue = view(el).map(JsValue::from).unwrap_or_default();
    let class: Function = get(&own, class).dyn_into().ok()?;
    Reflect::construct(&class, &given.iter().copied().collect::<Array>()).ok()
}

/// Fires an event. False if the page prevented what would follow it.
pub(super) fn fire(el: &Element, class: &str, kind: &str, members: &[(&str, JsValue)]) -> bool {
    let init = object(members);
    let inner = kind.ends_with("enter") || kind.ends_with("leave");
    for key in ["bubbles", "cancelable", "composed"] {
        if get(&init, key).is_undefined() {
            set(&init, key, &JsValue::from_bool(!inner));
        }
    }
    if let Some(view) = view(el) {
        set(&init, "view", &view);
    }
    let Some(event) = make(el, class, &[&JsValue::from_str(kind), &init]) else { return true };
    call(el, "dispatchEvent", &[&event]).ok().and_then(|went_on| went_on.as_bool()).unwrap_or(true)
}

/// Tells the page that a field's content changed and, where it is final, that it is.
pub(super) fn tell_input(el: &Element, kind: &str, data: Option<&str>) {
    let data = data.map_or(JsValue::NULL, JsValue::from_str);
    let _ = fire(
        el,
        "InputEvent",
        "input",
        &[("cancelable", JsValue::FALSE), ("inputType", kind.into()), ("data", data)],
    );
}

/// Tells the page that a field's content is final.
pub(super) fn tell_change(el: &Element) {
    let _ = fire(el, "Event", "change", &[("cancelable", JsValue::FALSE), ("composed", JsValue::FALSE)]);
}

/// The state of a mouse.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mouse {
    pub(super) x: f64,
    pub(super) y: f64,
    /// 0 left, 1 middle, 2 right.
    pub(super) button: i32,
    /// Whether the button is down.
    pub(super) down: bool,
    /// Which click of a series it is.
    pub(super) detail: u32,
}

/// Fires an event of the mouse, as a pointer's where its name says so.
pub(super) fn mouse(el: &Element, kind: &str, at: Mouse, related: Option<&Element>) -> bool {
    let pointer = kind.starts_with("pointer") || is_one_of(kind, "click auxclick contextmenu");
    let own: JsValue = view(el).map(JsValue::from).unwrap_or_default();
    let screen = |key: &str| number(&own, key).unwrap_or(0.0);
    let moving = is_one_of(kind, "pointermove pointerover pointerout pointerenter pointerleave");
    let buttons = match (at.down, at.button) {
        (false, _) => 0,
        (true, 1) => 4,
        (true, 2) => 2,
        (true, _) => 1,
    };
    let mut members = vec![
        ("clientX", at.x.into()),
        ("clientY", at.y.into()),
        ("screenX", (at.x + screen("screenX")).into()),
        ("screenY", (at.y + screen("screenY")).into()),
        ("button", (if moving { -1 } else { at.button }).into()),
        ("buttons", buttons.into()),
        ("detail", at.detail.into()),
        ("relatedTarget", related.map_or(JsValue::NULL, JsValue::from)),
    ];
    if pointer {
        members.extend([
            ("pointerId", 1.into()),
            ("pointerType", "mouse".into()),
            ("isPrimary", JsValue::TRUE),
        ]);
    }
    fire(el, if pointer { "PointerEvent" } else { "MouseEvent" }, kind, &members)
}
