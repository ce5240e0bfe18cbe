//! The tree as it is shown: through open shadow roots, slots and frames of the same origin.

use super::bridge::{call, get, object, some, text};
use crate::page::role::{Inside, explicit, implicit};
use crate::page::words::{shorten, squeeze};
use wasm_bindgen::prelude::*;
use web_sys::{CssStyleDeclaration, Document, Element, Node, Window};

/// The attribute by which our own marks on the page are told from the page.
pub(super) const OURS: &str = "data-pagehand-highlight";

/// The element in which the person is asked.
pub(super) const ASKING: &str = "pagehand-ask";

/// The node as an element, if it is one.
pub(super) fn element(node: &Node) -> Option<Element> {
    if node.node_type() == Node::ELEMENT_NODE { Some(node.clone().unchecked_into()) } else { None }
}

/// A value as an element, if it is one of any document.
pub(super) fn as_element(value: &JsValue) -> Option<Element> {
    let kind = super::bridge::number(value, "nodeType");
    if kind == Some(f64::from(Node::ELEMENT_NODE)) { Some(value.clone().unchecked_into()) } else { None }
}

/// An element's name as it may be told: pages make elements of any name.
pub(super) fn told_tag(tag: &str) -> String {
    shorten(&squeeze(tag), 40)
}

/// A value as a list of nodes.
fn list(value: &JsValue) -> Vec<Node> {
    js_sys::Array::from(value).iter().map(JsCast::unchecked_into).collect()
}

/// Nodes right under one.
fn plain_children(node: &Node) -> Vec<Node> {
    let mut out = Vec::new();
    let mut next = node.first_child();
    while let Some(child) = next {
        next = child.next_sibling();
        out.push(child);
    }
    out
}

/// The document in a frame; nothing if the frame is of another origin.
pub(super) fn frame_document(el: &Element) -> Option<Document> {
    some(el, "contentDocument").map(JsCast::unchecked_into)
}

/// What is shown inside an element.
pub(super) fn children(el: &Element, tag: &str) -> Vec<Node> {
    match tag {
        "iframe" | "frame" => {
            return frame_document(el)
                .and_then(|document| document.document_element())
                .map(Node::from)
                .into_iter()
                .collect();
        }
        "slot" => {
            let given = call(el, "assignedNodes", &[&object(&[("flatten", JsValue::TRUE)])]);
            let assigned = given.map(|nodes| list(&nodes)).unwrap_or_default();
            if !assigned.is_empty() {
                return assigned;
            }
        }
        "details" if !el.has_attribute("open") => {
            let summary = |node: &Node| element(node).is_some_and(|child| child.local_name() == "summary");
            return plain_children(el).into_iter().find(summary).into_iter().collect();
        }
        _ => {}
    }
    match el.shadow_root() {
        Some(shadow) => plain_children(&shadow),
        None => plain_children(el),
    }
}

/// The element around a node as it is shown: its slot, its shadow host, the frame of its document.
pub(super) fn parent(node: &Node) -> Option<Element> {
    if let Some(slot) = some(node, "assignedSlot") {
        return as_element(&slot);
    }
    let above = node.parent_node()?;
    match above.node_type() {
        Node::ELEMENT_NODE => element(&above),
        Node::DOCUMENT_FRAGMENT_NODE => as_element(&get(&above, "host")),
        Node::DOCUMENT_NODE => as_element(&get(&get(&above, "defaultView"), "frameElement")),
        _ => None,
    }
}

/// The element or the nearest one around it for which a test holds.
pub(super) fn closest(el: &Element, test: &dyn Fn(&Element) -> bool) -> Option<Element> {
    let mut at = Some(el.clone());
    while let Some(found) = at {
        if test(&found) {
            return Some(found);
        }
        at = parent(&found);
    }
    None
}

/// Whether one element is another or inside of it.
pub(super) fn contains(outer: &Element, inner: &Element) -> bool {
    closest(inner, &|at| at == outer).is_some()
}

/// The window of an element's document; nothing once that document is gone.
pub(super) fn view(el: &Element) -> Option<Window> {
    let document = el.owner_document()?;
    some(&document, "defaultView").map(JsCast::unchecked_into)
}

