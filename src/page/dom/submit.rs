//! `submit` and `navigate`: both may end the page, so both answer first and go then.

use super::bridge::{Outcome, get, refuse};
use super::run::Run;
use super::state::{is_disabled, problem_of};
use super::tree::as_element;
use crate::page::words::{joined, quote, shorten, squeeze};
use js_sys::Array;
use wasm_bindgen::prelude::*;

/// How many fields are told of at once.
const PROBLEMS: usize = 8;

/// Sends a form as its button would, if the browser finds it valid.
pub(super) async fn submit(run: &Run) -> Outcome<JsValue> {
    let el = run.page.target(&run.needs("ref")?)?;
    let found = run.page.hands.act("formOf", &[&el]);
    let Some(form) = as_element(&get(&found, "form")) else {
        return refuse(&el, "is in no form: click what sends it");
    };
    let button = as_element(&get(&found, "button"));
    for one in button.iter().chain([&form]) {
        run.page.policy.permits(one)?;
    }
    // What the browser has against it, field by field.
    let invalid = Array::from(&get(&found, "invalid"));
    let problems: Vec<String> = invalid
        .iter()
        .filter_map(|field| as_element(&field))
        .take(PROBLEMS)
        .map(|field| format!("{}: {}", run.page.describe(&field), problem_of(&run.page.policy, &field)))
        .collect();
    if !problems.is_empty() {
        return refuse(&el, format!("was not sent: {}", joined(&problems, "; ")));
    }
    if let Some(button) = button.as_ref().filter(|button| is_disabled(button)) {
        return refuse(button, "is disabled, so the form cannot be sent now");
    }
    let note = run.page.hands.submit(&form, button.as_ref()).after(run);
    run.settle().await?;
    Ok(run.page.report("sent the form", None, note))
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
