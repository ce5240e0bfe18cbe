//! The trigger endpoint: client calls as the plain tool-call dialect tells them, answered by one action each.
//!
//! What is sent follows from the log: a dispatch is a `tool.execute`, the end of a call a `tool.finished`, and
//! a frame carries the number of its event. Calls that may be settled are sent again whenever a stream opens,
//! so a page hears of each at least once. Answers pass the very checks of the native ones (`settle.rs`).

use serde::Deserialize;
use serde_json::{Value, json};

use super::Millis;
use super::body::{ToolErrorBody, ToolResultBody};
use super::calls::{Call, CallStatus};
use super::check::{self, Arguments};
use super::config::Handler;
use super::engine::Engine;
use super::events::Event;
use super::http::{Reply, Request};
use super::ids::wire_time;
use super::inputs;
use super::session::Session;
use super::settle::{self, Answer};

/// The path of both halves; the session is the parameter `session_id`.
pub(crate) const PATH: &str = "/api/client/triggers";

/// One answer. `attempt` is as the trigger told it; without one any attempt is meant.
#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
enum Action {
    #[serde(rename = "tool.result")]
    Result(ResultAction),
    #[serde(rename = "tool.error")]
    Error(ErrorAction),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultAction {
    id: String,
    #[serde(default)]
    attempt: Option<u32>,
    result: Value,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ErrorAction {
    id: String,
    #[serde(default)]
    attempt: Option<u32>,
    error: String,
    #[serde(default)]
    retryable: bool,
    #[serde(default)]
    code: Option<String>,
    #[serde(default)]
    detail: Option<Value>,
}

impl From<Action> for Answer {
    fn from(action: Action) -> Answer {
        match action {
            Action::Result(ResultAction { id, attempt, result }) => Answer::Result(ToolResultBody {
                id,
                attempt,
                result: Some(result),
                content: None,
                structured_content: None,
                is_error: false,
            }),
            Action::Error(ErrorAction { id, attempt, error, retryable, code, detail }) => {
                Answer::Error(ToolErrorBody { id, attempt, error, retryable, code, detail })
            }
        }
    }
}

/// The session a request is about.
pub(crate) fn session_of(request: &Request) -> Result<String, Reply> {
    let session = request.parameter("session_id").filter(|session| !session.is_empty());
    session.ok_or_else(|| Reply::error(400, "the parameter `session_id` is missing"))
}

/// `POST /api/client/triggers`.
pub(crate) fn answer(engine: &mut Engine, request: &Request) -> Reply {
    match try_answer(engine, request) {
        Ok(reply) | Err(reply) => reply,
    }
}

fn try_answer(engine: &mut Engine, request: &Request) -> Result<Reply, Reply> {
    let owner = engine.shared.authorize(request)?;
    let session = session_of(request)?;
    let body = request.body_within(engine.shared.config.body_limit)?;
    let refuse = |error: serde_json::Error| Reply::error(400, &error.to_string());
    let raw: Value = serde_json::from_slice(body).map_err(refuse)?;
    let action = Action::deserialize(&raw).map_err(refuse)?;
    let Engine { shared, sessions } = engine;
    settle::from_page(shared, sessions.get_mut(&session), &owner, action.into(), raw)?;
    let found = sessions.get(&session).ok_or_else(|| Reply::error(409, "session has no active turn"))?;
    Ok(inputs::accepted_latest(shared, found))
}

/// The frames for whoever opens a stream: all that belongs to events after `after`, then every call that may
/// be settled now and was not among them.
pub(crate) fn opening(session: &Session, after: Option<u64>) -> Vec<String> {
    let after = after.unwrap_or(u64::MAX);
    let replayed = session.log.iter().filter(|event| event.seq > after);
    let mut told: Vec<String> = replayed.flat_map(|event| frames(session, event)).collect();
    let pending = session.calls.iter().filter(|call| call.status == CallStatus::Pending);
    for call in pending.filter(|call| call.handler == Handler::Client) {
        let dispatched =
            session.log.iter().rev().find(|event| is_of(event, "tool.call.dispatched", &call.id));
        if let Some(event) = dispatched.filter(|event| event.seq <= after) {
            told.push(execute(call, event));
        }
    }
    told
}

/// The frames of one event: mostly none.
pub(crate) fn frames(session: &Session, event: &Event) -> Vec<String> {
    if event.name() == "session.cancelled" {
        return session
            .calls
            .iter()
            .filter(|call| is_silently_voided(session, call))
            .map(|call| called_off(call, event))
            .collect();
    }
    let id = event.payload.get("id").and_then(Value::as_str).unwrap_or_default();
    let call = session.call(id).filter(|call| call.handler == Handler::Client);
    let Some(call) = call else { return Vec::new() };
    let frame = match event.name() {
        "tool.call.dispatched" => Some(execute(call, event)),
        "tool.call.completed" => {
            let text = call.outcome.as_ref().map(|outcome| outcome.rendered.as_str());
            Some(finished(call, event, Ok(text.unwrap_or_default())))
        }
        "tool.call.errored" if is_final(session, call, event) => {
            let text = event.payload.pointer("/error/message").and_then(Value::as_str);
            Some(finished(call, event, Err(text.unwrap_or_default())))
        }
        "call.voided" => Some(called_off(call, event)),
        _ => None,
    };
    frame.into_iter().collect()
}

fn is_of(event: &Event, name: &str, call: &str) -> bool {
    event.name() == name && event.payload.get("id").and_then(Value::as_str) == Some(call)
}

/// Whether no attempt came after this error.
fn is_final(session: &Session, call: &Call, event: &Event) -> bool {
    let later = session.log.iter().rev().take_while(|later| later.seq > event.seq);
    call.status == CallStatus::Errored && !later.into_iter().any(|later| is_of(later, event.name(), &call.id))
}

/// Whether a cancel ended the call without an event of its own.
fn is_silently_voided(session: &Session, call: &Call) -> bool {
    call.status == CallStatus::Voided
        && call.handler == Handler::Client
        && !session.log.iter().any(|event| is_of(event, "call.voided", &call.id))
}

fn frame(event: &Event, name: &str, data: &str) -> String {
    format!("id: {}\nevent: {name}\ndata: {data}\n\n", event.seq)
}

fn called_off(call: &Call, event: &Event) -> String {
    finished(call, event, Err("the call was called off"))
}

fn finished(call: &Call, event: &Event, outcome: Result<&str, &str>) -> String {
    let (ok, key, text) = match outcome {
        Ok(text) => (true, "result", text),
        Err(text) => (false, "error", text),
    };
    let data = json!({ "type": "tool.finished", "id": call.id, "ok": ok, "name": call.name, key: text });
    frame(event, "tool.finished", &data.to_string())
}

/// Written by hand, because a value goes out as it came in, to the last digit.
fn execute(call: &Call, dispatched: &Event) -> String {
    let (input, objection) = match check::arguments(call.input.as_ref(), &call.arguments) {
        Arguments::Valid { text } => (format!(r#"{{"status":"valid","value":{text}}}"#), None),
        Arguments::Invalid { text, error } => {
            let told = json!(error);
            (format!(r#"{{"status":"invalid","value":{text},"error":{told}}}"#), Some(error))
        }
        Arguments::Malformed { error } => {
            (json!({ "status": "malformed", "error": error }).to_string(), Some(error))
        }
    };
    let proposed = objection.map_or_else(
        || json!({}),
        |error| {
            let error = format!("invalid tool arguments: {error}");
            json!({ "actions": [{ "type": "tool.error", "error": error }] })
        },
    );
    let attempt = dispatched.payload.get("attempt").and_then(Value::as_u64).unwrap_or_default();
    let deadline = call.retry.run_timeout_secs.map(|seconds| {
        let due = dispatched.at.plus(Millis(seconds.saturating_mul(1000)));
        format!(r#","deadline":{}"#, json!(wire_time(due)))
    });
    let data = format!(
        r#"{{"type":"tool.execute","id":{},"name":{},"arguments":{},"input":{input},"attempt":{attempt}{},"proposed":{proposed}}}"#,
        json!(call.id),
        json!(call.name),
        json!(call.arguments),
        deadline.unwrap_or_default(),
    );
    frame(dispatched, "tool.execute", &data)
}
