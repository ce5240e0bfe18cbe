//! Whether a person could reach an element now: seen, enabled, holding still, not covered. What is in the way is named.

use super::bridge::{Fail, Outcome, call, constant, get, number, refuse, some};
use super::run::Run;
use super::state::is_disabled;
use super::tree::{as_element, closest, contains, css, is_there, is_visible, role, style, view};
use js_sys::Array;
use web_sys::Element;

/// How often what is in the way gets time to go, and how long each time, in milliseconds.
const PATIENCE: usize = 5;
const PAUSE: f64 = 100.0;

/// A point of an element, in its own window, and what is hit there.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) hit: Element,
}

/// Brings an element into view and finds a point where it can be hit. A control that is styled by hiding it behind its
/// label is reached by the label.
pub(super) async fn reach(run: &Run, el: &Element) -> Outcome<Spot> {
    let label = labels_of(el).into_iter().find(is_visible);
    let mut left = PATIENCE;
    loop {
        if !is_there(el) {
            return refuse(el, "went from the page; read the page again");
        }
        let mut tried = usable(run, el);
        let mut aim = el;
        // A hidden control's label is as good, a disabled control's is not.
        if let (Err(_), Some(label)) = (&tried, label.as_ref().filter(|_| !is_disabled(el))) {
            tried = usable(run, label);
            aim = label;
        }
        let mut why = tried.err();
        while why.is_none() {
            show(run, aim).await?;
            match hit_in(run, aim) {
                Ok(spot) => {
                    run.page.policy.spares(&spot.hit)?;
                    return Ok(spot);
                }
                Err(covered) => match &label {
                    Some(label) if aim != label => aim = label,
                    _ => why = Some(Fail { of: Some(el.clone()), ..covered }),
                },
            }
        }
        match why {
            Some(why) if left == 0 => return Err(why),
            _ => left -= 1,
        }
        run.sleep(PAUSE).await?;
    }
}

/// Scrolls an element into view, in each document around it, and waits until it holds still.
async fn show(run: &Run, el: &Element) -> Outcome<()> {
    let mut around = Some(el.clone());
    while let Some(one) = around {
        into_view(&one);
        around = frame_of(&one);
    }
    for _ in 0..PATIENCE {
        let before = el.get_bounding_client_rect();
        run.frame().await?;
        let now = el.get_bounding_client_rect();
        if before.x() == now.x() && before.y() == now.y() {
            break;
        }
    }
    Ok(())
}

/// Scrolls an element to the middle of what it scrolls in.
pub(super) fn into_view(el: &Element) {
    let center = constant(r#"{"block":"center","inline":"center","behavior":"instant"}"#);
    let _ = call(el, "scrollIntoView", &[&center]);
}

/// The frame that an element's document is in.
fn frame_of(el: &Element) -> Option<Element> {
    as_element(&get(view(el)?.as_ref(), "frameElement"))
}

/// The labels of a form control.
pub(super) fn labels_of(el: &Element) -> Vec<Element> {
    match some(el, "labels") {
        Some(labels) => Array::from(&labels).iter().filter_map(|one| as_element(&one)).collect(),
        None => Vec::new(),
    }
}

/// Whether it is seen and enabled; else why not.
pub(super) fn usable(run: &Run, el: &Element) -> Outcome<()> {
    if let Some(inert) = closest(el, &|at| at.has_attribute("inert")) {
        return refuse(el, format!("cannot be used now: {} is inert", run.page.describe(&inert)));
    }
    if !is_visible(el) {
        return refuse(el, "is not visible now: the page hides it");
    }
    if !is_disabled(el) {
        return Ok(());
    }
    let around =
        el.closest("fieldset:disabled, [aria-disabled=true]").ok().flatten().filter(|around| around != el);
    match around {
        Some(around) => refuse(el, format!("is disabled, by {}", run.page.describe(&around))),
        None => refuse(el, "is disabled"),
    }
}

/// A point where the element is hit, or what covers it.
fn hit_in(run: &Run, el: &Element) -> Outcome<Spot> {
    let found = run.page.hands.act("spotOf", &[el]);
    if let (Some(hit), Some(x), Some(y)) =
        (as_element(&get(&found, "hit")), number(&found, "x"), number(&found, "y"))
    {
        return Ok(Spot { x, y, hit });
    }
    if number(&found, "boxes") == Some(0.0) {
        return refuse(el, "has no size on the page");
    }
    if style(el, "").is_some_and(|style| css(&style, "pointer-events") == "none") {
        return refuse(el, "does not take clicks now (pointer-events: none)");
    }
    let Some(cover) = as_element(&get(&found, "cover")) else {
        return refuse(el, "is outside the window and cannot be scrolled into it");
    };
    let telling = |at: &Element| !role(at, &at.local_name()).is_empty() || at.has_attribute("aria-label");
    let named = closest(&cover, &telling).filter(|named| !contains(named, el)).unwrap_or(cover);
    refuse(el, format!("is covered by {}", run.page.describe(&named)))
}

/// Focuses an element as a click or the keyboard does, without scrolling.
pub(super) fn focus(run: &Run, el: &Element) {
    let _ = run.page.hands.act("focus", &[el]);
}
