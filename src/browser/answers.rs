//! Reads what the host's promises gave: verdicts, decisions, outcomes.
//!
//! The host is the facade, but what it passes on came from handlers and validators. A value of the
//! wrong shape is never taken for a yes: a check becomes unavailable, a consent a no, a run a failure.

use super::thrown::{describe, property, text_of};
use crate::runtime::input::{Decision, Failure, Outcome, Verdict, Written};
use crate::schema::Issue;
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};

/// A validator's answer: `{ ok: true }`, `{ issues: […] }` or `{ unavailable: "…" }`.
pub(super) fn verdict(given: Result<JsValue, JsValue>) -> Verdict {
    let value = match given {
        Ok(value) => value,
        Err(thrown) => return Verdict::Unavailable(describe(&thrown)),
    };
    if is_true(&value, "ok") {
        return Verdict::Valid;
    }
    let issues = property(&value, "issues").and_then(|issues| issues.dyn_into::<Array>().ok());
    let issues: Vec<Issue> = issues.iter().flat_map(Array::iter).filter_map(|found| issue(&found)).collect();
    if !issues.is_empty() {
        return Verdict::Invalid(issues);
    }
    let unavailable = text_of(&value, "unavailable");
    Verdict::Unavailable(unavailable.unwrap_or_else(|| "the validator's answer makes no sense".to_owned()))
}

fn issue(found: &JsValue) -> Option<Issue> {
    Some(Issue {
        path: text_of(found, "path")?,
        keyword: text_of(found, "keyword")?,
        message: text_of(found, "message")?,
        expected: text_of(found, "expected"),
        got: text_of(found, "got"),
        hint: text_of(found, "hint"),
    })
}

/// A person's answer: `{ allow: true }`, with `text` if the arguments were edited, or `{ allow: false }`.
pub(super) fn decision(given: Result<JsValue, JsValue>) -> Decision {
    match given {
        Ok(value) if is_true(&value, "allow") => match text_of(&value, "text") {
            Some(text) => Decision::AllowEdited { text },
            None => Decision::Allow,
        },
        Ok(value) => Decision::Deny { reason: text_of(&value, "reason") },
        Err(thrown) => Decision::Deny { reason: Some(describe(&thrown)) },
    }
}

/// A handler's end: a string is its value as JSON text; an object says what else it was.
///
/// The common case is the bare string, so that a large value crosses once and is quoted never.
pub(super) fn outcome(given: Result<JsValue, JsValue>) -> Outcome {
    let value = match given {
        Ok(value) => value,
        Err(thrown) => return threw(describe(&thrown)),
    };
    if let Some(json) = value.as_string() {
        return Outcome::Returned { json, media: None };
    }
    if let (Some(json), media @ Some(_)) = (text_of(&value, "json"), text_of(&value, "media")) {
        return Outcome::Returned { json, media };
    }
    let Some(message) = text_of(&value, "message") else {
        return threw("the handler's outcome makes no sense".to_owned());
    };
    let kind = match text_of(&value, "kind").as_deref() {
        Some("unserialisable") => Failure::Unserialisable,
        Some("declined") => Failure::Declined,
        Some("cancelled") => Failure::Cancelled,
        _ => Failure::Threw,
    };
    Outcome::Failed { message, retryable: is_true(&value, "retryable"), kind }
}

fn threw(message: String) -> Outcome {
    Outcome::Failed { message, retryable: false, kind: Failure::Threw }
}

/// A store's answer: `stored`, `fenced` where another page has the call, anything else where it failed.
pub(super) fn written(given: Result<JsValue, JsValue>) -> Written {
    match given.ok().and_then(|word| word.as_string()).as_deref() {
        Some("stored") => Written::Stored,
        Some("fenced") => Written::Fenced,
        _ => Written::Failed,
    }
}

fn is_true(value: &JsValue, key: &str) -> bool {
    property(value, key).and_then(|found| found.as_bool()) == Some(true)
}
