//! `click` and `hover`: where a person's pointer would go, and what may be clicked at all.

use super::bridge::{Outcome, refuse};
use super::reach::{Spot, reach};
use super::run::Run;
use super::tree::kind;
use wasm_bindgen::prelude::*;
use web_sys::Element;

/// Clicks.
pub(super) async fn click(run: &Run) -> Outcome<JsValue> {
    let el = run.page.target(&run.needs("ref")?)?;
    match el.local_name().as_str() {
        "select" | "option" => {
            return refuse(&el, "is part of a native list: use the select tool on the list");
        }
        "input" if kind(&el) == "file" => {
            return refuse(&el, "needs a person to choose a file: ask the user to do it");
        }
        _ => {}
    }
    let count = run.number("count").unwrap_or(1.0) as u32;
    let (button, done) = match run.text("button").as_deref() {
        Some("middle") => (1, "clicked with the middle button"),
        Some("right") => (2, "clicked with the right button"),
        _ => (0, "clicked"),
    };
    let spot = reach(run, &el).await?;
    let note = click_at(run, &el, &spot, button, count);
    run.settle().await?;
    Ok(run.page.report(done, Some(&el), note))
}

/// Hovers.
pub(super) async fn hover(run: &Run) -> Outcome<JsValue> {
    let el = run.page.target(&run.needs("ref")?)?;
    let spot = reach(run, &el).await?;
    let _ = run.page.hands.act("moveTo", &[&spot.hit, &spot.x.into(), &spot.y.into()]);
    run.settle().await?;
    Ok(run.page.report("the pointer is over it", Some(&el), None))
}

/// Clicks at a point. Says where the page goes, if it goes.
pub(super) fn click_at(run: &Run, el: &Element, spot: &Spot, button: u32, count: u32) -> Option<String> {
    run.page.hands.click(el, &spot.hit, spot.x, spot.y, button, count).after(run)
}
