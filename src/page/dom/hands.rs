//! What the page's own JavaScript does for the tools: firing events, writing, marking, watching (`src/js/page-hands.ts`).
//!
//! Each is a handful of browser calls that would be many times their size here. All may run listeners of the page, so
//! nothing may be borrowed while one is called; whatever they throw counts as nothing done.

use super::bridge::{call, get, text};
use super::run::Run;
use super::tree::as_element;
use crate::page::mask::without_cards;
use crate::page::words::{shorten, squeeze};
use js_sys::Array;
use wasm_bindgen::prelude::*;
use web_sys::Element;

/// Longest note on where the page goes.
const LONGEST: usize = 300;

/// The hands of one page.
#[derive(Debug)]
pub(super) struct Hands(pub(super) JsValue);

/// Where the page goes once the answer is out.
#[derive(Debug)]
pub(super) struct Leaving(JsValue);

impl Leaving {
    /// Has the page go once the answer is out. Says where to, if it goes anywhere.
    pub(super) fn after(self, run: &Run) -> Option<String> {
        let note = text(&self.0, "note")?;
        run.after(&get(&self.0, "go"));
        Some(shorten(&without_cards(&squeeze(&note)), LONGEST))
    }
}

impl Hands {
    /// Does something by its name.
    pub(super) fn act(&self, name: &str, given: &[&JsValue]) -> JsValue {
        call(&self.0, name, given).unwrap_or_default()
    }

    /// What has the focus, through shadow roots and frames.
    pub(super) fn active(&self) -> Option<Element> {
        as_element(&self.act("active", &[]))
    }

    /// Clicks at a point.
    pub(super) fn click(
        &self,
        el: &Element,
        hit: &Element,
        x: f64,
        y: f64,
        button: u32,
        count: u32,
    ) -> Leaving {
        Leaving(self.act("click", &[el, hit, &x.into(), &y.into(), &button.into(), &count.into()]))
    }

    /// Presses a key; Tab goes through `root`.
    pub(super) fn press(&self, at: &Element, key: &JsValue, root: &Element) -> Leaving {
        Leaving(self.act("press", &[at, key, root]))
    }

    /// Sends a form as a button would.
    pub(super) fn submit(&self, form: &Element, button: Option<&Element>) -> Leaving {
        Leaving(self.act("submit", &[form, button.map_or(&JsValue::UNDEFINED, AsRef::as_ref)]))
    }

    /// Chooses the options of a native list at some places.
    pub(super) fn choose(&self, list: &Element, places: &[usize]) {
        let places: Array = places.iter().map(|place| JsValue::from(*place as u32)).collect();
        let _ = self.act("choose", &[list, &places]);
    }

    /// Watches a part of the page: elements that come and go, and all else too where `closely`.
    pub(super) fn watch(&self, root: &Element, closely: bool) -> Watch {
        Watch(self.act("watch", &[root, &closely.into()]))
    }
}

/// Sees when the page changes. Stops when it is dropped.
pub(super) struct Watch(JsValue);

impl Watch {
    /// Whether anything changed.
    pub(super) fn saw(&self) -> bool {
        call(&self.0, "saw", &[]).is_ok_and(|saw| saw.as_bool() == Some(true))
    }

    /// How long nothing has changed, in milliseconds.
    pub(super) fn quiet(&self) -> f64 {
        call(&self.0, "quiet", &[]).ok().and_then(|quiet| quiet.as_f64()).unwrap_or(0.0)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = call(&self.0, "stop", &[]);
    }
}
