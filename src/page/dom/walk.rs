//! Reads a part of the page into a snapshot, in slices: the page gets its turn after some milliseconds.
//!
//! The page may change between two slices. What went in the meantime is left out, and the reader says whether anything
//! was rebuilt while it read.

use super::bridge::{Outcome, flag, get, some};
use super::names::{name_of, text_of};
use super::page::Page;
use super::run::Run;
use super::state::{marks_of, value_of};
use super::tree::{
    OURS, children, css, element, frame_document, is_editor, is_focusable, parent, role, style, told_tag,
};
use crate::page::entry::{Entry, Snapshot};
use crate::page::mask::{PRIVATE, hide_split_cards, without_cards};
use crate::page::role::{hides_children, is_interactive, is_mere_text, is_said_by_name, weight};
use crate::page::words::{is_one_of, shorten, squeeze};
use wasm_bindgen::prelude::*;
use web_sys::{Element, Node};

/// How long one slice may take, in milliseconds.
const SLICE: f64 = 8.0;
/// Most lines of one snapshot; a page with more says so.
const MOST_LINES: usize = 20_000;
const LONGEST_TEXT: usize = 1_000;

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since the page began.
    #[wasm_bindgen(js_namespace = performance)]
    pub(super) fn now() -> f64;
}

/// Where in the snapshot a node is.
#[derive(Debug, Clone, Default)]
struct Place {
    depth: u32,
    parent: u32,
    /// What is here is said by a name already: only what can be acted on gets a line.
    quiet: bool,
    private: bool,
    /// CSS hides it, though not necessarily what is inside.
    unseen: bool,
    /// The pointer shows that a click does something.
    pointer: bool,
    /// Outside the window, where only the window is read.
    away: bool,
}

enum Step {
    Node(Node, Place),
    /// A line of text ends here.
    Break,
}

/// What was read.
pub(super) struct Reading {
    pub(super) snapshot: Snapshot,
    /// The elements that texts are in, in the order of the texts.
    pub(super) holders: Vec<Element>,
    /// Whether there was more than a snapshot may hold.
    pub(super) cut: bool,
}

struct Walker<'a> {
    page: &'a Page,
    viewport: bool,
    stack: Vec<Step>,
    entries: Vec<Entry>,
    text: String,
    text_at: Option<(Place, Element)>,
    holders: Vec<Element>,
    cut: bool,
}

/// Reads a part of the page.
pub(super) async fn walk(run: &Run, root: &Element, viewport: bool) -> Outcome<Reading> {
    let place = Place { private: run.page.policy.is_private(root), ..Place::default() };
    let mut walker = Walker {
        page: &run.page,
        viewport,
        stack: vec![Step::Node(root.clone().into(), place)],
        entries: Vec::new(),
        text: String::new(),
        text_at: None,
        holders: Vec::new(),
        cut: false,
    };
    let mut started = now();
    while let Some(step) = walker.stack.pop() {
        match step {
            Step::Break => walker.flush(),
            Step::Node(node, place) if node.is_connected() => walker.visit(&node, place),
            Step::Node(..) => {}
        }
        if walker.entries.len() >= MOST_LINES {
            walker.cut = !walker.stack.is_empty();
            break;
        }
        if now() - started > SLICE {
            run.pause().await?;
            started = now();
        }
    }
    walker.flush();
    hide_split_cards(&mut walker.entries);
    Ok(Reading { snapshot: Snapshot { entries: walker.entries }, holders: walker.holders, cut: walker.cut })
}

