//! Accessible names, after Accessible Name and Description Computation 1.2 and the HTML mappings.
//!
//! What comes out is one line, without card numbers, with private parts masked. Recursion is bounded, and each element
//! is taken once.

use super::bridge::text;
use super::policy::Policy;
use super::reach::labels_of;
use super::state::selected_text;
use super::tree::{children, css, element, is_visible, kind, referenced, role, style};
use crate::page::mask::{PRIVATE, without_cards};
use crate::page::role::{is_named_by_content, is_text_field};
use crate::page::words::{is_one_of, shorten, squeeze};
use web_sys::{Element, Node};

/// Longest name that goes out.
const LONGEST: usize = 240;
/// Where gathering text for one name stops.
const ENOUGH: usize = 2_000;
const DEEPEST: usize = 60;
/// How many elements one name may be of.
const REFERRED: usize = 16;

/// How an element's text is wanted.
#[derive(Debug, Clone, Copy, Default)]
struct Way {
    /// It was named by `aria-labelledby`: such an attribute on it is not followed.
    by_reference: bool,
    /// It is part of what names another element.
    in_content: bool,
    /// What is hidden counts, because the part that was named is hidden as a whole.
    hidden_counts: bool,
    depth: usize,
}

/// One computation.
struct Naming<'a> {
    policy: &'a Policy,
    seen: Vec<Element>,
    length: usize,
}

/// The name of an element.
pub(super) fn name_of(policy: &Policy, el: &Element, role: &str) -> String {
    if policy.is_private(el) && labels_of(el).is_empty() {
        return PRIVATE.to_owned();
    }
    finished(&Naming { policy, seen: vec![el.clone()], length: 0 }.own(el, role))
}

/// The text of an element as a name would have it, whatever its role.
pub(super) fn text_of(policy: &Policy, el: &Element) -> String {
    if policy.is_private(el) {
        return PRIVATE.to_owned();
    }
    finished(&Naming { policy, seen: vec![el.clone()], length: 0 }.content(el, Way::default()))
}

fn finished(text: &str) -> String {
    shorten(&without_cards(&squeeze(text)), LONGEST)
}

fn attribute(el: &Element, name: &str) -> String {
    el.get_attribute(name).map(|text| text.trim().to_owned()).unwrap_or_default()
}

