//! What can happen to the machine. Every input arrives with the time it happened at.

use super::ids::{AskId, CheckId, InvocationId, Millis, RequestId, WriteId};
use super::record::Record;
use super::tool::ToolSpec;
use crate::protocol::RawJson;
use crate::schema::Issue;

/// Something that happened.
#[derive(Debug, Clone)]
pub enum Input {
    /// A tool is there. A tool of the same name is replaced; whether that is allowed, the shell decides.
    ToolRegistered(Box<ToolSpec>),
    /// A tool is gone. Its calls that run are called off.
    ToolUnregistered {
        /// Its name.
        name: String,
    },
    /// The app attached to the session: its stream is to be open from now on.
    Attached,
    /// The app sent a user message. The ids are the shell's, made by chance it has and the machine has not.
    MessageSent {
        /// The turn the message opens.
        turn_id: String,
        /// The message's id.
        message_id: String,
        /// Its text.
        text: String,
        /// Whether it may wait behind a running turn.
        queue: bool,
    },
    /// The app runs a tool without a model.
    Invoked {
        /// The shell's id for this run, unique among its runs.
        call_id: String,
        /// The tool's name.
        name: String,
        /// The arguments as JSON text.
        arguments: String,
    },
    /// The app answers an interrupt.
    InterruptAnswered {
        /// The interrupt.
        interrupt_id: String,
        /// What the one who raised it is to get.
        payload: Option<RawJson>,
        /// Whether it is given up, where the dialect can say so.
        cancelled: bool,
    },
    /// The app stops a turn.
    TurnCancelled {
        /// The turn.
        turn_id: String,
        /// Why, for the model and for people.
        reason: String,
    },
    /// What each run brings along, where the conversation goes by runs: a JSON object whose members `messages`,
    /// `state`, `context` and `forwardedProps` each replace what was given before.
    RunInputGiven {
        /// The text.
        given: String,
    },
    /// A stream's response head came.
    StreamOpened {
        /// Which request.
        request: RequestId,
        /// The HTTP status.
        status: u16,
        /// The content type, as sent.
        content_type: Option<String>,
        /// The `Retry-After` header, as sent.
        retry_after: Option<String>,
    },
    /// Bytes of a stream came.
    ChunkArrived {
        /// Which request.
        request: RequestId,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// A stream is over: cleanly without `failure`, else broken, or never there.
    StreamClosed {
        /// Which request.
        request: RequestId,
        /// What broke it.
        failure: Option<String>,
    },
    /// A post was answered.
    PostAnswered {
        /// Which request.
        request: RequestId,
        /// The HTTP status.
        status: u16,
        /// The `Retry-After` header, as sent.
        retry_after: Option<String>,
        /// The body, as text.
        body: String,
    },
    /// A post got no answer.
    PostFailed {
        /// Which request.
        request: RequestId,
        /// What broke it.
        message: String,
    },
    /// A validator answered.
    Checked {
        /// Which question.
        check: CheckId,
        /// What it says.
        verdict: Verdict,
    },
    /// The author's repair function answered.
    Repaired {
        /// Which question.
        check: CheckId,
        /// The new arguments as JSON text, or `None` to reject the call.
        text: Option<String>,
    },
    /// A person answered whether a call may run.
    Consented {
        /// Which question.
        ask: AskId,
        /// What they said.
        decision: Decision,
    },
    /// A handler ended.
    Settled {
        /// Which run.
        invocation: InvocationId,
        /// How.
        outcome: Outcome,
    },
    /// A handler says it is alive: its timeout starts anew.
    Progressed {
        /// Which run.
        invocation: InvocationId,
    },
    /// A handler waits for a person: its clock stops.
    AskingStarted {
        /// Which run.
        invocation: InvocationId,
    },
    /// The person answered: the clock goes on.
    AskingEnded {
        /// Which run.
        invocation: InvocationId,
    },
    /// A write ended.
    Persisted {
        /// Which write.
        write: WriteId,
        /// How.
        result: Written,
    },
    /// This page now owns the session: it alone runs its calls. Comes with what earlier owners left.
    OwnershipGained {
        /// The records of the session's open calls.
        records: Vec<Record>,
    },
    /// This page now runs the calls of a child session too.
    Adopted {
        /// The child.
        session_id: String,
        /// The records of its open calls that earlier owners left.
        records: Vec<Record>,
    },
    /// Another page owns the session: this one watches.
    OwnershipLost,
    /// The page goes to sleep: hidden for good, frozen, or into the back-forward cache.
    Suspended,
    /// The page is awake again.
    Resumed,
    /// The network is there, or is gone.
    NetworkChanged {
        /// Whether it is there.
        online: bool,
    },
    /// Something suggests that what failed may work now: the page is shown, the token changed.
    Woken,
    /// Time passed. Send it when the deadline asked for has come.
    TimePassed,
    /// The app closed the runtime. Nothing is emitted after this.
    Closed,
}

/// How a write ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// It is stored.
    Stored,
    /// It is not and will not be: storage is off, full or broken.
    Failed,
    /// Another page has taken the call on: this one must not touch it.
    Fenced,
}

/// What a validator says.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// It fits, or there is nothing to check it against.
    Valid,
    /// It does not fit.
    Invalid(Vec<Issue>),
    /// The validator could not be loaded: nothing may run unchecked.
    Unavailable(String),
}

/// What a person says.
#[derive(Debug, Clone)]
pub enum Decision {
    /// Go on.
    Allow,
    /// Go on with these arguments, which are checked again.
    AllowEdited {
        /// The arguments as JSON text.
        text: String,
    },
    /// Do not.
    Deny {
        /// Why, in their words.
        reason: Option<String>,
    },
}

/// How a handler ended.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// With a value.
    Returned {
        /// The value as JSON text, exactly as it is to travel.
        json: String,
        /// Content blocks as a JSON array, when the tool returned media.
        media: Option<String>,
    },
    /// With an error.
    Failed {
        /// What the model reads.
        message: String,
        /// Whether the author says another attempt may help.
        retryable: bool,
        /// What kind: the tool threw, or its value cannot be sent.
        kind: Failure,
    },
}

/// Why a handler has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// It threw or rejected.
    Threw,
    /// Its value has no JSON form.
    Unserialisable,
    /// A person declined inside the handler.
    Declined,
    /// It stopped because it was asked to.
    Cancelled,
}

/// Makes a span of a `Retry-After` header in seconds. At most a day; HTTP dates are not understood and give `None`.
#[must_use]
pub fn retry_after(header: Option<&str>) -> Option<Millis> {
    const MOST: u64 = 24 * 3_600;
    let digits = header?.trim_ascii();
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let seconds = is_number.then(|| digits.parse().unwrap_or(MOST))?;
    Some(Millis(seconds.min(MOST) * 1_000))
}
