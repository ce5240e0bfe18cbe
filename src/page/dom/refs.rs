//! References: the same element keeps its own for as long as it is on the page, and no other ever gets it.
//!
//! Elements are held weakly. A reference is of one document: letters that are drawn anew for each stand before the
//! number, so that one which a model kept over a page load is refused and never means another element. What the model
//! was last told of an element is kept beside it, because pages reuse elements for other things.

use super::bridge::Outcome;
use super::tree::is_there;
use crate::page::entry::Tag;
use js_sys::{Math, WeakMap};
use std::cell::RefCell;
use std::collections::VecDeque;
use wasm_bindgen::prelude::*;
use web_sys::Element;

/// Most references kept; the oldest are forgotten first and then refused.
const MOST: usize = 50_000;
/// Letters that make no words.
const LETTERS: &[u8] = b"bcdfghjkmnpqrstvwxz";

#[wasm_bindgen]
extern "C" {
    #[derive(Debug)]
    type WeakRef;
    #[wasm_bindgen(constructor)]
    fn new(target: &Element) -> WeakRef;
    #[wasm_bindgen(method)]
    fn deref(this: &WeakRef) -> Option<Element>;
}

/// What the model was told of an element, and how the row began that it was in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) role: String,
    pub(super) name: String,
    pub(super) row: String,
}

#[derive(Debug)]
struct Known {
    element: WeakRef,
    told: Option<Told>,
}

/// The references of one document.
#[derive(Debug)]
pub(super) struct Refs {
    /// What stands before the numbers.
    pub(super) tag: Tag,
    ids: WeakMap,
    known: RefCell<VecDeque<Known>>,
    /// How many were forgotten: the number of the first one kept, less one.
    forgotten: RefCell<u32>,
}

impl Refs {
    pub(super) fn new() -> Self {
        let letter = |_| {
            let at = (Math::random() * LETTERS.len() as f64) as usize;
            LETTERS.get(at).map_or('b', |byte| char::from(*byte))
        };
        Self {
            tag: Tag((0..3).map(letter).collect()),
            ids: WeakMap::new(),
            known: RefCell::new(VecDeque::new()),
            forgotten: RefCell::new(0),
        }
    }

    /// The number of an element.
    pub(super) fn id(&self, el: &Element) -> u32 {
        let key: &js_sys::Object = el.unchecked_ref();
        let before = *self.forgotten.borrow();
        if let Some(id) = self.ids.get(key).as_f64().map(|id| id as u32).filter(|id| *id > before) {
            return id;
        }
        let mut known = self.known.borrow_mut();
        known.push_back(Known { element: WeakRef::new(el), told: None });
        if known.len() > MOST {
            known.pop_front();
            *self.forgotten.borrow_mut() += 1;
        }
        let id = *self.forgotten.borrow() + known.len() as u32;
        self.ids.set(key, &JsValue::from_f64(f64::from(id)));
        id
    }

    /// Notes what the model is told of an element.
    pub(super) fn tell(&self, id: u32, told: Told) {
        self.at(id, |known| known.told = Some(told));
    }

    /// What the model was told of an element.
    pub(super) fn told(&self, id: u32) -> Option<Told> {
        self.at(id, |known| known.told.clone()).flatten()
    }

    /// The element of a reference.
    pub(super) fn resolve(&self, reference: &str) -> Outcome<(u32, Element)> {
        let again = "read the page again and use a ref from there";
        let Some(id) = self.tag.read(reference) else {
            let own = reference.trim_end_matches(|c: char| c.is_ascii_digit());
            let shaped = own.len() == 3
                && own.len() < reference.len()
                && own.bytes().all(|byte| LETTERS.contains(&byte));
            let why = if shaped {
                format!("{reference} is stale: it is from a page that is no longer shown; {again}")
            } else {
                format!(
                    "\"{}\" is no ref: refs look like {}; {again}",
                    crate::page::words::shorten(reference, 40),
                    self.tag.reference(12)
                )
            };
            return Err(why.into());
        };
        match self.at(id, |known| known.element.deref()) {
            None => Err(format!("{reference} is unknown: no snapshot gave it; {again}").into()),
            Some(Some(found)) if is_there(&found) => Ok((id, found)),
            Some(_) => {
                let was = self
                    .told(id)
                    .map(|told| format!(" ({} {})", told.role, crate::page::words::quote(&told.name)));
                Err(format!(
                    "{reference}{} is stale: it is no longer on the page; {again}",
                    was.unwrap_or_default()
                )
                .into())
            }
        }
    }

    /// Whether a reference was given to the model, whatever became of its element.
    pub(super) fn was_given(&self, reference: &str) -> bool {
        self.tag.read(reference).is_some_and(|id| self.at(id, |_| ()).is_some())
    }

    fn at<T>(&self, id: u32, read: impl FnOnce(&mut Known) -> T) -> Option<T> {
        let place = id.checked_sub(1)?.checked_sub(*self.forgotten.borrow())?;
        self.known.borrow_mut().get_mut(place as usize).map(read)
    }
}
