//! What a run begins with, as the text to post. Every field is written: some servers refuse a body without one.

use super::message::{Message, write_all};
use crate::protocol::RawJson;
use crate::protocol::json;
use crate::protocol::settle::AgentTool;
use crate::protocol::settle::write::Object;

/// What a run begins with.
#[derive(Debug)]
pub struct RunInput<'a> {
    /// The conversation.
    pub thread_id: &'a str,
    /// The run.
    pub run_id: &'a str,
    /// The run that this one goes on from, where it answers an interrupt.
    pub parent_run_id: Option<&'a str>,
    /// Whether the version spoken is named.
    pub versioned: bool,
    /// The transcript, and what is new.
    pub messages: (&'a [Message], &'a [Message]),
    /// The tools of the page.
    pub tools: &'a [AgentTool<'a>],
    /// The agent's state.
    pub state: Option<&'a RawJson>,
    /// Facts for the model, a JSON array.
    pub context: Option<&'a RawJson>,
    /// Whatever the server wants beside.
    pub forwarded: Option<&'a RawJson>,
    /// Answers to interrupts.
    pub resume: &'a [Resume],
}

/// The answer to an interrupt.
#[derive(Debug, Clone, PartialEq)]
pub struct Resume {
    /// The interrupt.
    pub id: String,
    /// What the server gets.
    pub payload: Option<RawJson>,
    /// Whether it is given up instead.
    pub cancelled: bool,
    /// Whether the server wants the answer as a command of its own instead of an entry of `resume`.
    pub by_command: bool,
}

impl RunInput<'_> {
    /// The body.
    #[must_use]
    pub fn body(&self) -> String {
        let mut out = String::new();
        let mut object = Object::begin(&mut out);
        object.text("threadId", self.thread_id);
        object.text("runId", self.run_id);
        object.optional_text("parentRunId", self.parent_run_id);
        if self.versioned {
            object.text("protocolVersion", "1.0");
        }
        object.raw("state", self.state.map_or("{}", RawJson::get));
        let mut messages = String::new();
        write_all(&mut messages, self.messages.0.iter().chain(self.messages.1));
        object.raw("messages", &messages);
        object.list("tools", self.tools, |tool, object| {
            object.text("name", tool.name);
            object.text("description", tool.description.unwrap_or_default());
            let any = "{\"type\":\"object\",\"properties\":{}}";
            object.raw("parameters", tool.input.map_or(any, |schema| schema.get()));
        });
        object.raw("context", self.context.map_or("[]", RawJson::get));
        let command = self.resume.iter().find(|resume| resume.by_command);
        object.raw("forwardedProps", &forwarded(self.forwarded, command));
        let entries = self.resume.iter().filter(|resume| !resume.by_command);
        if entries.clone().next().is_some() {
            object.list("resume", entries, Resume::write);
        }
        object.end();
        out
    }
}

impl Resume {
    fn write(&self, object: &mut Object<'_>) {
        object.text("interruptId", &self.id);
        object.text("status", if self.cancelled { "cancelled" } else { "resolved" });
        if let Some(payload) = &self.payload {
            object.json("payload", payload.as_text());
        }
    }
}

/// What is forwarded, with the command that answers an interrupt where the server wants it so.
fn forwarded(given: Option<&RawJson>, command: Option<&Resume>) -> String {
    let given = given.map_or("{}", RawJson::get);
    let Some(command) = command else { return given.to_owned() };
    let mut out = String::new();
    let mut object = Object::begin(&mut out);
    for name in json::names(given).unwrap_or_default() {
        if let Some([Some(value)]) = json::pick(given, [name.as_str()]).filter(|_| name != "command") {
            object.raw(&name, value);
        }
    }
    object.object("command", |object| {
        object.raw("resume", command.payload.as_ref().map_or("null", RawJson::get));
    });
    object.end();
    out
}
