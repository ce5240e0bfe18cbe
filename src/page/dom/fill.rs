//! `fill`: writes into fields of every kind so that the page's own state hears of it, and reads back what became of it.
//!
//! What takes nothing, or nothing of the kind, is refused before anything is touched.

use super::bridge::{Outcome, flag, number, number_in, refuse};
use super::editor;
use super::page::Page;
use super::reach::{focus, reach};
use super::run::Run;
use super::state::{is_focused, problem_of, raw_value};
use super::tree::{children, element, is_editor, kind, role};
use crate::page::words::{alike, quote, same};
use wasm_bindgen::prelude::*;
use web_sys::Element;

/// Fills.
pub(super) async fn fill(run: &Run) -> Outcome<JsValue> {
    let given = run.page.target(&run.needs("ref")?)?;
    let value = run.needs("value")?;
    let el = field(run, &given)?;
    takes(run, &el, &value)?;
    reach(run, &el).await?;
    if !is_focused(&el) {
        focus(run, &el);
    }
    if is_editor(&el) {
        editor::fill(run, &el, &value).await?;
    } else {
        let _ = run.page.hands.act("write", &[&el, &value.as_str().into()]);
    }
    run.settle().await?;
    if !el.is_connected() {
        return refuse(&el, "went from the page while it was filled; read the page again");
    }
    let note = outcome(&run.page, &el, &value)?;
    Ok(run.page.report("filled", Some(&el), note))
}

/// The field that is meant: the element, or the only one inside of it.
fn field(run: &Run, given: &Element) -> Outcome<Element> {
    let instead = match given.local_name().as_str() {
        "textarea" => return Ok(given.clone()),
        "select" => "is a list: use the select tool",
        "input" => match kind(given).as_str() {
            "checkbox" | "radio" => "is switched on and off: use the check tool",
            "file" => "needs a person to choose a file: ask the user to do it",
            "submit" | "button" | "reset" | "image" => "is a button: it cannot be filled",
            _ => return Ok(given.clone()),
        },
        _ if is_editor(given) => return Ok(given.clone()),
        _ => "",
    };
    if !instead.is_empty() {
        return refuse(given, instead);
    }
    let mut found = Vec::new();
    fields_in(given, 0, &mut found);
    match (found.pop(), found.is_empty()) {
        (Some(only), true) => {
            run.page.policy.permits(&only)?;
            Ok(only)
        }
        _ => refuse(given, "is no field that can be filled"),
    }
}

fn fields_in(el: &Element, depth: usize, found: &mut Vec<Element>) {
    for child in children(el, &el.local_name()).iter().filter_map(element) {
        let tag = child.local_name();
        let is_field = tag == "textarea"
            || is_editor(&child)
            || (tag == "input"
                && matches!(
                    role(&child, &tag),
                    "textbox" | "searchbox" | "spinbutton" | "combobox" | "slider"
                ));
        if is_field {
            found.push(child);
        } else if depth < 30 && found.len() < 2 {
            fields_in(&child, depth + 1, found);
        }
    }
}

/// Whether the field can hold the value; else what it takes.
fn takes(run: &Run, el: &Element, value: &str) -> Outcome<()> {
    if flag(el, "readOnly") || el.get_attribute("aria-readonly").as_deref() == Some("true") {
        return refuse(el, "is read-only");
    }
    if let Some(most) = number(el, "maxLength").filter(|most| *most >= 0.0)
        && value.encode_utf16().count() as f64 > most
    {
        return refuse(el, format!("takes at most {} characters", most as u32));
    }
    if el.local_name() != "input" || value.is_empty() {
        return Ok(());
    }
    let form = match kind(el).as_str() {
        "date" => "a date as YYYY-MM-DD",
        "time" => "a time as HH:MM",
        "datetime-local" => "a date and time as YYYY-MM-DDTHH:MM",
        "month" => "a month as YYYY-MM",
        "week" => "a week as YYYY-Www",
        "color" => "a color as #rrggbb",
        "number" => "a number",
        "range" => "a number within its range",
        _ => return Ok(()),
    };
    // The browser itself says what it would make of the value.
    let made = run.page.hands.act("trial", &[el, &value.into()]).as_string().unwrap_or_default();
    let numeric = matches!(kind(el).as_str(), "number" | "range");
    if numeric && same_number(&made, value) || made.eq_ignore_ascii_case(value) {
        return Ok(());
    }
    let bound =
        |name: &str| el.get_attribute(name).map(|bound| format!(", {name} {bound}")).unwrap_or_default();
    refuse(el, format!("takes {form}{}{}{}", bound("min"), bound("max"), bound("step")))
}

fn same_number(left: &str, right: &str) -> bool {
    !left.trim().is_empty() && number_in(left) == number_in(right)
}

/// Reads back: an error if the page refused or changed what was filled, a note if there is more to know.
fn outcome(page: &Page, el: &Element, value: &str) -> Outcome<Option<String>> {
    let tag = el.local_name();
    let now = raw_value(el, &tag, role(el, &tag)).unwrap_or_default();
    let numeric = matches!(kind(el).as_str(), "number" | "range");
    let told = || quote(&crate::page::words::shorten(&page.policy.told(el, &now), 200));
    let mut note = None;
    if !(same(&now, value)
        || (numeric && same_number(&now, value))
        || (kind(el) == "color" && now.eq_ignore_ascii_case(value)))
    {
        if !alike(&now, value) {
            return if now.is_empty() {
                refuse(el, "is empty: the page did not take what was filled")
            } else {
                refuse(el, format!("did not keep what was filled: it now holds {}", told()))
            };
        }
        note = Some(format!("the page writes it as {}", told()));
    }
    let valid = super::bridge::some(el, "validity").is_none_or(|validity| flag(&validity, "valid"));
    if !valid {
        note = Some(format!("the browser says of it: {}", problem_of(&page.policy, el)));
    }
    Ok(note)
}
