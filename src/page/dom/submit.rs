//! `submit` and `navigate`: both may end the page, so both answer first and go then.

use super::bridge::{Fail, Outcome, flag, get, refuse, text};
use super::run::Run;
use super::state::problem_of;
use super::tree::as_element;
use crate::page::words::{quote, shorten, squeeze};
use js_sys::Array;
use wasm_bindgen::prelude::*;
use web_sys::Element;

const PROBLEMS: usize = 8;

/// Sends a form as its button would, if the browser finds it valid.
pub(super) async fn submit(run: &Run) -> Outcome<JsValue> {
    let el = run.page.target(&run.needs("ref")?)?;
    let form = if el.local_name() == "form" {
        Some(el.clone())
    } else {
        as_element(&get(&el, "form")).or_else(|| el.closest("form").ok().flatten())
    };
    let form = form.ok_or_else(|| Fail::from("is in no form: click what sends it").of(&el))?;
    run.page.policy.permits(&form)?;
    if !form.has_attribute("novalidate") {
        let problems = problems(run, &form);
        if !problems.is_empty() {
            return refuse(&el, format!("was not sent: {}", problems.join("; ")));
        }
    }
    let button = matches!(text(&el, "type").as_deref(), Some("submit" | "image")).then(|| el.clone());
    let button = button.or_else(|| {
        Array::from(&get(&form, "elements"))
            .iter()
            .filter_map(|one| as_element(&one))
            .find(|one| text(one, "type").as_deref() == Some("submit"))
    });
    if let Some(button) = &button
        && super::state::is_disabled(button)
    {
        return refuse(button, "is disabled, so the form cannot be sent now");
    }
    let note = run.page.hands.submit(&form, button.as_ref()).after(run);
    run.settle().await?;
    Ok(run.page.report("sent the form", None, note))
}

/// What the browser has against a form, field by field.
fn problems(run: &Run, form: &Element) -> Vec<String> {
    let fields = Array::from(&get(form, "elements"));
    let invalid = |field: &Element| !flag(&get(field, "validity"), "valid") && flag(field, "willValidate");
    let found = fields.iter().filter_map(|field| as_element(&field)).filter(invalid);
    found
        .take(PROBLEMS)
        .map(|field| format!("{}: {}", run.page.describe(&field), problem_of(&run.page.policy, &field)))
        .collect()
}

/// Goes to an address of the same site, back, forward, or loads the page again.
pub(super) fn navigate(run: &Run) -> Outcome<JsValue> {
    let to = run.needs("to")?;
    let route = run.page.hands.act("route", &[&to.as_str().into()]);
    if let Some(why) = route.as_string() {
        return Err(format!("{} {why}", quote(&shorten(&squeeze(&to), 120))).into());
    }
    run.after(&route);
    Ok(run.page.report("goes now", None, None))
}
