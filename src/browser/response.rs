//! Reads responses by what they can do, not by what they are.
//!
//! A `fetch` that was wrapped, mocked or taken from another realm gives things that are no `Response`
//! of ours. Whatever cannot be read is said in words; nothing here throws or traps.

use super::host::settle;
use super::thrown::{describe, property, text_of};
use js_sys::{ArrayBuffer, Function, Uint8Array};
use std::cell::Cell;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

/// Most bytes of an answer's body that are looked at: answers to posts are short.
const MAX_BODY: usize = 64 << 10;

/// A response's status and what can be asked of it.
#[derive(Debug)]
pub(super) struct Answer {
    raw: JsValue,
    /// The HTTP status.
    pub(super) status: u16,
}

impl Answer {
    /// Takes a response for one, if it has a status.
    pub(super) fn new(raw: JsValue) -> Result<Self, String> {
        let status = property(&raw, "status").and_then(|status| status.as_f64());
        match status {
            Some(status) if (100.0..=999.0).contains(&status) => Ok(Answer { raw, status: status as u16 }),
            _ => Err("fetch gave something that is no response".to_owned()),
        }
    }

    /// A header's value.
    pub(super) fn header(&self, name: &str) -> Option<String> {
        let headers = property(&self.raw, "headers")?;
        call(&headers, "get", Some(&JsValue::from_str(name))).ok()?.as_string()
    }

    /// A reader of the body, or `None` if there is no body.
    pub(super) fn body(&self) -> Result<Option<Body>, String> {
        let Some(stream) = property(&self.raw, "body") else { return Ok(None) };
        let reader = call(&stream, "getReader", None).map_err(|thrown| describe(&thrown))?;
        Ok(Some(Body { reader, ended: Cell::new(false) }))
    }

    /// The body as text, cut at a few kilobytes. A body that breaks off counts as far as it came.
    pub(super) async fn text(&self) -> String {
        let mut bytes = Vec::new();
        match self.body() {
            Ok(Some(body)) => {
                while let Ok(Some(chunk)) = body.next().await {
                    bytes.extend_from_slice(&chunk);
                    if bytes.len() > MAX_BODY {
                        bytes.truncate(MAX_BODY);
                        break;
                    }
                }
            }
            Ok(None) | Err(_) => {
                let given = settle(call(&self.raw, "text", None)).await;
                return given.ok().and_then(|text| text.as_string()).unwrap_or_default();
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Lets go of a body nobody will read, so that its connection is freed.
    pub(super) fn discard(&self) {
        drop(self.body());
    }
}

/// A body being read. Dropping it before its end says that no more is wanted.
#[derive(Debug)]
pub(super) struct Body {
    reader: JsValue,
    ended: Cell<bool>,
}

impl Body {
    /// The next bytes, or `None` at the end.
    pub(super) async fn next(&self) -> Result<Option<Vec<u8>>, String> {
        let step = settle(call(&self.reader, "read", None)).await.map_err(|thrown| {
            self.ended.set(true);
            describe(&thrown)
        })?;
        if property(&step, "done").is_some_and(|done| done.is_truthy()) {
            self.ended.set(true);
            return Ok(None);
        }
        let value = property(&step, "value").unwrap_or_default();
        bytes(&value).map(Some).ok_or_else(|| "the body delivers something other than bytes".to_owned())
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        if self.ended.get() {
            return;
        }
        if let Ok(promise) = call(&self.reader, "cancel", None) {
            // Its rejection is nobody's business, but must not show up as an unhandled one.
            spawn_local(async move {
                let _ = settle(Ok(promise)).await;
            });
        }
    }
}

/// The one copy a chunk is put through.
fn bytes(value: &JsValue) -> Option<Vec<u8>> {
    if let Some(array) = value.dyn_ref::<Uint8Array>() {
        return Some(array.to_vec());
    }
    // A chunk of another realm is no instance of our Uint8Array, yet a view on bytes all the same.
    if ArrayBuffer::is_view(value) {
        let buffer = property(value, "buffer")?;
        let offset = property(value, "byteOffset")?.as_f64()?;
        let length = property(value, "byteLength")?.as_f64()?;
        let view = Uint8Array::new_with_byte_offset_and_length(&buffer, offset as u32, length as u32);
        return Some(view.to_vec());
    }
    None
}

fn call(target: &JsValue, method: &str, argument: Option<&JsValue>) -> Result<JsValue, JsValue> {
    let found = property(target, method).and_then(|found| found.dyn_into::<Function>().ok());
    let Some(function) = found else {
        let name = text_of(target, "name").unwrap_or_default();
        return Err(JsValue::from_str(&format!("{name} has no method {method}")));
    };
    match argument {
        Some(argument) => function.call1(target, argument),
        None => function.call0(target),
    }
}
