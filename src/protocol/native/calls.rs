//! Frames and lists about tool calls.
//!
//! An engine that does not say who runs a call means its worker: only a plain `client` is ours.

use super::{Payload, json, moment, optional, required};
use crate::protocol::frame::{CallError, CallRequested, Frame, Handler, OpenCall};
use std::borrow::Cow;

pub(super) fn requested(payload: &Payload<'_>) -> Result<Frame, &'static str> {
    let (max_attempts, run_timeout) = payload.retry.map(policy).unwrap_or_default();
    Ok(Frame::CallRequested(CallRequested {
        id: payload.call_id()?,
        attempt: payload.attempt.and_then(json::whole).unwrap_or(0),
        name: required(payload.name, "a name")?,
        arguments: payload.arguments.map(arguments).unwrap_or_default(),
        handler: match payload.handler.and_then(json::text).as_deref() {
            Some("client") => Handler::Client,
            _ => Handler::Other,
        },
        max_attempts,
        run_timeout,
        deadline: payload.deadline.and_then(moment::read),
    }))
}

/// The raw text of a call's arguments. An engine that sends the value itself means its text.
fn arguments(member: &str) -> String {
    json::nested_json(member).map_or_else(|| member.to_owned(), Cow::into_owned)
}

/// The attempts a policy allows, and how long one may run, in milliseconds.
fn policy(retry: &str) -> (Option<u64>, Option<u64>) {
    let names = ["max_attempts", "run_timeout_secs", "attempt_timeout_secs", "timeout_secs"];
    let [max_attempts, run, attempt, plain] = json::pick(retry, names).unwrap_or_default();
    (max_attempts.and_then(json::whole), run.or(attempt).or(plain).and_then(json::seconds))
}

/// An error as an object, or as the bare text of older engines.
pub(super) fn error(member: &str) -> CallError {
    if let Some(message) = json::text(member) {
        return CallError { message: message.into_owned(), code: None };
    }
    let [message, code] = json::pick(member, ["message", "code"]).unwrap_or_default();
    CallError { message: optional(message).unwrap_or_default(), code: optional(code) }
}

pub(super) fn is_tool_call(kind: Option<&str>) -> bool {
    kind.and_then(json::text).is_none_or(|kind| kind == "tool_call")
}

/// The open tool calls the engine lists beside a frame; entries that name no call are left out.
pub(super) fn open(list: &str) -> Option<Vec<OpenCall>> {
    let read = |entry: &str| {
        let names = ["id", "tool_call_id", "kind", "attempt", "status", "deadline"];
        let [id, old_id, kind, attempt, status, deadline] = json::pick(entry, names)?;
        is_tool_call(kind).then_some(())?;
        Some(OpenCall {
            id: optional(id.or(old_id))?,
            attempt: attempt.and_then(json::whole),
            status: optional(status),
            deadline: deadline.and_then(moment::read),
        })
    };
    Some(json::items(list)?.into_iter().filter_map(read).collect())
}

/// The pieces a token delta carries: text and arguments of several calls may come in one.
pub(super) fn deltas(payload: &Payload<'_>) -> Vec<Frame> {
    let mut pieces = Vec::new();
    if let Some(text) = optional(payload.text).filter(|text| !text.is_empty()) {
        let message_id = optional(payload.call_id).unwrap_or_default();
        pieces.push(Frame::TextDelta { message_id, text });
    }
    for call in payload.tool_calls.and_then(json::items).unwrap_or_default() {
        let names = ["id", "tool_call_id", "name", "arguments"];
        let Some([id, old_id, name, delta]) = json::pick(call, names) else {
            continue;
        };
        pieces.push(Frame::ArgumentsDelta {
            id: optional(id.or(old_id)),
            name: optional(name),
            delta: optional(delta).unwrap_or_default(),
        });
    }
    pieces
}
