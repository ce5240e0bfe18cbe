//! Frames and lists about tool calls.
//!
//! An engine that does not say who runs a call means its worker: only a plain `client` is ours.

use super::{Payload, TOKEN_DELTA, json, moment, optional, required};
use crate::protocol::frame::{CallError, CallRequested, Frame, Handler, OpenCall, Positioned};
use std::borrow::Cow;

pub(in crate::protocol) fn requested(payload: &Payload<'_>) -> Result<CallRequested, &'static str> {
    let (max_attempts, run_timeout) = payload.retry().map(policy).unwrap_or_default();
    Ok(CallRequested {
        id: payload.required_call_id()?,
        attempt: payload.attempt().and_then(json::whole).unwrap_or(0),
        name: required(payload.name(), "a name")?,
        arguments: payload.arguments().map(arguments).unwrap_or_default(),
        handler: match payload.handler().and_then(json::text).as_deref() {
            Some("client") => Handler::Client,
            _ => Handler::Other,
        },
        max_attempts,
        run_timeout,
        deadline: payload.deadline().and_then(moment::read),
        dispatched: false,
        objection: None,
    })
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
pub(in crate::protocol) fn error(member: &str) -> CallError {
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

/// Reads a delta in the form engines send: without an envelope. Deltas come by the thousand, so they are
/// read in one pass; `false`, and nothing read, when the data is anything else.
pub(super) fn flat_delta(data: &str, out: &mut Vec<Positioned>) -> bool {
    let names = ["type", "payload", "text", "tool_calls", "call_id", "turn_id"];
    let Some([kind, None, text, tool_calls, call_id, turn_id]) = json::pick(data, names) else {
        return false;
    };
    if kind.and_then(json::text).is_none_or(|kind| kind != TOKEN_DELTA) {
        return false;
    }
    each_delta(text, tool_calls, call_id, |frame| {
        let turn_id = optional(turn_id);
        out.push(Positioned { seq: None, turn_id, occurred_at: None, open_calls: None, frame });
    });
    true
}

/// The pieces a token delta carries: text and arguments of several calls may come in one.
pub(super) fn deltas(payload: &Payload<'_>) -> Vec<Frame> {
    let mut pieces = Vec::new();
    each_delta(payload.text(), payload.tool_calls(), payload.call_id(), |piece| pieces.push(piece));
    pieces
}

fn each_delta(
    text: Option<&str>,
    calls: Option<&str>,
    message_id: Option<&str>,
    mut take: impl FnMut(Frame),
) {
    if let Some(text) = optional(text).filter(|text| !text.is_empty()) {
        take(Frame::TextDelta { message_id: optional(message_id).unwrap_or_default(), text });
    }
    for call in calls.and_then(json::items).unwrap_or_default() {
        let names = ["id", "tool_call_id", "name", "arguments"];
        let Some([id, old_id, name, delta]) = json::pick(call, names) else { continue };
        take(Frame::ArgumentsDelta {
            id: optional(id.or(old_id)),
            name: optional(name),
            delta: optional(delta).unwrap_or_default(),
        });
    }
}
