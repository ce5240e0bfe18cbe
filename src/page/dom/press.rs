//! `press`: keys, with what a browser does for them where the page does not say otherwise: writing, deleting, moving
//! the focus, pressing buttons, sending forms, moving through choices.

use super::bridge::{Outcome, call, flag, get, number};
use super::editor::{command, edit};
use super::events::{Mouse, fire, mouse, tell_change, tell_input};
use super::leave::Hold;
use super::policy::document;
use super::reach::{focus, into_view, usable};
use super::run::Run;
use super::state::{is_disabled, options};
use super::tree::{as_element, children, closest, element, is_editor, is_focusable, is_visible, kind};
use crate::page::chord::{Chord, read};
use crate::page::words::is_one_of;
use wasm_bindgen::prelude::*;
use web_sys::Element;

const MOST: f64 = 50.0;
const DEEPEST: usize = 300;

/// Presses a key, once or several times.
pub(super) async fn press(run: &Run) -> Outcome<JsValue> {
    let chord = read(&run.needs("key")?)?;
    let times = run.number("times").unwrap_or(1.0).clamp(1.0, MOST) as usize;
    let given = match run.text("ref") {
        Some(reference) => Some(run.page.target(&reference)?),
        None => None,
    };
    if let Some(el) = &given {
        usable(run, el)?;
        into_view(el);
        focus(el);
    }
    let mut note = None;
    for _ in 0..times {
        let at = match active() {
            Some(at) => at,
            None => run.page.policy.root()?,
        };
        // What has no focus of its own still hears the keys that were meant for it.
        let at =
            given.clone().filter(|el| !is_focusable(el) && !super::tree::contains(el, &at)).unwrap_or(at);
        if at.local_name() != "body" {
            run.page.policy.permits(&at)?;
        }
        let hold = Hold::new(&at);
        stroke(run, &at, &chord);
        note = hold.and_then(|hold| hold.release(run));
        run.pause().await?;
        if note.is_some() {
            break;
        }
    }
    run.settle().await?;
    let now = active().filter(|el| el.local_name() != "body");
    Ok(run.page.report("pressed", now.as_ref(), note))
}

/// What has the focus, through shadow roots and frames.
pub(super) fn active() -> Option<Element> {
    let mut at = as_element(&get(document().ok()?.as_ref(), "activeElement"))?;
    loop {
        let inner = match at.shadow_root() {
            Some(shadow) => as_element(&get(&shadow, "activeElement")),
            None if at.local_name() == "iframe" => super::tree::frame_document(&at)
                .and_then(|document| as_element(&get(&document, "activeElement"))),
            None => None,
        };
        match inner {
            Some(inner) => at = inner,
            None => return Some(at),
        }
    }
}

fn key_event(el: &Element, kind: &str, chord: &Chord) -> bool {
    let code = if kind == "keypress" {
        chord.key.chars().next().map_or(13, |one| if chord.key == "Enter" { 13 } else { one as u32 })
    } else {
        chord.key_code
    };
    fire(
        el,
        "KeyboardEvent",
        kind,
        &[
            ("key", chord.key.as_str().into()),
            ("code", chord.code.as_str().into()),
            ("keyCode", code.into()),
            ("which", code.into()),
            ("ctrlKey", chord.control.into()),
            ("shiftKey", chord.shift.into()),
            ("altKey", chord.alt.into()),
            ("metaKey", chord.meta.into()),
        ],
    )
}

/// One key down and up.
fn stroke(run: &Run, at: &Element, chord: &Chord) {
    let mut go_on = key_event(at, "keydown", chord);
    if go_on && (chord.writes().is_some() || chord.key == "Enter") {
        go_on = key_event(at, "keypress", chord);
    }
    let space = chord.writes() == Some(" ");
    if go_on && !space {
        act(run, at, chord);
    }
    let to = active().unwrap_or_else(|| at.clone());
    let up = key_event(&to, "keyup", chord);
    if go_on && space {
        if is_text(at) {
            edit(at, "insertText", " ");
        } else if up && (is_button(at) || is_switch(at)) {
            press_by_key(at);
        }
    }
}

fn is_text(el: &Element) -> bool {
    let field = match el.local_name().as_str() {
        "textarea" => true,
        "input" => is_one_of(&kind(el), "text search url tel email password number"),
        _ => closest(el, &is_editor).is_some(),
    };
    field && !flag(el, "readOnly") && !is_disabled(el)
}

fn is_button(el: &Element) -> bool {
    match el.local_name().as_str() {
        "button" | "summary" => true,
        "input" => is_one_of(&kind(el), "submit button reset image color"),
        _ => false,
    }
}

fn is_switch(el: &Element) -> bool {
    el.local_name() == "input" && matches!(kind(el).as_str(), "checkbox" | "radio")
}

fn press_by_key(el: &Element) {
    if !is_disabled(el) {
        let _ = mouse(el, "click", Mouse::default(), None);
    }
}

