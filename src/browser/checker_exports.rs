//! What the checker WASM exports: the small checker, JSON texts in and JSON texts out.
//!
//! Issues go out as a JSON array of `{ path, keyword, message, expected?, got?, hint? }`. It must not trap over any
//! text, and decides nothing.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::prelude::*;

use super::ecma::Page;
use crate::protocol::settle::write::array;
use crate::runtime::event::write_issue;
use crate::schema::{Check, Issue, Small};

/// Bytes of the room.
const ROOM: usize = 48 * 1024;

thread_local! {
    /// Where JavaScript puts texts of the usual size: to hand them over one by one costs more than to check them.
    static TEXT: RefCell<Vec<u8>> = RefCell::new(vec![0; ROOM]);
}

/// Where the room is in [`room_memory`]. It stays there.
#[wasm_bindgen]
#[must_use]
pub fn room() -> u32 {
    TEXT.with_borrow(|text| text.as_ptr() as usize as u32)
}

/// The module's memory, a `WebAssembly.Memory`.
#[wasm_bindgen(js_name = roomMemory)]
#[must_use]
pub fn room_memory() -> JsValue {
    wasm_bindgen::memory()
}

/// A schema of the small set.
#[wasm_bindgen(js_name = RawSmall)]
#[derive(Debug)]
pub struct RawSmall {
    schema: Small,
}

#[wasm_bindgen(js_class = RawSmall)]
impl RawSmall {
    /// Compiles a schema given as JSON text, if it is of the small set and, where it is for the input of a tool, one
    /// that a developer need not be told anything of.
    pub fn compile(schema: &str, for_input: bool) -> Option<RawSmall> {
        Small::compile(schema, for_input, Rc::new(Page)).map(|schema| Self { schema })
    }

    /// The issues of the JSON document in the first bytes of the room; nothing if there are none.
    #[wasm_bindgen(js_name = checkRoom)]
    #[must_use]
    pub fn check_room(&self, length: usize) -> Option<String> {
        TEXT.with_borrow(|text| {
            let text = text.get(..length).and_then(|text| core::str::from_utf8(text).ok());
            let issues = match text {
                Some(text) => self.schema.check(text),
                // Nothing that was not looked at is right.
                None => vec![Issue::new("", "syntax", "the text cannot be read")],
            };
            (!issues.is_empty()).then(|| written(&issues))
        })
    }

    /// The issues of one JSON document.
    #[wasm_bindgen(js_name = checkText)]
    #[must_use]
    pub fn check_text(&self, text: &str) -> String {
        written(&self.schema.check(text))
    }

    /// The issues of a tool's result: read as JSON when it parses, else as a string.
    #[wasm_bindgen(js_name = checkResult)]
    #[must_use]
    pub fn check_result(&self, text: &str) -> String {
        written(&self.schema.check_result(text))
    }
}

fn written(issues: &[Issue]) -> String {
    let mut text = String::new();
    array(&mut text, issues, write_issue);
    text
}
