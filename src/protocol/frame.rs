//! The runtime's only vocabulary for what an engine said, whatever dialect it said it in.
//!
//! A frame is a fact, already decoded and owned; it carries no policy. Dialects fill in what they
//! know and leave the rest `None`. Adding a dialect must not add a variant that only it can produce
//! unless the runtime has something to do about it.

use super::json::RawJson;

/// A decoded frame with the position it had in its stream.
#[derive(Debug, Clone, PartialEq)]
pub struct Positioned {
    /// The session's sequence number, when the frame has one. Frames without one are transient:
    /// they are never replayed and must not move the cursor.
    pub seq: Option<u64>,
    /// The turn the frame belongs to, when the dialect says so.
    pub turn_id: Option<String>,
    /// When the engine says it happened, in milliseconds since the epoch by the engine's clock.
    pub occurred_at: Option<u64>,
    /// The calls the engine listed as open as of this frame: a cross-check, never the only source.
    pub open_calls: Option<Vec<OpenCall>>,
    /// What was said.
    pub frame: Frame,
}

/// One entry of the engine's list of open calls.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenCall {
    /// The call's id.
    pub id: String,
    /// The attempt the engine is on, counted as the engine counts.
    pub attempt: Option<u64>,
    /// `queued`, `pending`, `running`, `retry_scheduled`, or whatever a newer engine says.
    pub status: Option<String>,
    /// The attempt's deadline by the engine's clock, in milliseconds since the epoch.
    pub deadline: Option<u64>,
}

/// What an engine said.
#[derive(Debug, Clone, PartialEq)]
pub enum Frame {
    /// A tool call exists and says who is to run it.
    CallRequested(CallRequested),
    /// The call may now be settled; its clock runs.
    CallDispatched {
        /// The call's id.
        id: String,
        /// The attempt, where the dialect tells.
        attempt: Option<u64>,
    },
    /// The call ended with a result.
    CallCompleted {
        /// The call's id.
        id: String,
        /// The result as the engine recorded it, in whatever form.
        result: RawJson,
    },
    /// An attempt ended with an error, for good or not.
    CallErrored {
        /// The call's id.
        id: String,
        /// The error.
        error: CallError,
        /// Whether the engine may try again under the call's policy.
        retryable: bool,
    },
    /// The call is gone: its branch was left. Whoever runs it should stop.
    CallVoided {
        /// The call's id.
        id: String,
    },
    /// A piece of the model's answer. Transient.
    TextDelta {
        /// The model call (and later message) it belongs to.
        message_id: String,
        /// The text to append.
        text: String,
    },
    /// A piece of a call's arguments. Transient; nothing may run because of it.
    ArgumentsDelta {
        /// The call's id, where the dialect repeats it.
        id: Option<String>,
        /// The tool's name, on the first piece.
        name: Option<String>,
        /// The text to append.
        delta: String,
    },
    /// A message joined the conversation.
    Message {
        /// The message's id.
        id: Option<String>,
        /// `system`, `user`, `assistant`, `tool`.
        role: String,
        /// Its text; parts joined, `None` when there is none.
        text: Option<String>,
        /// The call a tool message answers.
        tool_call_id: Option<String>,
        /// How many tool calls an assistant message makes.
        tool_calls: usize,
    },
    /// A turn began.
    TurnStarted {
        /// The turn's id.
        turn_id: String,
    },
    /// A turn ended.
    TurnCompleted {
        /// The turn's id.
        turn_id: String,
        /// What the turn returned, if anything.
        data: Option<RawJson>,
        /// Why it failed, if it did.
        error: Option<CallError>,
    },
    /// The session waits for somebody.
    Interrupted {
        /// The interrupt's id.
        interrupt_id: String,
        /// Why, in the engine's words.
        reason: Option<String>,
        /// What the engine attached.
        payload: RawJson,
    },
    /// The session goes on.
    Resumed {
        /// The interrupt's id.
        interrupt_id: String,
        /// What the one who resumed it gave.
        payload: RawJson,
    },
    /// A child session began a turn, on a stream of its own.
    ChildStarted {
        /// The child's session id.
        session_id: String,
        /// The call in the parent that it serves, where the dialect tells.
        call_id: Option<String>,
        /// The agent that runs in it, where the dialect tells.
        agent: Option<String>,
    },
    /// A child session's turn is over, as its parent sees it.
    ChildEnded {
        /// The child's session id.
        session_id: String,
        /// Why it failed, if it did.
        error: Option<CallError>,
    },
    /// The whole session was cancelled: every open call is gone, and no frame will say so per call.
    SessionCancelled,
    /// A run of a per-run stream ended. Native streams never say it.
    RunFinished,
    /// Something this version does not know. Kept so that the cursor moves.
    Unknown {
        /// The event's name.
        name: String,
    },
}

/// A request by the model for one tool.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRequested {
    /// The call's id.
    pub id: String,
    /// The attempt, counted as the engine counts: echo it, never compute it.
    pub attempt: u64,
    /// The tool's name.
    pub name: String,
    /// The raw argument text, exactly as the model wrote it.
    pub arguments: String,
    /// Who is to run it.
    pub handler: Handler,
    /// How many attempts the call's policy allows, where the dialect tells.
    pub max_attempts: Option<u64>,
    /// Milliseconds an attempt may run from its dispatch, where the dialect tells.
    pub run_timeout: Option<u64>,
    /// The attempt's deadline by the engine's clock, in milliseconds since the epoch.
    pub deadline: Option<u64>,
    /// Whether it may be settled at once, without a `CallDispatched`.
    pub dispatched: bool,
    /// What the engine itself finds wrong with the arguments, where it looks and the dialect tells.
    pub objection: Option<Objection>,
}

/// What an engine finds wrong with a call's arguments. It never blocks the call: its author decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Objection {
    /// What is wrong, in words.
    pub error: String,
}

/// Who is to run a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handler {
    /// The user's page: ours.
    Client,
    /// The engine's worker, its server, or anybody else.
    Other,
}

/// Why a call or a turn failed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CallError {
    /// Text for people and models.
    pub message: String,
    /// An open set; `None` where the engine gave none.
    pub code: Option<String>,
}