/// What a browser does for a key.
fn act(run: &Run, at: &Element, chord: &Chord) {
    let held = chord.control || chord.meta;
    if let Some(letter) = chord.writes() {
        if is_text(at) {
            edit(at, "insertText", letter);
        }
        return;
    }
    match chord.key.as_str() {
        "Tab" if !held && !chord.alt => move_on(run, at, chord.shift),
        "Enter" => enter(at),
        "Backspace" if is_text(at) => edit(at, "delete", ""),
        "Delete" if is_text(at) => edit(at, "forwardDelete", ""),
        "Escape" => {
            let dialog =
                closest(at, &|el| el.local_name() == "dialog" && el.matches(":modal").unwrap_or(false));
            if let Some(dialog) = dialog
                && fire(&dialog, "Event", "cancel", &[("bubbles", JsValue::FALSE)])
            {
                let _ = call(&dialog, "close", &[]);
            }
        }
        "a" | "A" if held && is_text(at) => command(at, "selectAll", ""),
        key @ ("ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight") if !held => {
            arrow(at, matches!(key, "ArrowDown" | "ArrowRight"))
        }
        _ => {}
    }
}

fn enter(at: &Element) {
    let tag = at.local_name();
    if is_button(at) || (matches!(tag.as_str(), "a" | "area") && at.has_attribute("href")) {
        press_by_key(at);
        return;
    }
    if tag == "textarea" || (closest(at, &is_editor).is_some() && tag != "input") {
        edit(at, "insertParagraph", "");
        return;
    }
    if tag != "input" {
        return;
    }
    let form = as_element(&get(at, "form"));
    let Some(form) = form else { return };
    let elements = js_sys::Array::from(&get(&form, "elements"));
    let button = elements.iter().filter_map(|one| as_element(&one)).find(|one| {
        matches!(one.local_name().as_str(), "button" | "input")
            && matches!(kind(one).as_str(), "submit" | "image")
    });
    match button {
        Some(button) => press_by_key(&button),
        None => {
            let _ = call(&form, "requestSubmit", &[]);
        }
    }
}

/// Moves through what one control or group offers.
fn arrow(at: &Element, forward: bool) {
    match at.local_name().as_str() {
        "input" => match kind(at).as_str() {
            "range" | "number" => {
                let before = super::bridge::text(at, "value");
                let _ = call(at, if forward == (kind(at) == "range") { "stepUp" } else { "stepDown" }, &[]);
                if super::bridge::text(at, "value") != before {
                    tell_input(at, "", None);
                    tell_change(at);
                }
            }
            "radio" => {
                let Some(name) = at.get_attribute("name") else { return };
                let root = at.get_root_node();
                let all = call(&root, "querySelectorAll", &[&"input[type=radio]".into()])
                    .map(|all| js_sys::Array::from(&all))
                    .unwrap_or_default();
                let group: Vec<Element> = all
                    .iter()
                    .filter_map(|one| as_element(&one))
                    .filter(|one| {
                        one.get_attribute("name").as_deref() == Some(name.as_str())
                            && get(one, "form") == get(at, "form")
                            && !is_disabled(one)
                    })
                    .collect();
                if let Some(next) = neighbour(&group, at, forward) {
                    focus(&next);
                    press_by_key(&next);
                }
            }
            _ => {}
        },
        "select" => {
            let all: Vec<Element> =
                options(at).into_iter().filter(|one| !one.matches(":disabled").unwrap_or(false)).collect();
            let now = all.iter().position(|one| flag(one, "selected"));
            let next = now.map_or(0, |now| {
                if forward { (now + 1).min(all.len().saturating_sub(1)) } else { now.saturating_sub(1) }
            });
            if now != Some(next)
                && let Some(index) = all.get(next).and_then(|option| number(option, "index"))
            {
                super::bridge::set(at, "selectedIndex", &index.into());
                tell_input(at, "", None);
                tell_change(at);
            }
        }
        _ => {}
    }
}

fn neighbour(all: &[Element], at: &Element, forward: bool) -> Option<Element> {
    let now = all.iter().position(|one| one == at)?;
    let count = all.len();
    all.get((now + if forward { 1 } else { count - 1 }) % count).cloned()
}

/// Moves the focus to the next element that takes it, in the order of the page.
fn move_on(run: &Run, at: &Element, back: bool) {
    let Ok(root) = run.page.policy.root() else { return };
    let modal = closest(at, &|el| el.local_name() == "dialog" && el.matches(":modal").unwrap_or(false));
    let mut stops = Vec::new();
    stops_in(&modal.unwrap_or(root), 0, &mut stops);
    let next = if stops.contains(at) {
        neighbour(&stops, at, !back)
    } else if back {
        stops.last().cloned()
    } else {
        stops.first().cloned()
    };
    if let Some(next) = next {
        focus(&next);
        if next.local_name() == "input" {
            let _ = call(&next, "select", &[]);
        }
    }
}

fn stops_in(el: &Element, depth: usize, stops: &mut Vec<Element>) {
    if el.has_attribute("inert") || depth > DEEPEST {
        return;
    }
    let index = number(el, "tabIndex").unwrap_or(-1.0);
    // The browser gives editors and scrollers no index of their own, but a place in the order.
    if (index >= 0.0 || (is_editor(el) && !el.has_attribute("tabindex")))
        && !is_disabled(el)
        && is_visible(el)
        && el.local_name() != "iframe"
    {
        stops.push(el.clone());
    }
    for child in children(el, &el.local_name()).iter().filter_map(element) {
        stops_in(&child, depth + 1, stops);
    }
}
