//! Writing into editors (`contenteditable`). There is no one way that all take: typing first, which the page may do
//! itself, then a paste; after each it is looked whether the text is there.

use super::bridge::{Outcome, call, object, text};
use super::events::{fire, make};
use super::run::Run;
use crate::page::words::same;
use wasm_bindgen::prelude::*;
use web_sys::Element;

/// How long an editor gets to take in a selection or a text, in milliseconds: they listen to the document, late.
const TICK: f64 = 50.0;

/// Replaces all the text of an editor. Whether it worked is for the caller to read back.
pub(super) async fn fill(run: &Run, el: &Element, value: &str) -> Outcome<()> {
    for way in [Way::Typing, Way::Paste] {
        select_all(el);
        run.sleep(TICK).await?;
        match way {
            _ if value.is_empty() => edit(el, "delete", ""),
            Way::Typing => edit(el, "insertText", value),
            Way::Paste => paste(el, value),
        }
        run.sleep(TICK).await?;
        if same(&text(el, "innerText").unwrap_or_default(), value) || !el.is_connected() {
            break;
        }
    }
    Ok(())
}

enum Way {
    Typing,
    Paste,
}

/// Edits at the selection as a keyboard does: the page is asked first, and may do it itself. The browser asks nobody
/// when a script gives the command.
pub(super) fn edit(el: &Element, name: &str, value: &str) {
    let how = match name {
        "delete" => "deleteContentBackward",
        "forwardDelete" => "deleteContentForward",
        other => other,
    };
    let data = if value.is_empty() { JsValue::NULL } else { value.into() };
    if fire(el, "InputEvent", "beforeinput", &[("inputType", how.into()), ("data", data)]) {
        command(el, name, value);
    }
}

/// An editing command of the browser on what is selected, as its menus give it.
pub(super) fn command(el: &Element, name: &str, value: &str) {
    if let Some(document) = el.owner_document() {
        let _ = call(&document, "execCommand", &[&name.into(), &JsValue::FALSE, &value.into()]);
    }
}

fn select_all(el: &Element) {
    let selection = el.owner_document().and_then(|document| call(&document, "getSelection", &[]).ok());
    if let Some(selection) = selection.filter(|selection| !selection.is_null()) {
        let _ = call(&selection, "selectAllChildren", &[el]);
    }
}

fn paste(el: &Element, value: &str) {
    let Some(data) = make(el, "DataTransfer", &[]) else { return };
    let _ = call(&data, "setData", &[&"text/plain".into(), &value.into()]);
    let Some(event) = make(
        el,
        "ClipboardEvent",
        &[
            &"paste".into(),
            &object(&[
                ("bubbles", JsValue::TRUE),
                ("cancelable", JsValue::TRUE),
                ("composed", JsValue::TRUE),
                ("clipboardData", data),
            ]),
        ],
    ) else {
        return;
    };
    let _ = call(el, "dispatchEvent", &[&event]);
}
