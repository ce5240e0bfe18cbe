//! `select` and `check`: lists and switches, native ones and those that pages build of other elements.

use super::bridge::{Fail, Outcome, alike, flag, refuse, text};
use super::click::click_at;
use super::reach::reach;
use super::run::Run;
use super::state::{checked, label_of, options, options_told};
use super::tree::{children, element, is_visible, kind, referenced, role};
use crate::page::words::{is_one_of, joined, quote, squeeze};
use js_sys::Array;
use wasm_bindgen::prelude::*;
use web_sys::Element;

/// How long options of a built list get to appear, in milliseconds, and how often that is looked at.
const WAIT: f64 = 100.0;
const LOOKS: usize = 20;
const DEEPEST: usize = 200;

/// Chooses options.
pub(super) async fn select(run: &Run) -> Outcome<JsValue> {
    let el = run.page.target(&run.needs("ref")?)?;
    let wanted: Vec<String> = Array::from(&super::bridge::get(&run.input, "options"))
        .iter()
        .filter_map(|one| one.as_string())
        .collect();
    let wanted: Vec<String> = wanted.into_iter().map(|one| squeeze(&one)).collect();
    if el.local_name() == "select" { native(run, &el, &wanted).await } else { built(run, &el, &wanted).await }
}

async fn native(run: &Run, el: &Element, wanted: &[String]) -> Outcome<JsValue> {
    let several = flag(el, "multiple");
    if wanted.len() != 1 && !several {
        return refuse(el, "takes exactly one option");
    }
    let all = options(el);
    let mut chosen: Vec<usize> = Vec::new();
    for one in wanted {
        let at = position(&all, one).ok_or_else(|| {
            Fail::from(format!("has no option {}; it has {}", quote(one), options_told(&run.page.policy, el)))
                .of(el)
        })?;
        if all.get(at).is_some_and(|option| option.matches(":disabled").unwrap_or(false)) {
            return refuse(el, format!("has the option {}, but it is disabled", quote(one)));
        }
        chosen.push(at);
    }
    reach(run, el).await?;
    super::reach::focus(run, el);
    run.page.hands.choose(el, &chosen);
    run.settle().await?;
    let now = options(el);
    let kept = now.iter().enumerate().all(|(at, option)| flag(option, "selected") == chosen.contains(&at));
    if !kept || now.len() != all.len() {
        let what = run.page.policy.told(el, &super::state::selected_text(el));
        return refuse(el, format!("did not keep what was chosen: it now has {}", quote(&what)));
    }
    Ok(run.page.report("chosen", Some(el), None))
}

/// The option that is meant: by its whole label, by its value, by its label whatever the case.
fn position(all: &[Element], wanted: &str) -> Option<usize> {
    all.iter()
        .position(|option| label_of(option) == wanted)
        .or_else(|| all.iter().position(|option| text(option, "value").as_deref() == Some(wanted)))
        .or_else(|| all.iter().position(|option| alike(&label_of(option), wanted)))
}

/// A list that the page builds: it is opened by a click, and its options are clicked.
async fn built(run: &Run, el: &Element, wanted: &[String]) -> Outcome<JsValue> {
    let own = role(el, &el.local_name());
    if !is_one_of(own, "combobox listbox button menu tree radiogroup textbox searchbox") {
        return refuse(el, "is no list to choose from");
    }
    let mut note = None;
    for one in wanted {
        let open = own == "listbox"
            || own == "radiogroup"
            || el.get_attribute("aria-expanded").as_deref() == Some("true");
        if !open {
            let spot = reach(run, el).await?;
            click_at(run, el, &spot, 0, 1);
        }
        let mut found = None;
        let mut seen = Vec::new();
        for _ in 0..LOOKS {
            seen = listed(run, el)?;
            found = seen
                .iter()
                .find(|(_, name)| name == one)
                .or_else(|| seen.iter().find(|(_, name)| alike(name, one)))
                .map(|(option, _)| option.clone());
            if found.is_some() {
                break;
            }
            run.sleep(WAIT).await?;
        }
        let Some(option) = found else {
            let names: Vec<_> = seen.iter().take(12).map(|(_, name)| quote(name)).collect();
            let shown = if names.is_empty() {
                "no options are shown".to_owned()
            } else {
                format!("it shows {}", joined(&names, ", "))
            };
            return refuse(el, format!("has no option {}: {shown}", quote(one)));
        };
        run.page.policy.permits(&option)?;
        let spot = reach(run, &option).await?;
        note = click_at(run, &option, &spot, 0, 1);
        run.settle().await?;
    }
    Ok(run.page.report("chosen", Some(el), note))
}

/// The options that are shown for a list, with their names: in it, in what it controls, else anywhere.
fn listed(run: &Run, el: &Element) -> Outcome<Vec<(Element, String)>> {
    let mut around: Vec<Element> = vec![el.clone()];
    for attribute in ["aria-controls", "aria-owns"] {
        around.extend(referenced(el, attribute));
    }
    let mut found = Vec::new();
    for one in &around {
        options_in(one, 0, &mut found);
    }
    if found.is_empty() {
        options_in(&run.page.policy.root()?, 0, &mut found);
    }
    Ok(found
        .into_iter()
        .map(|option| (run.page.called(&option).1, option))
        .map(|(name, option)| (option, name))
        .collect())
}

fn options_in(el: &Element, depth: usize, found: &mut Vec<Element>) {
    for child in children(el, &el.local_name()).iter().filter_map(element) {
        let tag = child.local_name();
        if tag == "select" {
            continue;
        }
        if matches!(role(&child, &tag), "option" | "menuitemradio" | "treeitem" | "radio") {
            if is_visible(&child) {
                found.push(child);
            }
        } else if depth < DEEPEST {
            options_in(&child, depth + 1, found);
        }
    }
}

/// Switches on or off.
pub(super) async fn check(run: &Run) -> Outcome<JsValue> {
    let el = run.page.target(&run.needs("ref")?)?;
    let on = super::bridge::get(&run.input, "checked").as_bool().unwrap_or(true);
    let tag = el.local_name();
    let state = || match checked(&el, &tag) {
        Some(state) => Some(state == "checked"),
        None => el.get_attribute("aria-pressed").map(|pressed| pressed == "true"),
    };
    let Some(now) = state() else { return refuse(&el, "is nothing that is switched on and off") };
    if now == on && checked(&el, &tag) != Some("mixed") {
        return Ok(run.page.report(
            if on { "it was on already" } else { "it was off already" },
            Some(&el),
            None,
        ));
    }
    let radio = (tag == "input" && kind(&el) == "radio")
        || matches!(el.get_attribute("role").as_deref(), Some("radio" | "menuitemradio"));
    if radio && !on {
        return refuse(&el, "is one of several: switch another one on instead");
    }
    let spot = reach(run, &el).await?;
    let note = click_at(run, &el, &spot, 0, 1);
    run.settle().await?;
    // What was half on may need a second click.
    if state() == Some(!on)
        && !radio
        && el.is_connected()
        && note.is_none()
        && checked(&el, &tag) == Some("mixed")
    {
        let spot = reach(run, &el).await?;
        click_at(run, &el, &spot, 0, 1);
        run.settle().await?;
    }
    if el.is_connected() && state() != Some(on) {
        return refuse(
            &el,
            if on {
                "is still off: the page did not take the click"
            } else {
                "is still on: the page did not take the click"
            },
        );
    }
    Ok(run.page.report(if on { "switched on" } else { "switched off" }, Some(&el), note))
}
