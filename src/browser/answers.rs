//! Reads what the host's promises gave: verdicts, decisions, outcomes.
//!
//! The host is the facade, but what it passes on came from handlers and validators. A value of the
//! wrong shape is never taken for a yes: a check becomes unavailable, a consent a no, a run a failure.

use super::thrown::describe;
use crate::runtime::input::{Decision, Failure, Outcome, Verdict};
use crate::schema::Issue;
use serde::Deserialize;
use wasm_bindgen::JsValue;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum VerdictText {
    Ok(bool),
    Issues(Vec<Issue>),
    Unavailable(String),
}

/// A validator's answer: `{"ok":true}`, `{"issues":[…]}` or `{"unavailable":"…"}`.
pub(super) fn verdict(given: Result<JsValue, JsValue>) -> Verdict {
    let text = match given {
        Ok(value) => value.as_string().unwrap_or_default(),
        Err(thrown) => return Verdict::Unavailable(describe(&thrown)),
    };
    match serde_json::from_str(&text) {
        Ok(VerdictText::Ok(true)) => Verdict::Valid,
        Ok(VerdictText::Issues(issues)) if !issues.is_empty() => Verdict::Invalid(issues),
        Ok(VerdictText::Unavailable(message)) => Verdict::Unavailable(message),
        _ => Verdict::Unavailable("the validator's answer makes no sense".to_owned()),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DecisionText {
    allow: bool,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    reason: Option<String>,
}

/// A person's answer: `{"allow":true}`, with `text` if the arguments were edited, or `{"allow":false}`.
pub(super) fn decision(given: Result<JsValue, JsValue>) -> Decision {
    let no = |reason| Decision::Deny { reason };
    let text = match given {
        Ok(value) => value.as_string().unwrap_or_default(),
        Err(thrown) => return no(Some(describe(&thrown))),
    };
    match serde_json::from_str(&text) {
        Ok(DecisionText { allow: true, text: Some(text), .. }) => Decision::AllowEdited { text },
        Ok(DecisionText { allow: true, .. }) => Decision::Allow,
        Ok(DecisionText { reason, .. }) => no(reason),
        Err(_) => no(None),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", untagged)]
enum OutcomeText {
    Media {
        json: String,
        media: String,
    },
    Failed {
        message: String,
        #[serde(default)]
        retryable: bool,
        #[serde(default)]
        kind: String,
    },
}

/// A handler's end: a string is its value as JSON text; an object says what else it was.
///
/// The common case is the bare string, so that a large value crosses once and is quoted never.
pub(super) fn outcome(given: Result<JsValue, JsValue>) -> Outcome {
    let threw = |message| Outcome::Failed { message, retryable: false, kind: Failure::Threw };
    let value = match given {
        Ok(value) => value,
        Err(thrown) => return threw(describe(&thrown)),
    };
    if let Some(json) = value.as_string() {
        return Outcome::Returned { json, media: None };
    }
    let text = js_sys::JSON::stringify(&value).ok().and_then(|text| text.as_string()).unwrap_or_default();
    match serde_json::from_str(&text) {
        Ok(OutcomeText::Media { json, media }) => Outcome::Returned { json, media: Some(media) },
        Ok(OutcomeText::Failed { message, retryable, kind }) => {
            let kind = match kind.as_str() {
                "unserialisable" => Failure::Unserialisable,
                "declined" => Failure::Declined,
                "cancelled" => Failure::Cancelled,
                _ => Failure::Threw,
            };
            Outcome::Failed { message, retryable, kind }
        }
        Err(_) => threw("the handler's outcome makes no sense".to_owned()),
    }
}
