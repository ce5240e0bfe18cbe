//! The bodies of the input endpoint, exactly as strict as the published schema: closed objects, required
//! fields, nulls only where the schema lists them.
//!
//! Parsing is all this file does; what an input means is in `inputs.rs` and `settle.rs`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::config::{AgentTool, Config};
use super::http::{Reply, Request};
use super::result::ToolContent;
use super::switches::BadBody;

/// `{ session_id?, input }`; other keys beside them are let through, as the schema lets them.
#[derive(Debug, Deserialize)]
pub(crate) struct Envelope {
    #[serde(default)]
    pub(crate) session_id: Option<String>,
    pub(crate) input: ClientInput,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(crate) enum ClientInput {
    #[serde(rename = "client.message")]
    Message(ClientMessage),
    #[serde(rename = "client.messages")]
    View(ClientView),
    #[serde(rename = "client.append")]
    Append(ClientAppend),
    #[serde(rename = "client.action")]
    Action(ClientAction),
    #[serde(rename = "interrupt.resume")]
    Resume(InterruptResume),
    #[serde(rename = "tool.result")]
    Result(ToolResultBody),
    #[serde(rename = "tool.error")]
    Error(ToolErrorBody),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClientMessage {
    pub(crate) agent_id: String,
    pub(crate) message: DraftMessage,
    #[serde(default)]
    pub(crate) queue: bool,
    #[serde(default)]
    pub(crate) stream: bool,
    #[serde(default)]
    pub(crate) turn_id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClientView {
    pub(crate) agent_id: String,
    #[serde(default)]
    pub(crate) client: ClientContext,
    pub(crate) messages: Vec<DraftMessage>,
    #[serde(default)]
    pub(crate) stream: bool,
    #[serde(default)]
    pub(crate) turn_id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClientAppend {
    pub(crate) agent_id: String,
    #[serde(default)]
    pub(crate) client: ClientContext,
    pub(crate) messages: Vec<DraftMessage>,
    #[serde(default)]
    pub(crate) queue: bool,
    #[serde(default)]
    pub(crate) stream: bool,
    #[serde(default)]
    pub(crate) turn_id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClientAction {
    pub(crate) agent_id: String,
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) args: Value,
    #[serde(default)]
    pub(crate) turn_id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InterruptResume {
    pub(crate) interrupt_id: String,
    #[serde(default)]
    pub(crate) payload: Value,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolResultBody {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) attempt: Option<u32>,
    #[serde(default)]
    pub(crate) result: Option<Value>,
    #[serde(default)]
    pub(crate) content: Option<Vec<ToolContent>>,
    #[serde(default)]
    pub(crate) structured_content: Option<Value>,
    #[serde(default)]
    pub(crate) is_error: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolErrorBody {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) attempt: Option<u32>,
    pub(crate) error: String,
    pub(crate) retryable: bool,
    /// Never in this body: the action of the trigger endpoint carries it.
    #[serde(skip)]
    pub(crate) code: Option<String>,
    /// As `code`.
    #[serde(skip)]
    pub(crate) detail: Option<Value>,
}

/// What a page contributes with a submit. Only the tools are acted on; the rest is for the worker to read.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClientContext {
    #[serde(default)]
    pub(crate) tools: Vec<AgentTool>,
    #[serde(default)]
    context: Vec<Value>,
    #[serde(default)]
    forwarded_props: Value,
    #[serde(default)]
    state: Value,
}

impl ClientContext {
    pub(crate) fn new(
        tools: Vec<AgentTool>,
        context: Vec<Value>,
        state: Value,
        forwarded_props: Value,
    ) -> ClientContext {
        ClientContext { tools, context, forwarded_props, state }
    }

    /// All of it but the tools, as an object without empty fields.
    pub(crate) fn rest(&self) -> Value {
        let mut rest = serde_json::Map::new();
        let context = if self.context.is_empty() { Value::Null } else { json!(self.context) };
        for (name, value) in
            [("context", &context), ("state", &self.state), ("forwarded_props", &self.forwarded_props)]
        {
            if !value.is_null() {
                rest.insert(name.to_owned(), value.clone());
            }
        }
        Value::Object(rest)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DraftMessage {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
    pub(crate) role: Role,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<MessageContent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub(crate) reasoning: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool_call_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool_calls: Option<Vec<MessageCall>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    System,
    User,
    Assistant,
    Tool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum MessageContent {
    Text(String),
    Parts(Vec<ContentPart>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ContentPart {
    #[serde(rename = "type")]
    pub(crate) kind: PartKind,
    #[serde(flatten)]
    pub(crate) fields: serde_json::Map<String, Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PartKind {
    Text,
    ImageUrl,
    File,
    InputAudio,
    VideoUrl,
    Blob,
    Link,
    Attachment,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MessageCall {
    pub(crate) id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) function: MessageFunction,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MessageFunction {
    pub(crate) name: String,
    pub(crate) arguments: String,
}

impl DraftMessage {
    /// Its text, if it has any.
    pub(crate) fn text(&self) -> String {
        self.content.as_ref().map(MessageContent::text).unwrap_or_default()
    }
}

impl MessageContent {
    /// All text of it, joined by newlines.
    pub(crate) fn text(&self) -> String {
        match self {
            MessageContent::Text(text) => text.clone(),
            MessageContent::Parts(parts) => {
                let texts = parts.iter().filter_map(|part| part.fields.get("text")?.as_str());
                texts.collect::<Vec<_>>().join("\n")
            }
        }
    }
}

/// Reads a submit's body, or says how to refuse it.
pub(crate) fn parse(config: &Config, request: &Request) -> Result<Envelope, Reply> {
    let body = request.body_within(config.body_limit)?;
    let refuse = |old_status: u16, text: &str, param: &str| match config.switches.bad_body {
        BadBody::Json400 => Reply::json(400, &json!({ "ok": false, "error": text, "param": param })),
        BadBody::Text422 => Reply::text(old_status, text),
    };
    if !request.sends_json() {
        let text = "Expected request with `Content-Type: application/json`";
        return Err(refuse(415, text, "body"));
    }
    let value: Value = serde_json::from_slice(body).map_err(|error| {
        refuse(400, &format!("Failed to parse the request body as JSON: {error}"), "body")
    })?;
    let param = if value.get("input").is_some() { "input" } else { "body" };
    serde_json::from_value(value).map_err(|error| refuse(422, &error.to_string(), param))
}
