//! What the machine tells: facts for the app, handed over in batches.
//!
//! Field names are the public ones, but for their case. Raw JSON texts stay raw, so that no digit is lost on
//! the way. A shell writes them in whatever form its app reads.

use super::codes::Code;
use super::ids::{CallKey, Millis};
use crate::protocol::RawJson;
use crate::protocol::frame::CallError;
use crate::protocol::settle::write::{Object, array};
use crate::schema::Issue;

/// One fact.
#[derive(Debug, Clone)]
pub enum Event {
    /// The stream's state changed.
    Connection(Connection),
    /// An answer went a step further.
    Delivery(Delivery),
    /// Something is odd, and was dealt with.
    Warning(Warning),
    /// A call changed its state.
    Call(CallChanged),
    /// A handler is about to run.
    Calling(Calling),
    /// A call ended well. The one terminal event of its call, unless it failed.
    Called(Box<Report>),
    /// A call ended badly. The one terminal event of its call, unless it succeeded.
    Failed(Box<Report>),
    /// The engine closed its books on a call.
    Finished(Finished),
    /// A turn was taken by the engine, or began.
    TurnStarted {
        /// The turn.
        turn_id: String,
        /// Whether it waits behind another.
        queued: bool,
    },
    /// A piece of the model's answer.
    Text {
        /// The turn it belongs to, where known.
        turn_id: Option<String>,
        /// The message it will be part of.
        message_id: String,
        /// The text to append.
        delta: String,
    },
    /// A message joined the conversation.
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
    TurnFinished {
        /// The turn.
        turn_id: String,
        /// How it ended.
        status: TurnStatus,
        /// The model's last text in it.
        text: String,
        /// What the turn returned, if anything.
        data: Option<RawJson>,
        /// Why it failed, if it did.
        error: Option<Problem>,
        /// The reports of its calls and of the agents it started, in the order they ended.
        children: Vec<Node>,
    },
    /// A piece of what the model thinks.
    #[cfg(feature = "ag_ui")]
    Reasoning {
        /// The turn it belongs to, where known.
        turn_id: Option<String>,
        /// The message it is part of.
        message_id: String,
        /// The text to append.
        delta: String,
    },
    /// The agent's state changed.
    #[cfg(feature = "ag_ui")]
    State {
        /// The turn it belongs to, where known.
        turn_id: Option<String>,
        /// The whole state.
        state: RawJson,
    },
    /// What an agent does meanwhile.
    #[cfg(feature = "ag_ui")]
    Activity {
        /// The turn it belongs to, where known.
        turn_id: Option<String>,
        /// The message that shows it.
        message_id: String,
        /// What kind it is.
        activity_type: String,
        /// All of it.
        content: RawJson,
    },
    /// A step of an agent began or ended.
    #[cfg(feature = "ag_ui")]
    Step {
        /// The turn it belongs to, where known.
        turn_id: Option<String>,
        /// Its name.
        name: String,
        /// Whether it began.
        started: bool,
    },
    /// Something of a server's own.
    #[cfg(feature = "ag_ui")]
    Custom {
        /// The turn it belongs to, where known.
        turn_id: Option<String>,
        /// Its name.
        name: String,
        /// Its value.
        value: RawJson,
    },
    /// Something that has no meaning here, kept whole.
    #[cfg(feature = "ag_ui")]
    Raw {
        /// The turn it belongs to, where known.
        turn_id: Option<String>,
        /// What kind it is.
        name: String,
        /// All of it.
        event: RawJson,
    },
    /// A session waits for somebody.
    Interrupted {
        /// The session.
        session_id: String,
        /// The interrupt.
        interrupt_id: String,
        /// The turn it belongs to, where known.
        turn_id: Option<String>,
        /// Why.
        reason: Option<String>,
        /// What the engine attached.
        payload: RawJson,
    },
    /// A session goes on.
    Resumed {
        /// The session.
        session_id: String,
        /// The interrupt.
        interrupt_id: String,
        /// The turn it belongs to, where known.
        turn_id: Option<String>,
        /// What the one who resumed it gave.
        payload: RawJson,
    },
    /// The app's answer to an interrupt was not taken.
    InterruptRefused {
        /// The session.
        session_id: String,
        /// The interrupt.
        interrupt_id: String,
        /// The turn it belongs to, where known.
        turn_id: Option<String>,
        /// Why.
        error: Problem,
    },
}

/// A failure with its stable code.
#[derive(Debug, Clone, PartialEq)]
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

    /// A problem as the engine told it.
    pub(super) fn of_engine(error: &CallError) -> Self {
        let code = error.code.clone().unwrap_or_else(|| "error".to_owned());
        Problem { code, message: error.message.clone() }
    }
}

/// The stream's state.
#[derive(Debug, Clone)]
pub struct Connection {
    /// Which session's stream.
    pub session_id: String,
    /// Whether it is that of an agent which another session started.
    pub is_child: bool,
    /// The state it is in now.
    pub state: ConnectionState,
    /// Why, when something failed.
    pub code: Option<Code>,
    /// The HTTP status, when there was one.
    pub status: Option<u16>,
    /// What to look at, for the developer.
    pub hint: Option<String>,
    /// Milliseconds until the next try.
    pub retry_in: Option<Millis>,
}

