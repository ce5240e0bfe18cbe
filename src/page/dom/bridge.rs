//! Reading and writing plain JavaScript: properties by name, calls by name, objects that go out.
//!
//! Used where typed bindings would cost more than they give, and for elements of other documents. A getter that throws
//! counts as a property that is not there.

use crate::page::words::squeeze;
use js_sys::{Array, Function, Object, Reflect};
use std::borrow::Cow;
use wasm_bindgen::prelude::*;
use web_sys::Element;

/// What went well, or why not.
pub(super) type Outcome<T> = Result<T, Fail>;

/// Why something cannot be done, in words for the model.
#[derive(Debug)]
pub(super) struct Fail {
    /// The element it is about: its ref, role and name stand before the words.
    pub(super) of: Option<Element>,
    pub(super) why: Cow<'static, str>,
}

impl Fail {
    /// Says which element it is about, where that is not said yet.
    pub(super) fn of(mut self, el: &Element) -> Self {
        self.of.get_or_insert_with(|| el.clone());
        self
    }
}

impl From<&'static str> for Fail {
    fn from(why: &'static str) -> Self {
        Self { of: None, why: Cow::Borrowed(why) }
    }
}

impl From<String> for Fail {
    fn from(why: String) -> Self {
        Self { of: None, why: Cow::Owned(why) }
    }
}

/// Why something cannot be done to an element.
pub(super) fn refuse<T>(el: &Element, why: impl Into<Fail>) -> Outcome<T> {
    Err(why.into().of(el))
}

/// A property, `undefined` where it is not there.
pub(super) fn get(target: &JsValue, key: &str) -> JsValue {
    Reflect::get(target, &JsValue::from_str(key)).unwrap_or(JsValue::UNDEFINED)
}

/// A property that is neither `undefined` nor `null`.
pub(super) fn some(target: &JsValue, key: &str) -> Option<JsValue> {
    let found = get(target, key);
    if found.is_null() || found.is_undefined() { None } else { Some(found) }
}

/// A property that is a string.
pub(super) fn text(target: &JsValue, key: &str) -> Option<String> {
    get(target, key).as_string()
}

/// Whether a property is `true`.
pub(super) fn flag(target: &JsValue, key: &str) -> bool {
    get(target, key).as_bool() == Some(true)
}

/// A property that is a number.
pub(super) fn number(target: &JsValue, key: &str) -> Option<f64> {
    get(target, key).as_f64()
}

/// Writes a property.
pub(super) fn set(target: &JsValue, key: &str, value: &JsValue) {
    let _ = Reflect::set(target, &JsValue::from_str(key), value);
}

/// Calls a method. What it throws, and that there is none, is the error.
pub(super) fn call(target: &JsValue, method: &str, given: &[&JsValue]) -> Result<JsValue, JsValue> {
    let function: Function = get(target, method).dyn_into()?;
    function.apply(target, &given.iter().copied().collect::<Array>())
}

/// An object of some properties.
pub(super) fn object(members: &[(&str, JsValue)]) -> JsValue {
    let made = Object::new();
    for (key, value) in members {
        set(&made, key, value);
    }
    made.into()
}

/// An object that is always the same, written as JSON.
pub(super) fn constant(json: &str) -> JsValue {
    js_sys::JSON::parse(json).unwrap_or_default()
}

/// What was thrown, in words.
pub(super) fn words(thrown: &JsValue) -> String {
    text(thrown, "message")
        .or_else(|| thrown.as_string())
        .unwrap_or_else(|| "something was thrown".to_owned())
}

#[wasm_bindgen]
extern "C" {
    /// A number in text, `NaN` where there is none. The browser's own: Rust's would bring ten kilobytes of tables.
    #[wasm_bindgen(js_name = Number)]
    pub(super) fn number_in(text: &str) -> f64;

    /// A number as text.
    #[wasm_bindgen(js_name = String)]
    pub(super) fn text_for(number: f64) -> String;
}

/// Whether a text holds another, whatever the case and the spaces, in all the world's letters. By the browser: Rust's
/// own search and tables would bring kilobytes.
pub(super) fn holds(text: &str, part: &str) -> bool {
    let lower = |text: &str| js_sys::JsString::from(squeeze(text)).to_lower_case();
    lower(text).includes(&String::from(lower(part)), 0)
}

/// Whether two texts are the same, whatever the case.
pub(super) fn alike(left: &str, right: &str) -> bool {
    let lower = |text: &str| js_sys::JsString::from(text).to_lower_case();
    lower(left) == lower(right)
}
