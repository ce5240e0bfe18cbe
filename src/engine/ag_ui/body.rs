//! The bodies of the AG-UI channel. Whatever is wrong with one is told in plain text: 415, 400 or 422.
//!
//! As strict as the fields that are acted on; what else a client sends is let through. Messages of roles that
//! no session has are dropped unread.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::super::body::{DraftMessage, MessageCall, MessageContent, MessageFunction, Role};
use super::super::config::{AgentTool, Handler};
use super::super::http::{Reply, Request};

/// What a run brings.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RunInput {
    #[serde(default)]
    thread_id: Option<String>,
    #[serde(default)]
    run_id: Option<String>,
    #[serde(default)]
    messages: Option<Vec<Value>>,
    #[serde(default)]
    tools: Option<Vec<Tool>>,
    #[serde(default)]
    context: Option<Vec<Value>>,
    #[serde(default)]
    state: Value,
    #[serde(default)]
    forwarded_props: Value,
    #[serde(default)]
    resume: Option<Vec<Resume>>,
}

/// A run's input, read.
#[derive(Debug)]
pub(super) struct RunBody {
    pub(super) thread_id: Option<String>,
    pub(super) run_id: Option<String>,
    pub(super) messages: Vec<DraftMessage>,
    pub(super) tools: Vec<AgentTool>,
    pub(super) context: Vec<Value>,
    pub(super) state: Value,
    pub(super) forwarded_props: Value,
    pub(super) resume: Vec<Resume>,
}

/// An answer to an interrupt.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Resume {
    pub(super) interrupt_id: String,
    status: ResumeStatus,
    #[serde(default)]
    payload: Value,
}

impl Resume {
    /// What the session is told. Whatever a cancelled entry carries, nobody must take it for a yes.
    pub(super) fn answer(&self) -> Value {
        match self.status {
            ResumeStatus::Resolved => self.payload.clone(),
            ResumeStatus::Cancelled => Value::Null,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ResumeStatus {
    Resolved,
    Cancelled,
}

#[derive(Debug, Deserialize)]
struct Tool {
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    parameters: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<ToolCall>>,
    #[serde(default)]
    tool_call_id: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ToolCall {
    id: String,
    function: Function,
}

#[derive(Debug, Deserialize)]
struct Function {
    name: String,
    arguments: String,
}

/// What a `connect` names.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ConnectBody {
    pub(super) thread_id: String,
    #[serde(default)]
    pub(super) run_id: Option<String>,
}

/// Reads the body of a `connect`.
pub(super) fn parse_connect(limit: usize, request: &Request) -> Result<ConnectBody, Reply> {
    parse(limit, request)
}

/// Reads the body of a run.
pub(super) fn parse_run(limit: usize, request: &Request) -> Result<RunBody, Reply> {
    let input: RunInput = parse(limit, request)?;
    let mut messages = Vec::new();
    for (place, message) in input.messages.unwrap_or_default().into_iter().enumerate() {
        messages.extend(draft(message).map_err(|what| refuse(422, &format!("messages[{place}]: {what}")))?);
    }
    let tools = input.tools.unwrap_or_default().into_iter().map(|tool| AgentTool {
        name: tool.name,
        description: tool.description,
        input: tool.parameters.filter(|schema| !schema.is_null()),
        output: None,
        handler: Some(Handler::Client),
        defer: None,
    });
    Ok(RunBody {
        thread_id: input.thread_id.filter(|id| !id.is_empty()),
        run_id: input.run_id.filter(|id| !id.is_empty()),
        messages,
        tools: tools.collect(),
        context: input.context.unwrap_or_default(),
        state: input.state,
        forwarded_props: input.forwarded_props,
        resume: input.resume.unwrap_or_default(),
    })
}

fn parse<T: DeserializeOwned>(limit: usize, request: &Request) -> Result<T, Reply> {
    let body = request.body_within(limit)?;
    if !request.sends_json() {
        return Err(refuse(415, "Expected request with `Content-Type: application/json`"));
    }
    let value: Value = serde_json::from_slice(body)
        .map_err(|error| refuse(400, &format!("Failed to parse the request body as JSON: {error}")))?;
    let wrong = |what: &str| {
        refuse(422, &format!("Failed to deserialize the JSON body into the target type: {what}"))
    };
    if !value.is_object() {
        return Err(wrong("it must be an object"));
    }
    serde_json::from_value(value).map_err(|error| wrong(&error.to_string()))
}

fn refuse(status: u16, text: &str) -> Reply {
    Reply::text(status, text)
}

/// A message as a session keeps it; none where the role is one that no session has.
fn draft(message: Value) -> Result<Option<DraftMessage>, String> {
    let role = match message.get("role").and_then(Value::as_str) {
        None => return Err("missing field `role`".to_owned()),
        Some("system") => Role::System,
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("tool") => Role::Tool,
        Some(_) => return Ok(None),
    };
    let message: Message = serde_json::from_value(message).map_err(|error| error.to_string())?;
    let calls = message.tool_calls.filter(|calls| !calls.is_empty());
    let calls = calls.map(|calls| {
        let calls = calls.into_iter().map(|call| MessageCall {
            id: call.id,
            kind: "function".to_owned(),
            function: MessageFunction { name: call.function.name, arguments: call.function.arguments },
        });
        calls.collect()
    });
    Ok(Some(DraftMessage {
        id: message.id.filter(|id| !id.is_empty()),
        role,
        content: message.content.map(MessageContent::Text),
        name: message.name,
        reasoning: Value::Null,
        tool_call_id: message.tool_call_id,
        tool_calls: calls,
    }))
}
