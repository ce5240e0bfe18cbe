//! `click` and `hover`: the pointer and mouse events of a person's hand, in their order, with the focus.

use super::bridge::{Outcome, call, get, refuse};
use super::events::{Mouse, mouse};
use super::leave::Hold;
use super::page::Page;
use super::reach::{Spot, at_point, focus, reach};
use super::run::Run;
use super::state::is_disabled;
use super::tree::{as_element, closest, contains, is_focusable, kind, parent};
use wasm_bindgen::prelude::*;
use web_sys::Element;

/// Clicks.
pub(super) async fn click(run: &Run) -> Outcome<JsValue> {
    let el = run.page.target(&run.needs("ref")?)?;
    let instead = match el.local_name().as_str() {
        "select" | "option" => Some("is part of a native list: use the select tool on the list"),
        "input" if kind(&el) == "file" => Some("needs a person to choose a file: ask the user to do it"),
        _ => None,
    };
    if let Some(instead) = instead {
        return refuse(&el, instead);
    }
    let count = run.number("count").unwrap_or(1.0).clamp(1.0, 3.0) as u32;
    let button = match run.text("button").as_deref() {
        Some("middle") => 1,
        Some("right") => 2,
        _ => 0,
    };
    let spot = reach(run, &el).await?;
    let note = click_at(run, &el, &spot, button, count);
    run.settle().await?;
    let done = match (button, count) {
        (0, 1) => "clicked",
        (0, _) => "clicked several times",
        (1, _) => "clicked with the middle button",
        _ => "clicked with the right button",
    };
    Ok(run.page.report(done, Some(&el), note))
}

/// Hovers.
pub(super) async fn hover(run: &Run) -> Outcome<JsValue> {
    let el = run.page.target(&run.needs("ref")?)?;
    let spot = reach(run, &el).await?;
    move_to(&run.page, &spot);
    run.settle().await?;
    Ok(run.page.report("the pointer is over it", Some(&el), None))
}

/// Clicks at a point. Says where the page goes, if it goes.
pub(super) fn click_at(run: &Run, el: &Element, spot: &Spot, button: i32, count: u32) -> Option<String> {
    move_to(&run.page, spot);
    let hold = Hold::new(el);
    for detail in 1..=count {
        if !one_click(el, spot, Mouse { button, detail, ..spot.at }) {
            break;
        }
    }
    hold.and_then(|hold| hold.release(run))
}

/// One press and release. False if the element is gone.
fn one_click(el: &Element, spot: &Spot, at: Mouse) -> bool {
    let pressed = target(el, spot);
    let down = Mouse { down: true, ..at };
    let compatible = mouse(&pressed, "pointerdown", Mouse { detail: 0, ..down }, None);
    if !compatible || mouse(&pressed, "mousedown", down, None) {
        move_focus(&pressed);
    }
    if at.button == 2 {
        let _ = mouse(&pressed, "contextmenu", down, None);
    }
    // Listeners may have put something else under the pointer.
    let released = target(el, spot);
    let _ = mouse(&released, "pointerup", Mouse { detail: 0, ..at }, None);
    if compatible {
        let _ = mouse(&released, "mouseup", at, None);
    }
    let Some(clicked) = common(&pressed, &released) else { return false };
    if is_disabled(&clicked) {
        return true;
    }
    if at.button == 0 {
        let _ = mouse(&clicked, "click", at, None);
        if at.detail == 2 {
            let _ = mouse(&clicked, "dblclick", at, None);
        }
    } else {
        let _ = mouse(&clicked, "auxclick", at, None);
    }
    el.is_connected()
}

/// What is under the pointer now, as far as it still has to do with what was meant.
fn target(el: &Element, spot: &Spot) -> Element {
    if spot.hit.is_connected() {
        return spot.hit.clone();
    }
    let found = el.owner_document().and_then(|document| at_point(&document, spot.at.x, spot.at.y));
    found.filter(|found| contains(el, found)).unwrap_or_else(|| el.clone())
}

/// The innermost element that holds both.
fn common(one: &Element, other: &Element) -> Option<Element> {
    if !other.is_connected() {
        return None;
    }
    if !one.is_connected() {
        return Some(other.clone());
    }
    closest(one, &|at| contains(at, other))
}

/// Moves the focus as pressing a mouse button does.
fn move_focus(pressed: &Element) {
    match closest(pressed, &|at| is_focusable(at) && !is_disabled(at)) {
        Some(taker) => focus(&taker),
        None => {
            let active = pressed.owner_document().map(|document| get(&document, "activeElement"));
            if let Some(active) = active.and_then(|active| as_element(&active)) {
                let _ = call(&active, "blur", &[]);
            }
        }
    }
}

/// Moves the pointer over a point, out of what it was over before.
pub(super) fn move_to(page: &Page, spot: &Spot) {
    let before = page.hovered.replace(Some(spot.hit.clone())).filter(|el| el.is_connected());
    let over = &spot.hit;
    let chain = |from: &Element, other: Option<&Element>| {
        let mut out = Vec::new();
        let mut at = Some(from.clone());
        while let Some(el) = at.filter(|el| !other.is_some_and(|other| contains(el, other))) {
            at = parent(&el).filter(|above| above.owner_document() == el.owner_document());
            out.push(el);
        }
        out
    };
    if before.as_ref() != Some(over) {
        if let Some(left) = &before {
            let _ = mouse(left, "pointerout", spot.at, Some(over));
            let _ = mouse(left, "mouseout", spot.at, Some(over));
            for kind in ["pointerleave", "mouseleave"] {
                for el in chain(left, Some(over)) {
                    let _ = mouse(&el, kind, spot.at, Some(over));
                }
            }
        }
        for (bubbling, inner) in [("pointerover", "pointerenter"), ("mouseover", "mouseenter")] {
            let _ = mouse(over, bubbling, spot.at, before.as_ref());
            for el in chain(over, before.as_ref()).into_iter().rev() {
                let _ = mouse(&el, inner, spot.at, before.as_ref());
            }
        }
    }
    let _ = mouse(over, "pointermove", spot.at, None);
    let _ = mouse(over, "mousemove", spot.at, None);
}
