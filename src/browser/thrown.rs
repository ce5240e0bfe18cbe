//! Makes text of whatever JavaScript threw: an error, an error of another realm, a string, nothing at all.
//!
//! It may assume nothing of the value, whose getters may throw too, and it never fails itself.

use js_sys::Reflect;
use wasm_bindgen::prelude::*;

/// Longest text made of a thrown thing, in characters.
const MAX_TEXT: usize = 500;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = String, catch)]
    fn to_text(value: &JsValue) -> Result<String, JsValue>;
}

/// What was thrown, in words: `TypeError: Failed to fetch`.
pub(super) fn describe(value: &JsValue) -> String {
    let text = match (text_of(value, "name"), text_of(value, "message")) {
        (Some(name), Some(message)) if !message.is_empty() => format!("{name}: {message}"),
        (None, Some(message)) if !message.is_empty() => message,
        (Some(name), _) if !value.is_function() => name,
        _ => to_text(value).unwrap_or_else(|_| "something that has no text".to_owned()),
    };
    shorten(text)
}

/// Only what kind of thing was thrown, for places where its message may hold a secret.
pub(super) fn kind(value: &JsValue) -> String {
    match text_of(value, "name") {
        Some(name) => shorten(name),
        None => String::from(value.js_typeof().as_string().as_deref().unwrap_or("something")),
    }
}

/// A property that holds a string, whatever it takes to read it.
pub(super) fn text_of(value: &JsValue, key: &str) -> Option<String> {
    property(value, key)?.as_string()
}

/// A property that is there and is not null, whatever it takes to read it.
pub(super) fn property(value: &JsValue, key: &str) -> Option<JsValue> {
    // Reflect refuses primitives by throwing, which `ok` takes care of.
    let found = Reflect::get(value, &JsValue::from_str(key)).ok()?;
    if found.is_null() || found.is_undefined() { None } else { Some(found) }
}

fn shorten(text: String) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => text.get(..end).map(|head| format!("{head}…")).unwrap_or_default(),
        None => text,
    }
}
