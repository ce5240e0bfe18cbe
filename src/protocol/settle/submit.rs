//! Inputs that start or feed a turn.
//!
//! The turn's id is always the page's own: only then can a reply tell whether the input was taken.

use super::JsonText;
use super::write::Object;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Instructions.
    System,
    /// A person.
    User,
    /// The model.
    Assistant,
    /// A tool.
    Tool,
}

/// What a message says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content<'a> {
    /// Text.
    Text(&'a str),
    /// A JSON array of content parts.
    Parts(JsonText<'a>),
}

/// A message to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DraftMessage<'a> {
    /// Its id, where the page gives one.
    pub id: Option<&'a str>,
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: Option<Content<'a>>,
    /// The speaker's name.
    pub name: Option<&'a str>,
    /// The call a tool message answers.
    pub tool_call_id: Option<&'a str>,
    /// The calls an assistant message makes.
    pub tool_calls: &'a [ToolCall<'a>],
}

/// A call inside an assistant's message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolCall<'a> {
    /// The call's id.
    pub id: &'a str,
    /// The tool's name.
    pub name: &'a str,
    /// The raw text of its arguments.
    pub arguments: &'a str,
}

/// A tool the page offers. It is always declared as the page's own: an engine that is not told takes
/// it for its worker's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentTool<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it is for, for the model.
    pub description: Option<&'a str>,
    /// The schema of its arguments.
    pub input: Option<JsonText<'a>>,
    /// The schema of its result.
    pub output: Option<JsonText<'a>>,
    /// Whether the model is told of it only on demand.
    pub defer: Option<bool>,
}

/// What the page brings to a turn beside messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClientContext<'a> {
    /// The tools it offers.
    pub tools: &'a [AgentTool<'a>],
    /// A JSON array of facts for the model.
    pub context: Option<JsonText<'a>>,
    /// Shared state.
    pub state: Option<JsonText<'a>>,
    /// What the worker is to get unread.
    pub forwarded_props: Option<JsonText<'a>>,
}

/// One message. It cannot bring tools.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClientMessage<'a> {
    /// The agent to answer.
    pub agent_id: &'a str,
    /// The turn's id, chosen by the page.
    pub turn_id: &'a str,
    /// The message.
    pub message: DraftMessage<'a>,
    /// Whether pieces of the answer are to be streamed; the engine's default where not said.
    pub stream: Option<bool>,
    /// Whether to wait for the running turn instead of being refused.
    pub queue: bool,
}

/// The whole conversation as the page sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClientMessages<'a> {
    /// The agent to answer.
    pub agent_id: &'a str,
    /// The turn's id, chosen by the page.
    pub turn_id: &'a str,
    /// The messages; a lost prefix forks the conversation.
    pub messages: &'a [DraftMessage<'a>],
    /// What the page brings beside them.
    pub client: Option<ClientContext<'a>>,
    /// Whether pieces of the answer are to be streamed; the engine's default where not said.
    pub stream: Option<bool>,
}

/// Messages to add at the head.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClientAppend<'a> {
    /// The agent to answer.
    pub agent_id: &'a str,
    /// The turn's id, chosen by the page.
    pub turn_id: &'a str,
    /// The messages.
    pub messages: &'a [DraftMessage<'a>],
    /// What the page brings beside them.
    pub client: Option<ClientContext<'a>>,
    /// Whether pieces of the answer are to be streamed; the engine's default where not said.
    pub stream: Option<bool>,
    /// Whether to wait for the running turn instead of being refused.
    pub queue: bool,
}

/// An action the agent defines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClientAction<'a> {
    /// The agent to act.
    pub agent_id: &'a str,
    /// The turn's id, chosen by the page.
    pub turn_id: &'a str,
    /// The action's name.
    pub name: &'a str,
    /// What it is given.
    pub args: Option<JsonText<'a>>,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

impl<'a> DraftMessage<'a> {
    /// What a person says.
    #[must_use]
    pub fn user(id: Option<&'a str>, text: &'a str) -> Self {
        let content = Some(Content::Text(text));
        Self { id, role: Role::User, content, name: None, tool_call_id: None, tool_calls: &[] }
    }

    fn write(&self, object: &mut Object<'_>) {
        object.optional_text("id", self.id);
        object.text("role", self.role.name());
        match self.content {
            Some(Content::Text(text)) => object.text("content", text),
            Some(Content::Parts(parts)) => object.json("content", parts),
            None => {}
        }
        object.optional_text("name", self.name);
        object.optional_text("tool_call_id", self.tool_call_id);
        if !self.tool_calls.is_empty() {
            object.list("tool_calls", self.tool_calls, |call, object| {
                object.text("id", call.id);
                object.text("type", "function");
                object.object("function", |function| {
                    function.text("name", call.name);
                    function.text("arguments", call.arguments);
                });
            });
        }
    }
}

impl AgentTool<'_> {
    pub(super) fn write(&self, object: &mut Object<'_>) {
        object.text("name", self.name);
        object.optional_text("description", self.description);
        object.text("handler", "client");
        object.optional_json("input", self.input);
        object.optional_json("output", self.output);
        object.optional_flag("defer", self.defer);
    }
}

impl ClientContext<'_> {
    fn write(&self, object: &mut Object<'_>) {
        object.list("tools", self.tools, AgentTool::write);
        object.optional_json("context", self.context);
        object.optional_json("state", self.state);
        object.optional_json("forwarded_props", self.forwarded_props);
    }
}

impl ClientMessage<'_> {
    pub(super) fn write(&self, object: &mut Object<'_>) {
        write_head(object, "client.message", self.agent_id, self.turn_id);
        object.object("message", |message| self.message.write(message));
        object.optional_flag("stream", self.stream);
        write_queue(object, self.queue);
    }
}

impl ClientMessages<'_> {
    pub(super) fn write(&self, object: &mut Object<'_>) {
        write_head(object, "client.messages", self.agent_id, self.turn_id);
        write_messages(object, self.messages, self.client.as_ref());
        object.optional_flag("stream", self.stream);
    }
}

impl ClientAppend<'_> {
    pub(crate) fn write(&self, object: &mut Object<'_>) {
        write_head(object, "client.append", self.agent_id, self.turn_id);
        write_messages(object, self.messages, self.client.as_ref());
        object.optional_flag("stream", self.stream);
        write_queue(object, self.queue);
    }
}

impl ClientAction<'_> {
    pub(super) fn write(&self, object: &mut Object<'_>) {
        write_head(object, "client.action", self.agent_id, self.turn_id);
        object.text("name", self.name);
        object.optional_json("args", self.args);
    }
}

fn write_head(object: &mut Object<'_>, kind: &str, agent_id: &str, turn_id: &str) {
    object.text("type", kind);
    object.text("agent_id", agent_id);
    object.text("turn_id", turn_id);
}

fn write_messages(
    object: &mut Object<'_>,
    messages: &[DraftMessage<'_>],
    client: Option<&ClientContext<'_>>,
) {
    object.list("messages", messages, DraftMessage::write);
    if let Some(client) = client {
        object.object("client", |object| client.write(object));
    }
}

fn write_queue(object: &mut Object<'_>, queue: bool) {
    if queue {
        object.flag("queue", true);
    }
}
