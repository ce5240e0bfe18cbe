//! `read_page`: the page, a part of it, or what changed in it, as text.

use super::bridge::{Outcome, call, get, number, object, text};
use super::policy::{document, window};
use super::run::Run;
use super::walk::{Reading, walk};
use crate::page::diff::changes;
use crate::page::mask::without_cards;
use crate::page::render::{NOTICE, lines};
use crate::page::words::{quote, shorten, squeeze};
use js_sys::{Function, Reflect};
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::Element;

const LIMIT: f64 = 12_000.0;
const LEAST: f64 = 200.0;
const MOST: f64 = 200_000.0;
/// How often a page that is rebuilt while it is read is read again.
const AGAIN: usize = 1;

/// Reads.
pub(super) async fn read_page(run: &Run) -> Outcome<JsValue> {
    let page = &run.page;
    let root = match run.text("ref") {
        Some(reference) => page.resolve(&reference)?,
        None => page.policy.root()?,
    };
    let viewport = run.flag("viewport");
    let limit = run.number("limit").unwrap_or(LIMIT).clamp(LEAST, MOST) as usize;
    let (reading, moved) = read(run, &root, viewport).await?;
    let Reading { mut snapshot, cut, .. } = reading;
    snapshot.tidy();
    let key = format!("{} {viewport}", page.refs.id(&root));
    let before = page.last.replace(Some((key.clone(), snapshot.clone())));

    let mut notes: Vec<String> = Vec::new();
    let shown = match before.filter(|(of, _)| run.flag("changes") && *of == key) {
        Some((_, before)) => {
            let found = changes(&before, &snapshot, &page.refs.tag);
            let count = found.entries.len();
            notes.push(if count == 0 {
                "nothing changed since the last snapshot".to_owned()
            } else {
                format!("{count} changes since the last snapshot: + is new, ~ is different, - is gone")
            });
            found
        }
        None => {
            if run.flag("changes") {
                notes.push("there was no earlier snapshot of this: here is all of it".to_owned());
            }
            snapshot
        }
    };
    let (body, left_out) = lines(&shown, &page.refs.tag, limit);
    notes.extend(left_out.map(|note| format!("{note}; give a ref to read a part, or a larger limit")));
    if cut {
        notes.push("the page has more than a snapshot can hold".to_owned());
    }
    if moved {
        notes.push("the page was being rebuilt while it was read".to_owned());
    }
    let notes: String = notes.iter().map(|note| format!("[{note}]\n")).collect();
    Ok(format!("{NOTICE}\n{}\n{body}{notes}", heading(&root)?).trim_end().into())
}

/// Reads, and once more if the page was rebuilt meanwhile.
pub(super) async fn read(run: &Run, root: &Element, viewport: bool) -> Outcome<(Reading, bool)> {
    let mut left = AGAIN;
    loop {
        let watch = Watch::new(root, false);
        let reading = walk(run, root, viewport).await?;
        let moved = watch.is_some_and(|watch| watch.saw());
        if !moved || left == 0 {
            return Ok((reading, moved));
        }
        left -= 1;
    }
}

/// Which page it is and what of it is in the window.
fn heading(root: &Element) -> Outcome<String> {
    let document = document()?;
    let window = window()?;
    let location = get(&window, "location");
    let part = |key: &str| text(&location, key).unwrap_or_default();
    let hash = part("hash");
    let route = if hash.starts_with("#/") || hash.starts_with("#!") {
        hash.split('?').next().unwrap_or_default()
    } else {
        ""
    };
    let address = format!(
        "{}{}{}{route}",
        part("origin"),
        part("pathname"),
        if part("search").is_empty() { "" } else { "?…" }
    );
    let title = shorten(&without_cards(&squeeze(&document.title())), 120);
    let element = document.document_element().unwrap_or_else(|| root.clone());
    let size = |of: &JsValue, key: &str| number(of, key).unwrap_or(0.0) as i32;
    Ok(format!(
        "page {} {} (scrolled to {} of {}, window {})",
        quote(&title),
        shorten(&without_cards(&squeeze(&address)), 300),
        size(&window, "scrollY"),
        size(&element, "scrollHeight"),
        size(&window, "innerHeight"),
    ))
}

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since the page began.
    #[wasm_bindgen(js_namespace = performance)]
    pub(super) fn now() -> f64;
}

/// Sees when the page changes.
pub(super) struct Watch {
    observer: JsValue,
    _callback: Closure<dyn FnMut()>,
    last: Rc<Cell<Option<f64>>>,
    since: f64,
}

impl Watch {
    /// Watches elements that come and go, and all else too where `closely`.
    pub(super) fn new(root: &Element, closely: bool) -> Option<Self> {
        let last = Rc::new(Cell::new(None));
        let mark = Rc::clone(&last);
        let callback = Closure::<dyn FnMut()>::new(move || mark.set(Some(now())));
        let class: Function = get(window().ok()?.as_ref(), "MutationObserver").dyn_into().ok()?;
        let observer = Reflect::construct(&class, &js_sys::Array::of1(callback.as_ref())).ok()?;
        let all = JsValue::from_bool(closely);
        let what = object(&[
            ("childList", JsValue::TRUE),
            ("subtree", JsValue::TRUE),
            ("characterData", all.clone()),
            ("attributes", all),
        ]);
        call(&observer, "observe", &[root, &what]).ok()?;
        Some(Self { observer, _callback: callback, last, since: now() })
    }

    /// Whether anything changed.
    fn saw(&self) -> bool {
        let waiting = call(&self.observer, "takeRecords", &[])
            .map(|records| number(&records, "length").unwrap_or(0.0) > 0.0);
        self.last.get().is_some() || waiting.unwrap_or(false)
    }

    /// How long nothing has changed, in milliseconds.
    pub(super) fn quiet_for(&self) -> f64 {
        now() - self.last.get().unwrap_or(self.since)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = call(&self.observer, "disconnect", &[]);
    }
}
