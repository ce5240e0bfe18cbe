//! What the machine wants done, and what it wants known.
//!
//! Effects are imperatives for the shell, each answered by one input that carries its id, except
//! where its doc says otherwise. Order matters: a shell carries them out in the order they come.

use super::event::Event;
use super::ids::{AskId, CallKey, CheckId, InvocationId, Millis, RequestId, WriteId};
use super::record::Record;
use std::rc::Rc;

/// One thing that comes out of the machine.
#[derive(Debug, Clone)]
pub enum Output {
    /// To be done.
    Effect(Effect),
    /// To be told.
    Event(Event),
}

/// One thing to be done.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Open the session's event stream. Answered by `StreamOpened`, then `ChunkArrived`, then `StreamClosed`.
    OpenStream {
        /// Its handle.
        request: RequestId,
        /// The session.
        session_id: String,
        /// Only events after this one are wanted.
        after_seq: u64,
        /// The same in a dialect without numbers: the id of the last event.
        last_event_id: Option<String>,
        /// Whether the token must be a fresh one.
        refresh: bool,
    },
    #[cfg(feature = "ag_ui")]
    /// Post a run, or ask for the conversation as the server has it. Answered as `OpenStream` is.
    Run {
        /// Its handle.
        request: RequestId,
        /// The session it concerns.
        session_id: String,
        /// The JSON body; a retry has the very same bytes.
        body: Rc<str>,
        /// Whether it only asks.
        connect: bool,
        /// Whether the token must be a fresh one.
        refresh: bool,
    },
    /// Post a body to the engine. Answered by `PostAnswered` or `PostFailed`.
    Post {
        /// Its handle.
        request: RequestId,
        /// The session it concerns.
        session_id: String,
        /// The JSON body; a retry has the very same bytes.
        body: Rc<str>,
        /// Whether the token must be a fresh one.
        refresh: bool,
    },
    /// Give up a request. Not answered; whatever it still says is ignored.
    Abort {
        /// Its handle.
        request: RequestId,
    },
    /// Ask the tool's validator. Answered by `Checked`.
    Check {
        /// Its handle.
        check: CheckId,
        /// The tool's name.
        tool: String,
        /// Which of its schemas.
        direction: Direction,
        /// The arguments as JSON text, or the result as the model would read it.
        text: Rc<str>,
    },
    /// Ask the author's repair function. Answered by `Repaired`.
    Repair {
        /// Its handle.
        check: CheckId,
        /// The tool's name.
        tool: String,
        /// The arguments as they came.
        text: Rc<str>,
        /// What is wrong with them.
        problem: String,
        /// The violations, as a JSON array of issues; empty when the text is malformed.
        issues: String,
    },
    /// Ask a person whether the call may run. Answered by `Consented`.
    Ask {
        /// Its handle.
        ask: AskId,
        /// The call.
        key: CallKey,
        /// The tool's name.
        tool: String,
        /// The arguments as JSON text.
        text: Rc<str>,
    },
    /// Take a question back. Not answered.
    WithdrawAsk {
        /// Its handle.
        ask: AskId,
    },
    /// Run a tool's handler. Answered by `Settled`, any number of `Progressed` before.
    Invoke(Invoke),
    /// Tell a handler to stop. Not answered; the handler may well go on, and nobody will listen.
    Cancel {
        /// Which run.
        invocation: InvocationId,
        /// Why, for the handler.
        reason: String,
    },
    /// Write a record, unless another page owns the session by now. Answered by `Persisted`.
    Persist {
        /// Its handle.
        write: WriteId,
        /// What to write, under the call's key.
        record: Record,
    },
    /// Stand in line for the session again: it was lost unawares. Answered by `OwnershipGained` when
    /// its turn comes.
    ClaimOwnership,
    /// Own the calls of a child session too, and find what earlier owners left of them. Answered by `Adopted`.
    Adopt {
        /// The child.
        session_id: String,
    },
    /// Keep nothing of a call but that it ended. Not answered.
    Retire {
        /// Which call.
        key: CallKey,
    },
}

/// The run of a handler.
#[derive(Debug, Clone)]
pub struct Invoke {
    /// Its handle.
    pub invocation: InvocationId,
    /// The call.
    pub key: CallKey,
    /// The turn it belongs to, where known.
    pub turn_id: Option<String>,
    /// The tool's name.
    pub tool: String,
    /// The arguments as JSON text.
    pub text: Rc<str>,
    /// When the run must have ended, on the shell's clock, if ever.
    pub deadline: Option<Millis>,
    /// How many model replies the turn had before the one that made this call.
    pub trip_index: u32,
}

/// Which schema of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The arguments'.
    Input,
    /// The result's.
    Output,
}
