//! Frames about the conversation and the session.

use super::{Payload, calls, json, optional, required};
use crate::protocol::frame::{CallError, Frame};

pub(super) fn message(payload: &Payload<'_>) -> Result<Frame, &'static str> {
    let names = ["id", "role", "content", "tool_call_id", "tool_calls"];
    let [id, role, content, tool_call_id, tool_calls] =
        payload.message().and_then(|message| json::pick(message, names)).ok_or("a message")?;
    Ok(Frame::Message {
        id: optional(id),
        role: required(role, "a role")?,
        text: content.and_then(text),
        tool_call_id: optional(tool_call_id),
        tool_calls: tool_calls.and_then(json::items).map_or(0, |calls| calls.len()),
    })
}

/// The text of a message's content: a string, or the text parts of a list, one a line.
fn text(content: &str) -> Option<String> {
    if let Some(text) = optional(Some(content)) {
        return Some(text);
    }
    let mut joined: Option<String> = None;
    for part in json::items(content)? {
        let [kind, text] = json::pick(part, ["type", "text"]).unwrap_or_default();
        if kind.and_then(json::text).as_deref() != Some("text") {
            continue;
        }
        let Some(text) = text.and_then(json::text) else { continue };
        match &mut joined {
            Some(joined) => {
                joined.push('\n');
                joined.push_str(&text);
            }
            None => joined = Some(text.into_owned()),
        }
    }
    joined
}

pub(super) fn interrupted(payload: &Payload<'_>) -> Result<Frame, &'static str> {
    Ok(Frame::Interrupted {
        interrupt_id: payload.required_interrupt()?,
        reason: optional(payload.reason()),
        payload: payload.payload().map(json::value).unwrap_or_default(),
    })
}

/// The session a frame about a child names: its `id`, or what other versions call it.
fn child_id(payload: &Payload<'_>) -> Result<String, &'static str> {
    required(payload.child_session_id().or(payload.id()).or(payload.session_id()), "a session id")
}

pub(super) fn child(payload: &Payload<'_>) -> Result<Frame, &'static str> {
    Ok(Frame::ChildStarted {
        session_id: child_id(payload)?,
        call_id: optional(payload.tool_call_id().or(payload.call_id())),
        agent: optional(payload.agent_id()),
    })
}

pub(super) fn child_ended(payload: &Payload<'_>, failed: bool) -> Result<Frame, &'static str> {
    let told = payload.error().filter(|error| *error != "null").map(calls::error);
    Ok(Frame::ChildEnded { session_id: child_id(payload)?, error: told.or(failed.then(CallError::default)) })
}

pub(super) fn is_child(kind: Option<&str>) -> bool {
    kind.and_then(json::text).is_some_and(|kind| kind == "subagent" || kind == "sub_agent")
}
