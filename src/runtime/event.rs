//! What the machine tells: facts for the app, serialized once and handed over in batches.
//!
//! Field names are the public ones. Raw JSON texts stay raw, so that no digit is lost on the way.

use super::codes::Code;
use super::ids::{CallKey, Millis};
use crate::schema::Issue;
use serde::Serialize;
use serde_json::value::RawValue;

/// One fact.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type")]
pub enum Event {
    /// The stream's state changed.
    #[serde(rename = "connection")]
    Connection(Connection),
    /// An answer went a step further.
    #[serde(rename = "delivery")]
    Delivery(Delivery),
    /// Something is odd, and was dealt with.
    #[serde(rename = "warning")]
    Warning(Warning),
    /// A call changed its state.
    #[serde(rename = "call")]
    Call(CallChanged),
    /// A handler is about to run.
    #[serde(rename = "agent.tool.calling")]
    Calling(Calling),
    /// A call ended well. The one terminal event of its call, unless it failed.
    #[serde(rename = "agent.tool.called")]
    Called(Box<Report>),
    /// A call ended badly. The one terminal event of its call, unless it succeeded.
    #[serde(rename = "agent.tool.failed")]
    Failed(Box<Report>),
    /// The engine closed its books on a call.
    #[serde(rename = "tool.finished")]
    Finished(Finished),
    /// A turn was taken by the engine, or began.
    #[serde(rename = "turn.started", rename_all = "camelCase")]
    TurnStarted {
        /// The turn.
        turn_id: String,
        /// Whether it waits behind another.
        queued: bool,
    },
    /// A piece of the model's answer.
    #[serde(rename = "text", rename_all = "camelCase")]
    Text {
        /// The turn it belongs to, where known.
        turn_id: Option<String>,
        /// The message it will be part of.
        message_id: String,
        /// The text to append.
        delta: String,
    },
    /// A message joined the conversation.
    #[serde(rename = "message", rename_all = "camelCase")]
    Message {
        /// The turn it belongs to, where known.
        turn_id: Option<String>,
        /// Its id, where it has one.
        message_id: Option<String>,
        /// `system`, `user`, `assistant` or `tool`.
        role: String,
        /// Its text, where it has one.
        text: Option<String>,
        /// The call it answers, for a tool message.
        call_id: Option<String>,
        /// Whether it was read as history.
        replayed: bool,
    },
    /// A turn ended. The last event of its turn.
    #[serde(rename = "turn.finished", rename_all = "camelCase")]
    TurnFinished {
        /// The turn.
        turn_id: String,
        /// How it ended.
        status: TurnStatus,
        /// The model's last text in it.
        text: String,
        /// What the turn returned, if anything.
        #[serde(skip_serializing_if = "Option::is_none")]
        data: Option<serde_json::Value>,
        /// Why it failed, if it did.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<Problem>,
        /// The reports of its calls, in the order they began.
        children: Vec<Report>,
    },
    /// The session waits for somebody.
    #[serde(rename = "interrupt", rename_all = "camelCase")]
    Interrupted {
        /// The interrupt.
        interrupt_id: String,
        /// Why.
        reason: Option<String>,
        /// What the engine attached.
        payload: serde_json::Value,
    },
    /// The session goes on.
    #[serde(rename = "interrupt.resumed", rename_all = "camelCase")]
    Resumed {
        /// The interrupt.
        interrupt_id: String,
    },
}

/// A failure with its stable code.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Problem {
    /// A code of ours, or the engine's own.
    pub code: String,
    /// What went wrong, for people.
    pub message: String,
}

impl Problem {
    /// A problem of ours.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Problem { code: code.as_str().to_owned(), message: message.into() }
    }
}

/// The stream's state.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Connection {
    /// Which session's stream.
    pub session_id: String,
    /// The state it is in now.
    pub state: ConnectionState,
    /// Why, when something failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
    /// The HTTP status, when there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// What to look at, for the developer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Milliseconds until the next try.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_in: Option<Millis>,
}

/// The states of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConnectionState {
    /// Asking.
    Connecting,
    /// Reading what happened meanwhile; nothing runs yet.
    CatchingUp,
    /// Live.
    Open,
    /// Broken; the next try is set.
    Waiting,
    /// Broken, and no try will be made until somebody asks.
    Stopped,
}