/// Whether it is on the page: connected, in a document that is shown, up to the top.
pub(super) fn is_there(el: &Element) -> bool {
    let mut at = el.clone();
    loop {
        if !at.is_connected() {
            return false;
        }
        let Some(view) = view(&at) else { return false };
        match some(&view, "frameElement").and_then(|frame| as_element(&frame)) {
            Some(frame) => at = frame,
            None => return true,
        }
    }
}

/// The computed style of an element or of what CSS puts before or after it.
pub(super) fn style(el: &Element, pseudo: &str) -> Option<CssStyleDeclaration> {
    let view = view(el)?;
    if pseudo.is_empty() {
        view.get_computed_style(el).ok()?
    } else {
        view.get_computed_style_with_pseudo_elt(el, pseudo).ok()?
    }
}

/// One property of a computed style.
pub(super) fn css(style: &CssStyleDeclaration, name: &str) -> String {
    style.get_property_value(name).unwrap_or_default()
}

/// Whether the element has a box that can be seen.
pub(super) fn is_visible(el: &Element) -> bool {
    let rendered = match call(el, "checkVisibility", &[]) {
        Ok(answer) => answer.as_bool() == Some(true),
        Err(_) => el.get_client_rects().length() > 0,
    };
    rendered && style(el, "").is_some_and(|style| css(&style, "visibility") == "visible")
}

/// The element that an id names, as seen from another: in its own document or shadow root.
pub(super) fn by_id(el: &Element, id: &str) -> Option<Element> {
    let root = el.get_root_node();
    as_element(&call(&root, "getElementById", &[&JsValue::from_str(id)]).ok()?)
}

/// Elements that an attribute names by their ids.
pub(super) fn referenced(el: &Element, attribute: &str) -> Vec<Element> {
    let ids = el.get_attribute(attribute).unwrap_or_default();
    ids.split_ascii_whitespace().filter_map(|id| by_id(el, id)).collect()
}

/// Whether it can take the focus.
pub(super) fn is_focusable(el: &Element) -> bool {
    super::bridge::number(el, "tabIndex").is_some_and(|index| index >= 0.0) || el.has_attribute("tabindex")
}

/// Whether a person writes in it, and its parent is not such an element.
pub(super) fn is_editor(el: &Element) -> bool {
    let editable = |el: &Element| super::bridge::flag(el, "isContentEditable");
    el.has_attribute("contenteditable") && editable(el) && !parent(el).is_some_and(|above| editable(&above))
}

/// The role of an element; empty where it says nothing.
pub(super) fn role(el: &Element, tag: &str) -> &'static str {
    if let Some(role) = el.get_attribute("role").and_then(|words| explicit(&words)) {
        // An element that can be reached or is named does not become nothing by saying so.
        let stays = role.is_empty()
            && (is_focusable(el) || el.has_attribute("aria-label") || el.has_attribute("aria-labelledby"));
        if !stays {
            return role;
        }
    }
    let inside = |what: Inside| {
        let wanted: &[&str] = match what {
            Inside::Section => &["article", "aside", "main", "nav", "section"],
            Inside::List => &["ul", "ol", "menu"],
            Inside::Grid => {
                let grid =
                    |at: &Element| matches!(at.get_attribute("role").as_deref(), Some("grid" | "treegrid"));
                return closest(el, &grid).is_some();
            }
        };
        let list = what == Inside::List;
        parent(el).is_some_and(|above| {
            if list {
                let named = above.local_name();
                wanted.contains(&named.as_str())
                    && above.get_attribute("role").is_none_or(|role| role == "list")
            } else {
                closest(&above, &|at| wanted.contains(&at.local_name().as_str())).is_some()
            }
        })
    };
    let implied = implicit(tag, &|name| el.get_attribute(name), &inside);
    if implied.is_empty() && is_editor(el) { "textbox" } else { implied }
}

/// The input's type as the browser takes it.
pub(super) fn kind(el: &Element) -> String {
    text(el, "type").unwrap_or_default()
}