/// The states of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionState {
    /// At rest: nothing is under way, and nothing is wrong.
    #[cfg(feature = "ag_ui")]
    Idle,
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
#[derive(Debug, Clone)]
pub struct Delivery {
    /// Which call.
    pub key: CallKey,
    /// How far it got.
    pub state: DeliveryState,
    /// How often it was sent.
    pub tries: u32,
    /// Why it was not taken, when it was not.
    pub code: Option<Code>,
    /// The HTTP status, when there was one.
    pub status: Option<u16>,
    /// What the engine said, when it said something.
    pub message: Option<String>,
}

/// The stations of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
#[derive(Debug, Clone)]
pub struct Warning {
    /// What kind.
    pub code: Code,
    /// What, where, and what to do.
    pub message: String,
    /// How many of the kind were met so far, this one included.
    pub count: u32,
}

/// A call's state.
#[derive(Debug, Clone)]
pub struct CallChanged {
    /// Which call.
    pub key: CallKey,
    /// The tool's name.
    pub name: String,
    /// The turn it belongs to, where known.
    pub turn_id: Option<String>,
    /// The arguments as the model wrote them; told once, with `received`.
    pub arguments: Option<String>,
    /// The state it is in now.
    pub state: CallState,
    /// What the arguments were found to be, once known.
    pub input: Option<InputClass>,
    /// The violations, when there are some.
    pub issues: Vec<Issue>,
}

/// The states of a call, as told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
#[derive(Debug, Clone)]
pub struct Calling {
    /// Which call.
    pub key: CallKey,
    /// The tool.
    pub tool: ToolRef,
    /// The turn it belongs to, where known.
    pub turn_id: Option<String>,
    /// The arguments.
    pub input: RawJson,
    /// How many model replies the turn had before the one that made this call.
    pub trip_index: u32,
}

/// What an event says of a tool.
#[derive(Debug, Clone)]
pub struct ToolRef {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: Option<String>,
}

/// The engine closed its books on a call.
#[derive(Debug, Clone)]
pub struct Finished {
    /// The call.
    pub id: String,
    /// Whether it has a result.
    pub ok: bool,
    /// The tool's name.
    pub name: String,
    /// The result as the engine recorded it.
    pub result: Option<RawJson>,
    /// The error's text.
    pub error: Option<String>,
}

/// One part of a turn's account.
#[derive(Debug, Clone)]
pub enum Node {
    /// A call.
    Tool(Report),
    /// An agent that the turn, or an agent of its, started.
    Agent(AgentReport),
}

/// What happened to one agent that a turn started.
#[derive(Debug, Clone)]
pub struct AgentReport {
    /// The session it ran in.
    pub session_id: String,
    /// The call that started it, where known.
    pub call_id: Option<String>,
    /// The agent's name, where known.
    pub name: Option<String>,
    /// The turn it belonged to, where known.
    pub turn_id: Option<String>,
    /// How many model replies there were before the one that started it.
    pub trip_index: u32,
    /// How it ended.
    pub status: ReportStatus,
    /// What went wrong, when something did.
    pub error: Option<Problem>,
    /// When this page heard that it began, in milliseconds since the epoch.
    pub started_at: Millis,
    /// When it ended, in milliseconds since the epoch.
    pub ended_at: Millis,
    /// The reports of its calls, and of the agents it started in turn.
    pub children: Vec<Node>,
}

/// What happened to one call, start to end.
#[derive(Debug, Clone)]
pub struct Report {
    /// The tool's name.
    pub name: String,
    /// The tool's version.
    pub version: Option<String>,
    /// Which call.
    pub key: CallKey,
    /// The turn it belonged to, where known.
    pub turn_id: Option<String>,
    /// How many model replies the turn had before the one that made this call.
    pub trip_index: u32,
    /// The arguments the handler got, or the text that came when they are not JSON.
    pub input: RawJson,
    /// The result, when there is one.
    pub output: Option<RawJson>,
    /// What went wrong, when something did.
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
    pub delivery: Option<ReportDelivery>,
}

/// What the checks found.
#[derive(Debug, Clone)]
pub struct Checks {
    /// What the arguments were found to be, if it came to that.
    pub input: Option<InputClass>,
    /// The violations, of the arguments or of the result.
    pub issues: Vec<Issue>,
}

/// How an answer fared.
#[derive(Debug, Clone)]
pub struct ReportDelivery {
    /// The last station.
    pub state: DeliveryState,
    /// How often it was sent.
    pub tries: u32,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportStatus {
    /// With a result.
    Completed,
    /// With an error.
    Failed,
    /// It was called off.
    Cancelled,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnStatus {
    /// The engine says it is complete.
    Completed,
    /// The engine says it failed, or never took the message.
    Failed,
    /// The runtime was closed, or the session cancelled.
    Cancelled,
}

/// Violations as a JSON array.
pub(super) fn issues_text(issues: &[Issue]) -> String {
    let mut text = String::new();
    array(&mut text, issues, write_issue);
    text
}

/// Writes an issue as the app and the author's repair function read it.
pub(crate) fn write_issue(issue: &Issue, object: &mut Object<'_>) {
    object.text("path", &issue.path);
    object.text("keyword", &issue.keyword);
    object.text("message", &issue.message);
    object.optional_text("expected", issue.expected.as_deref());
    object.optional_text("got", issue.got.as_deref());
    object.optional_text("hint", issue.hint.as_deref());
}
