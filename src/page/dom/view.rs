//! `scroll`, `highlight` and `get_selection`: what a person sees and points at.

use super::bridge::{Fail, Outcome, call, get, number, text};
use super::policy::window;
use super::reach::into_view;
use super::run::Run;
use super::tree::{OURS, css, element, parent, style};
use crate::page::mask::{PRIVATE, without_cards};
use crate::page::render::NOTICE;
use crate::page::words::{quote, shorten, squeeze};
use js_sys::Function;
use wasm_bindgen::prelude::*;
use web_sys::{Element, Node};

const LONGEST_SELECTION: usize = 4_000;
/// How far one scrolls, in windows.
const PAGES: f64 = 0.8;
/// How long a mark stays, in seconds.
const STAYS: f64 = 4.0;

/// Scrolls an element into view, or what it is in, or the page, by parts of a window.
pub(super) async fn scroll(run: &Run) -> Outcome<JsValue> {
    let el = match run.text("ref") {
        Some(reference) => Some(run.page.resolve(&reference)?),
        None => None,
    };
    let Some(direction) = run.text("direction") else {
        let el = el.ok_or(Fail::from("give a `ref` to bring into view, or a `direction`"))?;
        into_view(&el);
        run.settle().await?;
        return Ok(run.page.report("scrolled into view", Some(&el), None));
    };
    let pages = run.number("pages").unwrap_or(PAGES);
    let given = el.clone().map_or(JsValue::UNDEFINED, JsValue::from);
    let place = run.page.hands.act("scrollBy", &[&given, &direction.into(), &pages.into()]);
    run.settle().await?;
    let note = place.dyn_ref::<Function>().and_then(|place| place.call0(place).ok()?.as_string());
    Ok(run.page.report("scrolled", el.as_ref(), note))
}

/// Marks an element for the person at the page, for some seconds.
pub(super) async fn highlight(run: &Run) -> Outcome<JsValue> {
    let el = run.page.resolve(&run.needs("ref")?)?;
    into_view(&el);
    run.frame().await?;
    let seconds = run.number("seconds").unwrap_or(STAYS);
    let _ = run.page.hands.act("mark", &[&el, &OURS.into(), &seconds.into()]);
    Ok(run.page.report("marked for the person at the page", Some(&el), None))
}

/// What the person at the page selected.
pub(super) fn selection(run: &Run) -> Outcome<JsValue> {
    let policy = &run.page.policy;
    let (said, holder) = match field_selection(run) {
        Some(found) => found,
        None => {
            let selection = call(window()?.as_ref(), "getSelection", &[])
                .map_err(|_| Fail::from("there is no selection here"))?;
            let (mut said, mut whole) = (String::new(), String::new());
            let mut holder = None;
            if number(&selection, "rangeCount").unwrap_or(0.0) > 0.0
                && let Ok(range) = call(&selection, "getRangeAt", &[&0.into()])
            {
                let common: Node = get(&range, "commonAncestorContainer").unchecked_into();
                holder = element(&common).or_else(|| parent(&common));
                gather(run, &common, &range, &mut said, &mut whole);
            }
            // A part of a card number is no card number, but must not be told either.
            let whole = squeeze(&whole);
            let told = without_cards(&whole);
            (if told == whole { without_cards(&squeeze(&said)) } else { told }, holder)
        }
    };
    let inside = match holder {
        Some(holder) => policy.is_inside(&holder).then_some(holder),
        None => None,
    };
    let Some(holder) = inside.filter(|_| !said.is_empty()) else {
        return Ok(format!("{NOTICE}\n[nothing is selected]").into());
    };
    Ok(format!(
        "{NOTICE}\nselected {}\nin {}",
        quote(&shorten(&said, LONGEST_SELECTION)),
        run.page.describe(&holder)
    )
    .into())
}

/// What is selected in the field that has the focus.
fn field_selection(run: &Run) -> Option<(String, Option<Element>)> {
    let field =
        run.page.hands.active().filter(|el| matches!(el.local_name().as_str(), "input" | "textarea"))?;
    let (from, to) = (number(&field, "selectionStart")?, number(&field, "selectionEnd")?);
    let value = text(&field, "value")?;
    let units: Vec<u16> = value.encode_utf16().skip(from as usize).take((to - from) as usize).collect();
    let part = String::from_utf16_lossy(&units);
    if part.is_empty() {
        return None;
    }
    // A part of a card number is no card number, but must not be told either.
    let told = if without_cards(&value) == value {
        run.page.policy.told(&field, &part)
    } else {
        run.page.policy.told(&field, &value)
    };
    Some((squeeze(&told), Some(field)))
}

/// The selected text below a node, and the whole of the texts it is of, but for what is private or hidden.
fn gather(run: &Run, node: &Node, range: &JsValue, said: &mut String, whole: &mut String) {
    if said.len() > 4 * LONGEST_SELECTION
        || !call(range, "intersectsNode", &[node]).is_ok_and(|inside| inside.as_bool() == Some(true))
    {
        return;
    }
    if node.node_type() == Node::TEXT_NODE {
        let Some(holder) = parent(node) else { return };
        if run.page.policy.is_private(&holder) {
            said.push_str(PRIVATE);
            whole.push_str(PRIVATE);
            return;
        }
        let data = node.node_value().unwrap_or_default();
        whole.push_str(&data);
        let data: Vec<u16> = data.encode_utf16().collect();
        let offset = |container: &str, key: &str| {
            (get(range, container) == *AsRef::<JsValue>::as_ref(node)).then(|| number(range, key)).flatten()
        };
        let from = offset("startContainer", "startOffset").unwrap_or(0.0) as usize;
        let to = offset("endContainer", "endOffset").map_or(data.len(), |to| to as usize);
        let part: Vec<u16> = data.into_iter().take(to).skip(from).collect();
        said.push_str(&String::from_utf16_lossy(&part));
        return;
    }
    if let Some(el) = element(node) {
        if !super::tree::is_visible(&el) {
            return;
        }
        if style(&el, "").is_some_and(|style| css(&style, "display") != "inline") {
            said.push(' ');
            whole.push(' ');
        }
    }
    let mut next = node.first_child();
    while let Some(child) = next {
        next = child.next_sibling();
        gather(run, &child, range, said, whole);
    }
}
