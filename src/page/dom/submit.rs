//! `submit` and `navigate`: both may end the page, so both answer first and go then.

use super::bridge::{Fail, Outcome, call, flag, get, refuse, text};
use super::leave::Hold;
use super::policy::window;
use super::run::Run;
use super::tree::as_element;
use crate::page::words::{quote, shorten, squeeze};
use js_sys::{Array, Function, Reflect};
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
    let hold = Hold::new(&form);
    let given: Vec<&JsValue> = button.iter().map(AsRef::as_ref).collect();
    // A field of that name hides the form's own method.
    let send: Option<Function> = super::fill::inherited(&form, "requestSubmit", "value");
    let sent = send.map(|send| Reflect::apply(&send, &form, &given.into_iter().collect::<Array>()));
    if !matches!(sent, Some(Ok(_))) {
        return refuse(&el, "could not be sent");
    }
    let note = hold.and_then(|hold| hold.release(run));
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
        .map(|field| {
            format!(
                "{}: {}",
                run.page.describe(&field),
                squeeze(&text(&field, "validationMessage").unwrap_or_default())
            )
        })
        .collect()
}

/// Goes to an address of the same origin, back, forward, or loads the page again.
pub(super) fn navigate(run: &Run) -> Outcome<JsValue> {
    let to = run.needs("to")?;
    let window = window()?;
    let (location, history) = (get(&window, "location"), get(&window, "history"));
    let step = match to.as_str() {
        "back" => Some((history.clone(), "back")),
        "forward" => Some((history, "forward")),
        "reload" => Some((location.clone(), "reload")),
        _ => None,
    };
    if let Some((target, method)) = step {
        run.after(move || {
            let _ = call(&target, method, &[]);
        });
        return Ok(run.page.report("goes now", None, None));
    }
    let base = text(&get(&window, "document"), "baseURI").unwrap_or_default();
    let class: Function =
        get(&window, "URL").dyn_into().map_err(|_| Fail::from("this page cannot read addresses"))?;
    let shown = || quote(&shorten(&squeeze(&to), 120));
    let url = Reflect::construct(&class, &Array::of2(&to.as_str().into(), &base.into()))
        .map_err(|_| Fail::from(format!("{} is no address", shown())))?;
    // An address may carry what the page knows to somebody else, and a script is no address at all.
    if text(&url, "origin") != text(&location, "origin")
        || !matches!(text(&url, "protocol").as_deref(), Some("http:" | "https:"))
    {
        return Err(format!(
            "{} is not an address of this site ({}): only those can be gone to",
            shown(),
            text(&location, "origin").unwrap_or_default()
        )
        .into());
    }
    let address = get(&url, "href");
    run.after(move || {
        let _ = call(&location, "assign", &[&address]);
    });
    Ok(run.page.report("goes now", None, None))
}