/// An answer's way to the engine.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    /// Which call.
    #[serde(flatten)]
    pub key: CallKey,
    /// How far it got.
    pub state: DeliveryState,
    /// How often it was sent.
    pub tries: u32,
    /// Why it was not taken, when it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
    /// The HTTP status, when there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// What the engine said, when it said something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The stations of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DeliveryState {
    /// On its way.
    Sending,
    /// Will be sent again.
    Waiting,
    /// Will be sent again once something changes: the token, the network, the page.
    Parked,
    /// Taken, not yet confirmed by the stream.
    Sent,
    /// Confirmed by the stream.
    Confirmed,
    /// Taken, then refused on the stream.
    Refused,
    /// Given up.
    Abandoned,
}

/// Something odd.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Warning {
    /// What kind.
    pub code: Code,
    /// What, where, and what to do.
    pub message: String,
    /// How many of the kind were met so far, this one included.
    pub count: u32,
}

/// A call's state.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallChanged {
    /// Which call.
    #[serde(flatten)]
    pub key: CallKey,
    /// The tool's name.
    pub name: String,
    /// The turn it belongs to, where known.
    pub turn_id: Option<String>,
    /// The arguments as the model wrote them; told once, with `received`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// The state it is in now.
    pub state: CallState,
    /// What the arguments were found to be, once known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<InputClass>,
    /// The violations, when there are some.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Issue>,
}

/// The states of a call, as told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallState {
    /// It was announced.
    Received,
    /// Its arguments are being checked.
    Checking,
    /// A person is being asked whether it may run.
    AwaitingUser,
    /// Its turn to run has not come.
    Queued,
    /// Its handler runs.
    Running,
    /// There is an answer.
    Answered,
    /// The answer is stored.
    Stored,
    /// The answer is on its way.
    Sending,
    /// The answer will be sent again.
    Waiting,
    /// The answer was taken.
    Sent,
    /// The stream confirmed the answer.
    Confirmed,
    /// The engine took the answer, then refused it.
    Refused,
    /// The answer could not be delivered for good.
    Abandoned,
    /// The call was called off.
    Voided,
}

/// What a call's arguments were found to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum InputClass {
    /// An object that fits.
    Valid,
    /// An object that does not fit.
    Invalid,
    /// Not one whole JSON object.
    Malformed,
    /// An object nobody checks.
    Unchecked,
}

/// A handler is about to run.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Calling {
    /// Which call.
    #[serde(flatten)]
    pub key: CallKey,
    /// The tool.
    pub tool: ToolRef,
    /// The turn it belongs to, where known.
    pub turn_id: Option<String>,
    /// The arguments.
    pub input: Box<RawValue>,
    /// How many model replies the turn had before the one that made this call.
    pub trip_index: u32,
}

/// What an event says of a tool.
#[derive(Debug, Clone, Serialize)]
pub struct ToolRef {
    /// Its name.
    pub name: String,
    /// Its description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// The engine closed its books on a call.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finished {
    /// The call.
    pub id: String,
    /// Whether it has a result.
    pub ok: bool,
    /// The tool's name.
    pub name: String,
    /// The result as the engine recorded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<serde_json::Value>,
    /// The error's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What happened to one call, start to end.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Always `tool`.
    pub r#type: &'static str,
    /// The tool's name.
    pub name: String,
    /// The tool's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Which call.
    #[serde(flatten)]
    pub key: CallKey,
    /// The turn it belonged to, where known.
    pub turn_id: Option<String>,
    /// How many model replies the turn had before the one that made this call.
    pub trip_index: u32,
    /// The arguments the handler got, or the text that came when they are not JSON.
    pub input: Box<RawValue>,
    /// The result, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Box<RawValue>>,
    /// What went wrong, when something did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Problem>,
    /// How it ended.
    pub status: ReportStatus,
    /// When it was received, in milliseconds since the epoch.
    pub started_at: Millis,
    /// When it ended, in milliseconds since the epoch.
    pub ended_at: Millis,
    /// The handler's run in milliseconds; zero if it never ran.
    pub duration: Millis,
    /// What the arguments were found to be.
    pub checks: Checks,
    /// How the answer fared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery: Option<ReportDelivery>,
}

/// What the checks found.
#[derive(Debug, Clone, Serialize)]
pub struct Checks {
    /// What the arguments were found to be, if it came to that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<InputClass>,
    /// The violations, of the arguments or of the result.
    pub issues: Vec<Issue>,
}

/// How an answer fared.
#[derive(Debug, Clone, Serialize)]
pub struct ReportDelivery {
    /// The last station.
    pub state: DeliveryState,
    /// How often it was sent.
    pub tries: u32,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ReportStatus {
    /// With a result.
    Completed,
    /// With an error.
    Failed,
    /// It was called off.
    Cancelled,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TurnStatus {
    /// The engine says it is complete.
    Completed,
    /// The engine says it failed, or never took the message.
    Failed,
    /// The runtime was closed, or the session cancelled.
    Cancelled,
}
