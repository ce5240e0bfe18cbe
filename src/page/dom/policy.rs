//! What may be read and acted on: the root, the `allow` and `deny` selectors, what is private, and what is secret.
//!
//! A part that is denied, or private, is so with everything inside it, through shadow roots and frames.

use super::bridge::{Fail, Outcome, get, refuse, some, text};
use super::reach::labels_of;
use super::tree::{ASKING, as_element, closest, contains};
use crate::page::mask::{MASKED, PRIVATE, is_secret_field, without_cards};
use crate::page::words::squeeze;
use js_sys::WeakSet;
use wasm_bindgen::prelude::*;
use web_sys::{Document, Element, Window};

/// The rules of one set of tools.
#[derive(Debug)]
pub(super) struct Policy {
    root: JsValue,
    allow: Option<String>,
    deny: Option<String>,
    mask: String,
    /// Fields that were seen as password fields: showing the password does not make it less secret.
    passwords: WeakSet,
}

impl Policy {
    /// Takes `{ root?, allow?, deny?, mask? }`: an element or a selector, and selectors; and the hands, which know what
    /// was a password field.
    pub(super) fn new(options: &JsValue, hands: &JsValue) -> Outcome<Self> {
        let selector = |key: &str| -> Outcome<Option<String>> {
            let Some(given) = text(options, key).filter(|given| !given.trim().is_empty()) else {
                return Ok(None);
            };
            match document()?.query_selector(&given) {
                Ok(_) => Ok(Some(given)),
                Err(_) => Err(format!("option `{key}`: {given} is no CSS selector").into()),
            }
        };
        let root = some(options, "root").unwrap_or(JsValue::NULL);
        if root.is_string() {
            selector("root")?;
        } else if !root.is_null() && as_element(&root).is_none() {
            return Err("option `root` must be an element or a CSS selector".into());
        }
        let mask = selector("mask")?
            .map_or_else(|| "[data-private]".to_owned(), |mask| format!("[data-private],{mask}"));
        Ok(Self {
            root,
            allow: selector("allow")?,
            deny: selector("deny")?,
            mask,
            passwords: get(hands, "passwords").unchecked_into(),
        })
    }

    /// The part of the page that there is for the tools.
    pub(super) fn root(&self) -> Outcome<Element> {
        let found = match self.root.as_string() {
            Some(selector) => document()?.query_selector(&selector).ok().flatten(),
            None if self.root.is_null() => document()?.document_element(),
            None => as_element(&self.root).filter(|el| el.is_connected()),
        };
        found.ok_or(Fail::from("the part of the page that may be read is not there now"))
    }

    /// Whether an element is in the part of the page that there is for the tools. What asks the person never is: a model
    /// must not answer in the person's place.
    pub(super) fn is_inside(&self, el: &Element) -> bool {
        self.root().is_ok_and(|root| contains(&root, el))
            && closest(el, &|at| at.local_name() == ASKING).is_none()
    }

    /// Whether an element may be acted on; else why not.
    pub(super) fn permits(&self, el: &Element) -> Outcome<()> {
        self.spares(el)?;
        if self.allow.as_deref().is_some_and(|allow| !within(el, allow)) {
            return refuse(el, "is not in a part of the page that this app lets tools act on");
        }
        // What is done to a label is done to its control.
        let label = closest(el, &|at| at.local_name() == "label");
        match label.and_then(|label| as_element(&get(&label, "control"))).filter(|control| control != el) {
            Some(control) => self.permits(&control),
            None => Ok(()),
        }
    }

    /// Whether nothing forbids that a pointer hits an element; else what does.
    pub(super) fn spares(&self, el: &Element) -> Outcome<()> {
        if !self.is_inside(el) {
            return refuse(el, "is outside the part of the page that may be read and acted on");
        }
        let denied = |at: &Element| self.deny.as_deref().is_some_and(|deny| within(at, deny));
        // What is done to a label is done to its control; a button may stand outside of the form that it sends.
        let meant = closest(el, &|at| some(at, "form").is_some());
        let more = |key| meant.as_ref().and_then(|meant| as_element(&get(meant, key)));
        for one in [Some(el.clone()), more("control"), more("form")].iter().flatten() {
            if denied(one) {
                return refuse(one, "is in a part of the page that this app does not let tools act on");
            }
        }
        Ok(())
    }

    /// Whether an element itself says that it is private.
    pub(super) fn marks_private(&self, el: &Element) -> bool {
        el.matches(&self.mask).unwrap_or(false)
    }

    /// Whether an element is private or inside of something that is.
    pub(super) fn is_private(&self, el: &Element) -> bool {
        closest(el, &|at| self.marks_private(at)).is_some()
    }

    /// Whether a field's value is a secret.
    pub(super) fn is_secret(&self, el: &Element) -> bool {
        let attribute = |name: &str| el.get_attribute(name).unwrap_or_default();
        let kind = text(el, "type").unwrap_or_default();
        let key: &js_sys::Object = el.unchecked_ref();
        if kind == "password" {
            self.passwords.add(key);
        }
        let mut said = attribute("name");
        let labels = labels_of(el).into_iter().filter_map(|label| label.text_content());
        for words in labels.chain([attribute("aria-label"), attribute("placeholder")]) {
            said.push(' ');
            said.push_str(&words);
        }
        self.passwords.has(key) || is_secret_field(&kind, &attribute("autocomplete"), &said, &attribute("id"))
    }

    /// A field's value as it may be told.
    pub(super) fn told(&self, el: &Element, value: &str) -> String {
        if value.is_empty() {
            String::new()
        } else if self.is_private(el) || el.query_selector(&self.mask).ok().flatten().is_some() {
            PRIVATE.to_owned()
        } else if self.is_secret(el) {
            MASKED.to_owned()
        } else {
            without_cards(&squeeze(value))
        }
    }
}

fn within(el: &Element, selector: &str) -> bool {
    closest(el, &|at| at.matches(selector).unwrap_or(false)).is_some()
}

/// The document of the page.
pub(super) fn document() -> Outcome<Document> {
    window()?.document().ok_or(Fail::from("there is no document here"))
}

/// The window of the page.
pub(super) fn window() -> Outcome<Window> {
    web_sys::window().ok_or(Fail::from("there is no window here: page tools run in a page"))
}
