//! A page's conversation beside the session's: what the two share, what is new, and the session's as the page
//! reads it.
//!
//! A page names a tool message as it likes and may never have seen one that was answered elsewhere, so tool
//! messages are told by the call they answer. All other messages are told by their ids.

use serde_json::{Value, json};

use super::super::body::{DraftMessage, MessageContent, Role};
use super::super::decisions::{News, Submission};
use super::super::session::Session;
use super::super::tree::{message_id, role_of, text_of};

impl Session {
    /// Brings a view that tells tool messages by calls in line with the active branch as it is now: done when it
    /// is examined, and again when it is decided on, because answers may have been recorded in between.
    pub(crate) fn align(&self, submission: &mut Submission) {
        if let (true, News::View(view)) = (submission.by_calls, &mut submission.news) {
            *view = aligned(&self.tree.branch(), std::mem::take(view));
        }
    }
}

/// The view with the tool messages of the active branch in it, under their ids and in their order; of several answers
/// to one call the first stays.
fn aligned(branch: &[&Value], view: Vec<DraftMessage>) -> Vec<DraftMessage> {
    let mut aligned: Vec<DraftMessage> = Vec::new();
    let mut block: Vec<DraftMessage> = Vec::new();
    let mut answered: Vec<String> = Vec::new();
    for message in view {
        if message.role != Role::Tool {
            close_block(branch, &mut aligned, &mut block, &mut answered);
            aligned.push(message);
            continue;
        }
        let again = message.tool_call_id.as_ref().is_some_and(|id| answered.contains(id));
        if !again {
            answered.extend(message.tool_call_id.clone());
            block.push(message);
        }
    }
    close_block(branch, &mut aligned, &mut block, &mut answered);
    aligned
}

/// Puts the tool messages behind the last other one: first those that are recorded there, then the new ones.
fn close_block(
    branch: &[&Value],
    aligned: &mut Vec<DraftMessage>,
    block: &mut Vec<DraftMessage>,
    answered: &mut Vec<String>,
) {
    let last = aligned.last().and_then(|message| message.id.as_deref());
    let place = branch.iter().position(|message| last.is_some() && message_id(message) == last);
    let behind = place.and_then(|place| branch.get(place.saturating_add(1)..)).unwrap_or_default();
    for message in behind.iter().take_while(|message| role_of(message) == Some("tool")) {
        let call = call_of(message);
        block.retain(|draft| draft.tool_call_id.as_deref() != call);
        answered.extend(call.map(str::to_owned));
        aligned.push(recorded(message));
    }
    aligned.append(block);
}

fn call_of(message: &Value) -> Option<&str> {
    message.get("tool_call_id")?.as_str()
}

/// A recorded tool message as a draft.
fn recorded(message: &Value) -> DraftMessage {
    DraftMessage {
        id: message_id(message).map(str::to_owned),
        role: Role::Tool,
        content: Some(MessageContent::Text(text_of(message))),
        name: None,
        reasoning: Value::Null,
        tool_call_id: call_of(message).map(str::to_owned),
        tool_calls: None,
    }
}

/// The active branch in AG-UI's words.
pub(super) fn snapshot(session: &Session) -> Vec<Value> {
    session.tree.branch().into_iter().map(in_ag_ui).collect()
}

fn in_ag_ui(message: &Value) -> Value {
    let text = text_of(message);
    let mut told = json!({ "id": message_id(message), "role": role_of(message) });
    let Value::Object(fields) = &mut told else { return told };
    let calls = message.get("tool_calls").and_then(Value::as_array).filter(|calls| !calls.is_empty());
    if calls.is_none() || !text.is_empty() {
        fields.insert("content".to_owned(), json!(text));
    }
    if let Some(calls) = calls {
        fields.insert("toolCalls".to_owned(), calls.iter().map(call_in_ag_ui).collect());
    }
    if let Some(call) = call_of(message) {
        fields.insert("toolCallId".to_owned(), json!(call));
    }
    told
}

fn call_in_ag_ui(call: &Value) -> Value {
    let text = |pointer: &str| call.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    json!({
        "id": text("/id"),
        "type": "function",
        "function": { "name": text("/function/name"), "arguments": arguments(text("/function/arguments")) },
    })
}

/// Arguments as they are told: none are an empty object.
pub(super) fn arguments(text: &str) -> &str {
    if text.trim().is_empty() { "{}" } else { text }
}