impl Walker<'_> {
    fn visit(&mut self, node: &Node, place: Place) {
        match node.node_type() {
            Node::TEXT_NODE => {
                if !place.quiet && !place.unseen && !place.away {
                    self.add_text(&node.node_value().unwrap_or_default(), place, node);
                }
            }
            Node::ELEMENT_NODE => {
                if let Some(el) = element(node) {
                    self.element(&el, place);
                }
            }
            _ => {}
        }
    }

    fn add_text(&mut self, data: &str, place: Place, node: &Node) {
        let same = self
            .text_at
            .as_ref()
            .is_some_and(|(at, _)| at.parent == place.parent && at.private == place.private);
        if !same {
            self.flush();
        }
        if self.text_at.is_none() {
            if data.trim().is_empty() {
                return;
            }
            let Some(holder) = parent(node) else { return };
            self.text_at = Some((place, holder));
        }
        self.text.push_str(data);
    }

    fn flush(&mut self) {
        let Some((place, holder)) = self.text_at.take() else { return };
        let said = if place.private { PRIVATE.to_owned() } else { without_cards(&squeeze(&self.text)) };
        self.text.clear();
        self.entries.push(Entry {
            depth: place.depth,
            parent: place.parent,
            role: "text".to_owned(),
            name: shorten(&said, LONGEST_TEXT),
            weight: 1,
            ..Entry::default()
        });
        self.holders.push(holder);
    }

    fn element(&mut self, el: &Element, place: Place) {
        let tag = el.local_name();
        if is_one_of(&tag, "script style noscript template head datalist pagehand-ask")
            || el.has_attribute(OURS)
        {
            return;
        }
        let Some(style) = style(el, "") else { return };
        let display = css(&style, "display");
        let hidden = display == "none"
            || el.get_attribute("aria-hidden").as_deref() == Some("true")
            || el.has_attribute("inert")
            || css(&style, "content-visibility") == "hidden";
        if hidden {
            return;
        }
        let block = tag == "br" || !matches!(display.as_str(), "inline" | "contents");
        if block {
            self.flush();
            self.stack.push(Step::Break);
        }
        let mut inner = Place {
            unseen: css(&style, "visibility") != "visible",
            private: place.private || self.page.policy.marks_private(el),
            pointer: css(&style, "cursor") == "pointer",
            ..place.clone()
        };
        if self.viewport && display != "contents" {
            inner.away = is_away(el);
        }
        let mut role = role(el, &tag);
        let mut descend = true;
        if !inner.unseen && !inner.away {
            let mut clickable = false;
            if is_mere_text(role) && !place.quiet {
                clickable = el.has_attribute("onclick")
                    || (inner.pointer && !place.pointer)
                    || (is_focusable(el) && el.has_attribute("tabindex") && !tag.contains('-'));
                clickable &= tag != "label" && !place.private;
                if clickable {
                    role = "clickable";
                }
            }
            descend = self.line(el, &tag, role, clickable, &place, &mut inner);
        }
        if !descend {
            return;
        }
        let said = match tag.as_str() {
            "label" => some(el, "control").is_some(),
            "legend" | "caption" | "figcaption" => true,
            _ => false,
        };
        inner.quiet |= said;
        let frame = tag == "iframe" || tag == "frame";
        if frame {
            // A frame's own cursor and visibility begin anew.
            inner.pointer = false;
        }
        for child in children(el, &tag).into_iter().rev() {
            self.stack.push(Step::Node(child, inner.clone()));
        }
    }

    /// Writes the element's own line where it has one. Whether to go on inside of it.
    fn line(
        &mut self,
        el: &Element,
        tag: &str,
        role: &str,
        clickable: bool,
        place: &Place,
        inner: &mut Place,
    ) -> bool {
        let page = self.page;
        let named = el.has_attribute("aria-label") || el.has_attribute("aria-labelledby");
        let closed = is_closed(el, tag);
        if (is_mere_text(role) && !named && !closed)
            || (place.quiet && !clickable && !is_interactive(role) && role != "iframe")
        {
            return !hides_children(role);
        }
        let editor = is_editor(el);
        // Cells and rows say what is in them by their own lines.
        let by_parts = is_one_of(role, "cell gridcell row columnheader rowheader") && !named;
        let name = if by_parts {
            String::new()
        } else if clickable {
            text_of(&page.policy, el)
        } else {
            name_of(&page.policy, el, role)
        };
        if role == "img" && name.is_empty() {
            return false;
        }
        self.flush();
        let id = page.refs.id(el);
        let own = told_tag(tag);
        let role = if role.is_empty() { own.as_str() } else { role };
        let mut marks = marks_of(&page.policy, el, tag, role);
        if closed {
            marks.push_str(" unreachable: closed shadow root");
        }
        if matches!(tag, "iframe" | "frame") && frame_document(el).is_none() {
            marks.push_str(" unreachable: another origin");
        }
        page.tell(el, id, role, if by_parts { "" } else { &name });
        let value = value_of(&page.policy, el, tag, role).filter(|value| !value.is_empty());
        inner.quiet = place.quiet || ((is_said_by_name(role) || clickable) && !name.is_empty());
        self.entries.push(Entry {
            id,
            parent: place.parent,
            depth: place.depth,
            role: role.to_owned(),
            name,
            value,
            marks,
            weight: if clickable { 4 } else { weight(role) },
        });
        inner.depth = place.depth + 1;
        inner.parent = id;
        !(hides_children(role) || editor || is_one_of(tag, "select textarea input video audio"))
    }
}

/// Whether an element is outside the window.
fn is_away(el: &Element) -> bool {
    let rect = el.get_bounding_client_rect();
    let Some(view) = super::tree::view(el) else { return true };
    let side = |key: &str| super::bridge::number(&view, key).unwrap_or(0.0);
    rect.bottom() <= 0.0
        || rect.right() <= 0.0
        || rect.top() >= side("innerHeight")
        || rect.left() >= side("innerWidth")
}

/// Whether a custom element shows something that nobody outside can see into.
fn is_closed(el: &Element, tag: &str) -> bool {
    if !tag.contains('-')
        || el.shadow_root().is_some()
        || el.first_child().is_some()
        || flag(el, "isContentEditable")
    {
        return false;
    }
    let rect = el.get_bounding_client_rect();
    let defined =
        !get(&get(&super::tree::view(el).map(JsValue::from).unwrap_or_default(), "customElements"), "get")
            .is_undefined();
    defined && el.matches(":defined").unwrap_or(false) && rect.width() > 0.0 && rect.height() > 0.0
}
