//! Bodies for the engine's input endpoint: submits, settles and resumes, as the text to post.
//!
//! A body is built once and every retry sends the same text. JSON that came in as text goes out as
//! the same text, so no digit and no odd escape is lost on the way. Each body names its session: a
//! settle without one would be taken for a new session. Nothing here decides when to post.

mod encode;
mod reply;
mod submit;
pub(crate) mod write;

pub use encode::{Encoding, Media, ToolResult};
pub use reply::{Accepted, Conflict, Refusal};
pub use submit::{
    AgentTool, ClientAction, ClientAppend, ClientContext, ClientMessage, ClientMessages, Content,
    DraftMessage, Role, ToolCall,
};

use std::borrow::Cow;
use std::fmt;
use write::Object;

/// The characters an error's text may have; a model reads no more of it, and a log should not.
pub const MAX_ERROR_CHARS: usize = 4000;

/// Text that has been seen to be one whole JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonText<'a>(&'a str);

/// The text is not one whole JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotJson;

impl fmt::Display for NotJson {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the text is not one whole JSON value")
    }
}

impl std::error::Error for NotJson {}

impl<'a> JsonText<'a> {
    /// The value `null`.
    pub const NULL: Self = Self("null");

    /// Looks the text over without building the value, so nesting has no bound and digits no limit.
    ///
    /// # Errors
    /// When it is not one whole JSON value.
    pub fn new(text: &'a str) -> Result<Self, NotJson> {
        super::json::document(text).map(Self).ok_or(NotJson)
    }

    /// Text that was seen to be JSON before.
    pub(super) fn known(text: &'a str) -> Self {
        Self(text)
    }

    /// The text, without space around it.
    #[must_use]
    pub fn get(self) -> &'a str {
        self.0
    }
}

/// Everything a page may post to the input endpoint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Input<'a> {
    /// One message.
    ClientMessage(ClientMessage<'a>),
    /// The whole conversation as the page sees it, with the page's tools.
    ClientMessages(ClientMessages<'a>),
    /// Messages to add at the head, with the page's tools.
    ClientAppend(ClientAppend<'a>),
    /// An action the agent defines.
    ClientAction(ClientAction<'a>),
    /// The answer to an interrupt.
    InterruptResume(InterruptResume<'a>),
    /// A call's result.
    ToolResult(ToolResult<'a>),
    /// A call's error.
    ToolError(ToolError<'a>),
}

/// The answer to an interrupt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InterruptResume<'a> {
    /// The interrupt's id.
    pub interrupt_id: &'a str,
    /// What the one who raised it is to get.
    pub payload: Option<JsonText<'a>>,
}

/// A call that ended with an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolError<'a> {
    /// The call's id.
    pub id: &'a str,
    /// The attempt, as the engine told it.
    pub attempt: u64,
    /// Text for the model; cut to [`MAX_ERROR_CHARS`].
    pub error: &'a str,
    /// Whether another attempt may do better.
    pub retryable: bool,
}

/// The body for one input.
#[must_use]
pub fn input_body(session_id: &str, input: &Input<'_>) -> String {
    enveloped(session_id, &|object| match input {
        Input::ClientMessage(message) => message.write(object),
        Input::ClientMessages(messages) => messages.write(object),
        Input::ClientAppend(append) => append.write(object),
        Input::ClientAction(action) => action.write(object),
        Input::InterruptResume(resume) => resume.write(object),
        Input::ToolResult(result) => result.write(object),
        Input::ToolError(error) => error.write(object),
    })
}

/// The body around one input. Who knows which input it is calls this with that one's writer, so that the
/// writers nobody calls are left out of the file that ships.
pub(crate) fn enveloped(session_id: &str, write: &dyn Fn(&mut Object<'_>)) -> String {
    let mut out = String::new();
    let mut envelope = Object::begin(&mut out);
    envelope.text("session_id", session_id);
    envelope.object("input", write);
    envelope.end();
    out
}

/// A body that is one action and nothing around it, as the trigger dialect takes them.
pub(crate) fn bare(write: &dyn Fn(&mut Object<'_>)) -> String {
    let mut out = String::new();
    let mut action = Object::begin(&mut out);
    write(&mut action);
    action.end();
    out
}

impl InterruptResume<'_> {
    pub(crate) fn write(&self, object: &mut Object<'_>) {
        object.text("type", "interrupt.resume");
        object.text("interrupt_id", self.interrupt_id);
        object.optional_json("payload", self.payload);
    }
}

impl ToolError<'_> {
    pub(crate) fn write(&self, object: &mut Object<'_>) {
        object.text("type", "tool.error");
        object.text("id", self.id);
        object.number("attempt", self.attempt);
        object.text("error", &clip(self.error, MAX_ERROR_CHARS));
        object.flag("retryable", self.retryable);
    }

    /// The same with what the trigger dialect takes beside: a code, and anything more there is to say.
    pub(crate) fn write_action(&self, object: &mut Object<'_>, code: &str, detail: Option<JsonText<'_>>) {
        self.write(object);
        object.text("code", code);
        object.optional_json("detail", detail);
    }
}

/// The tools as a JSON array, for whoever tells the engine of them in another way than by an input.
#[must_use]
pub fn declarations(tools: &[AgentTool<'_>]) -> String {
    let mut out = String::new();
    write::array(&mut out, tools, AgentTool::write);
    out
}

/// The text, cut to so many characters; a cut shows as an ellipsis, which counts.
#[must_use]
pub fn clip(text: &str, max_chars: usize) -> Cow<'_, str> {
    // A character has a byte at least, so most texts need no counting.
    if text.len() <= max_chars || text.char_indices().nth(max_chars).is_none() {
        return Cow::Borrowed(text);
    }
    let kept = max_chars.saturating_sub(1);
    let end = text.char_indices().nth(kept).map_or(text.len(), |(place, _)| place);
    Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default()))
}
