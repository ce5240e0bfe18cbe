//! `press`: which element hears a key, and whether it may.

use super::bridge::Outcome;
use super::reach::{focus, into_view, usable};
use super::run::Run;
use super::tree::{as_element, is_focusable};
use wasm_bindgen::prelude::*;

/// Presses a key, once or several times.
pub(super) async fn press(run: &Run) -> Outcome<JsValue> {
    let page = &run.page;
    let key = page.hands.act("readKey", &[&run.needs("key")?.as_str().into()]);
    if let Some(why) = key.as_string() {
        return Err(why.into());
    }
    let given = match run.text("ref") {
        Some(reference) => Some(page.target(&reference)?),
        None => None,
    };
    if let Some(el) = &given {
        usable(run, el)?;
        into_view(el);
        focus(run, el);
    }
    let root = page.policy.root()?;
    let mut note = None;
    let mut left = run.number("times").unwrap_or(1.0) as u32;
    while left > 0 && note.is_none() {
        // What takes no focus still hears the keys that were meant for it.
        let at = match given.clone().filter(|el| !is_focusable(el)) {
            Some(el) => el,
            None => page.hands.active().unwrap_or_else(|| root.clone()),
        };
        page.policy.permits(&at)?;
        // A key may press or choose something else than what hears it.
        if let Some(other) = as_element(&page.hands.act("leadsTo", &[&at, &key])) {
            page.policy.permits(&other)?;
            page.policy.spares(&other)?;
        }
        note = page.hands.press(&at, &key, &root).after(run);
        left -= 1;
        run.pause().await?;
    }
    run.settle().await?;
    let now = page.hands.active().filter(|el| el.local_name() != "body");
    Ok(page.report("pressed", now.as_ref(), note))
}
