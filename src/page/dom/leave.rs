//! Leaving the page after the answer: a link or a form that would load another page is held back until the call's
//! answer is on its way, because the navigation would take the answer along.
//!
//! The page's own listeners come first: what they prevent, or do themselves, is theirs.

use super::bridge::{call, flag, get, text};
use super::run::Run;
use super::tree::{as_element, view};
use crate::page::words::is_one_of;
use js_sys::Array;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{Element, Window};

enum Leaving {
    Link(Element),
    Form(Element, Option<Element>),
}

/// Watches one window for as long as it lives.
pub(super) struct Hold {
    window: Window,
    listener: Closure<dyn FnMut(JsValue)>,
    found: Rc<RefCell<Option<Leaving>>>,
}

impl Hold {
    pub(super) fn new(el: &Element) -> Option<Self> {
        let window = view(el)?;
        let found = Rc::new(RefCell::new(None));
        let note = Rc::clone(&found);
        let own = window.clone();
        let listener = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
            if flag(&event, "defaultPrevented") {
                return;
            }
            if let Some(leaving) = leaving(&event, &own) {
                let _ = call(&event, "preventDefault", &[]);
                *note.borrow_mut() = Some(leaving);
            }
        });
        for kind in ["click", "submit"] {
            let _ = call(&window, "addEventListener", &[&kind.into(), listener.as_ref()]);
        }
        Some(Self { window, listener, found })
    }

    /// Goes once the answer is out. Says where to, if it goes anywhere.
    pub(super) fn release(self, run: &Run) -> Option<String> {
        let leaving = self.found.borrow_mut().take()?;
        let note = match &leaving {
            Leaving::Link(link) => {
                format!("the page goes to {} now", shown(&text(link, "href").unwrap_or_default()))
            }
            Leaving::Form(..) => "the form is being sent and the page goes on to what it leads to".to_owned(),
        };
        run.after(move || go(leaving));
        Some(note)
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        for kind in ["click", "submit"] {
            let _ = call(&self.window, "removeEventListener", &[&kind.into(), self.listener.as_ref()]);
        }
    }
}

/// An address without its query, which may hold secrets.
fn shown(address: &str) -> String {
    let bare = address.split(['?', '#']).next().unwrap_or_default();
    crate::page::words::shorten(&crate::page::words::squeeze(bare), 200)
}

fn leaving(event: &JsValue, window: &Window) -> Option<Leaving> {
    if text(event, "type").as_deref() == Some("submit") {
        let form = as_element(&get(event, "target"))?;
        let submitter = as_element(&get(event, "submitter"));
        let method = submitter
            .as_ref()
            .and_then(|one| one.get_attribute("formmethod"))
            .or_else(|| form.get_attribute("method"));
        let target = submitter
            .as_ref()
            .and_then(|one| one.get_attribute("formtarget"))
            .or_else(|| form.get_attribute("target"));
        let stays = method.is_some_and(|method| method.eq_ignore_ascii_case("dialog"));
        return if stays || is_elsewhere(target.as_deref()) {
            None
        } else {
            Some(Leaving::Form(form, submitter))
        };
    }
    let path = Array::from(&call(event, "composedPath", &[]).ok()?);
    let link = path
        .iter()
        .filter_map(|node| as_element(&node))
        .find(|el| matches!(el.local_name().as_str(), "a" | "area") && el.has_attribute("href"))?;
    let location = get(window, "location");
    let same = |key: &str| text(&link, key) == text(&location, key);
    let web = matches!(text(&link, "protocol").as_deref(), Some("http:" | "https:"));
    let here = same("origin")
        && same("pathname")
        && same("search")
        && text(&link, "hash").is_some_and(|hash| !hash.is_empty());
    if !web || here || link.has_attribute("download") || is_elsewhere(link.get_attribute("target").as_deref())
    {
        return None;
    }
    Some(Leaving::Link(link))
}

/// Whether it opens in another window or frame, and this page stays.
fn is_elsewhere(target: Option<&str>) -> bool {
    target.is_some_and(|target| {
        !target.is_empty() && !is_one_of(&target.to_ascii_lowercase(), "_self _top _parent")
    })
}

fn go(leaving: Leaving) {
    match leaving {
        Leaving::Link(link) => {
            // A copy that no listener of the page knows: they have heard of this click already.
            let Some(copy) = link.owner_document().and_then(|document| document.create_element("a").ok())
            else {
                return;
            };
            for name in ["href", "rel", "referrerpolicy", "target"] {
                if let Some(value) = link.get_attribute(name) {
                    let _ = copy.set_attribute(name, &value);
                }
            }
            let _ = call(&copy, "click", &[]);
        }
        Leaving::Form(form, submitter) => send(&form, submitter.as_ref()),
    }
}

/// Sends a form without asking its listeners again, as its button would have.
fn send(form: &Element, submitter: Option<&Element>) {
    let mut added = None;
    if let Some(button) = submitter {
        for name in ["action", "method", "enctype", "target"] {
            if let Some(value) = button.get_attribute(&format!("form{name}")) {
                let _ = form.set_attribute(name, &value);
            }
        }
        if let (Some(name), Some(document)) = (button.get_attribute("name"), form.owner_document()) {
            added = document.create_element("input").ok();
            if let Some(field) = &added {
                let _ = field.set_attribute("type", "hidden");
                let _ = field.set_attribute("name", &name);
                let _ = field.set_attribute("value", &text(button, "value").unwrap_or_default());
                let _ = form.append_child(field);
            }
        }
    }
    // A field named "submit" hides the form's own method.
    if let Some(own) = super::fill::inherited(form, "submit", "value") {
        let _ = js_sys::Reflect::apply(&own, form, &Array::new());
    }
    if let Some(field) = added {
        field.remove();
    }
}