impl Naming<'_> {
    /// The name by the element's own right.
    fn own(&mut self, el: &Element, role: &str) -> String {
        let referred = self.by_reference(el);
        if !referred.is_empty() {
            return referred;
        }
        let tag = el.local_name();
        let private = self.policy.is_private(el);
        if !private {
            let label = attribute(el, "aria-label");
            if !label.is_empty() {
                return label;
            }
        }
        let native = self.native(el, &tag, Way::default());
        if !native.trim().is_empty() {
            return native;
        }
        if private {
            return PRIVATE.to_owned();
        }
        if is_named_by_content(role) {
            let content = self.content(el, Way { in_content: true, ..Way::default() });
            if !content.trim().is_empty() {
                return content;
            }
        }
        tooltip(el, role)
    }

    fn by_reference(&mut self, el: &Element) -> String {
        let mut out = String::new();
        for one in referenced(el, "aria-labelledby").into_iter().take(REFERRED) {
            let hidden_counts =
                !is_visible(&one) || one.closest("[aria-hidden=true]").ok().flatten().is_some();
            // The element may name itself among others.
            let before = std::mem::take(&mut self.seen);
            out.push(' ');
            out.push_str(&self.part(&one, Way { by_reference: true, hidden_counts, ..Way::default() }));
            self.seen = before;
        }
        squeeze(&out)
    }

    /// What an element adds to the name of another.
    fn part(&mut self, el: &Element, way: Way) -> String {
        if way.depth > DEEPEST || self.length > ENOUGH || self.seen.contains(el) {
            return String::new();
        }
        self.seen.push(el.clone());
        if self.policy.is_private(el) {
            return PRIVATE.to_owned();
        }
        if !way.by_reference {
            let referred = self.by_reference(el);
            if !referred.is_empty() {
                return referred;
            }
        }
        let tag = el.local_name();
        let role = role(el, &tag);
        if way.in_content
            && let Some(value) = self.embedded(el, &tag, role)
        {
            return value;
        }
        let label = attribute(el, "aria-label");
        if !label.is_empty() {
            return label;
        }
        let native = self.native(el, &tag, way);
        if !native.trim().is_empty() {
            return native;
        }
        let content = self.content(el, way);
        if content.trim().is_empty() { tooltip(el, role) } else { content }
    }

    /// What a control inside a label says: its value.
    fn embedded(&self, el: &Element, tag: &str, role: &str) -> Option<String> {
        let value = match role {
            "textbox" | "searchbox" => text(el, "value").or_else(|| el.text_content())?,
            "combobox" | "listbox" if tag == "select" => selected_text(el),
            "combobox" => text(el, "value")?,
            "spinbutton" | "slider" | "scrollbar" | "progressbar" | "meter" => {
                let told = ["aria-valuetext", "aria-valuenow"].iter().find_map(|name| el.get_attribute(name));
                told.or_else(|| text(el, "value"))?
            }
            _ => return None,
        };
        Some(self.policy.told(el, &value))
    }

    /// What HTML itself has for naming this element.
    fn native(&mut self, el: &Element, tag: &str, way: Way) -> String {
        let way = Way { by_reference: false, in_content: true, depth: way.depth + 1, ..way };
        let mut labelled = String::new();
        for label in labels_of(el) {
            if !is_visible(&label) && !way.hidden_counts {
                continue;
            }
            labelled.push(' ');
            labelled.push_str(&self.part(&label, way));
        }
        if !labelled.trim().is_empty() {
            return labelled;
        }
        if self.policy.is_private(el) {
            return String::new();
        }
        let child = |wanted: &str| {
            let found = |node: &Node| element(node).is_some_and(|one| one.local_name() == wanted);
            children(el, "").into_iter().find(found).and_then(|node| element(&node))
        };
        match tag {
            "input" => match kind(el).as_str() {
                "button" => attribute(el, "value"),
                "submit" => el.get_attribute("value").unwrap_or_else(|| "Submit".to_owned()),
                "reset" => el.get_attribute("value").unwrap_or_else(|| "Reset".to_owned()),
                "image" => {
                    let alt = attribute(el, "alt");
                    if alt.is_empty() && !el.has_attribute("title") { "Submit".to_owned() } else { alt }
                }
                _ => String::new(),
            },
            "img" | "area" => attribute(el, "alt"),
            "optgroup" | "option" => attribute(el, "label"),
            "iframe" | "frame" => attribute(el, "title"),
            "svg" | "fieldset" | "table" | "figure" => {
                let inside = match tag {
                    "svg" => "title",
                    "fieldset" => "legend",
                    "table" => "caption",
                    _ => "figcaption",
                };
                match child(inside) {
                    // An SVG title has no box, and is meant all the same.
                    Some(found) if inside == "title" || way.hidden_counts || is_visible(&found) => {
                        self.part(&found, way)
                    }
                    _ => String::new(),
                }
            }
            _ => String::new(),
        }
    }

    /// The text inside an element, with what CSS adds to it.
    fn content(&mut self, el: &Element, way: Way) -> String {
        let way = Way { by_reference: false, in_content: true, depth: way.depth + 1, ..way };
        let mut out = generated(el, "::before");
        for child in children(el, &el.local_name()) {
            if self.length > ENOUGH {
                break;
            }
            match child.node_type() {
                Node::TEXT_NODE => {
                    let data = child.node_value().unwrap_or_default();
                    self.length += data.len();
                    out.push_str(&data);
                }
                Node::ELEMENT_NODE => {
                    let Some(child) = element(&child) else { continue };
                    self.child(&child, way, &mut out);
                }
                _ => {}
            }
        }
        out.push_str(&generated(el, "::after"));
        out
    }

    fn child(&mut self, child: &Element, way: Way, out: &mut String) {
        let tag = child.local_name();
        if is_one_of(&tag, "script style template noscript pagehand-ask") {
            return;
        }
        let Some(style) = style(child, "") else { return };
        let display = css(&style, "display");
        if !way.hidden_counts {
            let hidden = display == "none" || child.get_attribute("aria-hidden").as_deref() == Some("true");
            if hidden || (css(&style, "visibility") != "visible" && child.child_element_count() == 0) {
                return;
            }
        }
        let apart = tag == "br" || !matches!(display.as_str(), "inline" | "contents");
        if apart {
            out.push(' ');
        }
        out.push_str(&self.part(child, way));
        if apart {
            out.push(' ');
        }
    }
}

/// The last resort: a title, or the example in a field.
fn tooltip(el: &Element, role: &str) -> String {
    let title = attribute(el, "title");
    if !title.is_empty() || !is_text_field(role) {
        return title;
    }
    let placeholder = attribute(el, "placeholder");
    if placeholder.is_empty() { attribute(el, "aria-placeholder") } else { placeholder }
}

/// What CSS writes before or after an element: strings, and the text for them that comes after a slash.
fn generated(el: &Element, pseudo: &str) -> String {
    let Some(style) = style(el, pseudo) else { return String::new() };
    let content = css(&style, "content");
    if !content.contains('"') || css(&style, "display") == "none" {
        return String::new();
    }
    let mut out = String::new();
    let mut quoted = false;
    for c in content.chars() {
        match c {
            '"' => quoted = !quoted,
            // What comes after a slash is the words for what stands before it.
            '/' if !quoted => out.clear(),
            _ if quoted => out.push(c),
            _ => {}
        }
    }
    if css(&style, "display") == "inline" { out } else { format!(" {out} ") }
}
