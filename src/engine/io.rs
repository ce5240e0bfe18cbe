//! The words between an engine and its host: inputs in, outputs out.
//!
//! A host translates its own HTTP into [`Input::Request`], hands the time in with everything, and drains
//! [`Output`]s after each input. Nothing in here knows how bytes travel or what the time is.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::config::AgentTool;
use super::faults::Fault;

/// What a host tells the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Input {
    /// An HTTP request, whole.
    Request {
        /// Chosen by the host; names the answer. Never reused while open.
        id: u64,
        /// The method, in capitals.
        method: String,
        /// Path and query.
        target: String,
        /// Header names in any case, and values.
        #[serde(default)]
        headers: Vec<(String, String)>,
        /// The body's bytes.
        #[serde(default, skip_serializing)]
        body: Vec<u8>,
    },
    /// The client closed the request or its stream.
    ClientGone {
        /// The request's id.
        id: u64,
    },
    /// Nothing but time has passed.
    TimeReached,
    /// A piece of an external model's reply, for live streaming; optional.
    ModelDelta {
        /// The model call asked about.
        call: String,
        /// The piece.
        delta: ModelDelta,
    },
    /// An external model's whole reply.
    ModelReplied {
        /// The model call asked about.
        call: String,
        /// The reply.
        reply: ModelReply,
    },
    /// An external worker's answer to a decision.
    WorkerReplied {
        /// The decision asked about.
        decision: String,
        /// The attempt asked about; an answer to an earlier one is dropped.
        attempt: u32,
        /// The decision response, as JSON text. One that cannot be read counts as a failure.
        response: String,
    },
    /// An external worker could not be had, or failed.
    WorkerFailed {
        /// The decision asked about.
        decision: String,
        /// The attempt asked about.
        attempt: u32,
        /// Why.
        message: String,
    },
    /// Something an operator does, with rights the page does not have.
    Operator(Operator),
    /// Arms a fault.
    Fault {
        /// Which one.
        fault: Fault,
    },
}

/// What an operator may do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Operator {
    /// Cancels the session; all its open calls are voided.
    Cancel {
        /// The session.
        session_id: String,
    },
    /// Raises an interrupt.
    Interrupt {
        /// The session.
        session_id: String,
        /// Chosen or minted.
        #[serde(default)]
        interrupt_id: Option<String>,
        /// Why, for people.
        #[serde(default)]
        reason: String,
        /// Anything the page may need.
        #[serde(default)]
        payload: Value,
        /// Whether the page may resume it.
        #[serde(default)]
        client_may_resume: bool,
    },
    /// Resumes any interrupt.
    Resume {
        /// The session.
        session_id: String,
        /// The interrupt.
        interrupt_id: String,
        /// The answer.
        #[serde(default)]
        payload: Value,
    },
    /// Moves the head to another message, as a worker's fork does; calls off the new branch are voided.
    MoveHead {
        /// The session.
        session_id: String,
        /// The message that becomes the head; absent is the root.
        #[serde(default)]
        message_id: Option<String>,
    },
}

/// What the engine tells its host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Output {
    /// A whole response; the request is over.
    Response {
        /// The request.
        id: u64,
        /// The HTTP status.
        status: u16,
        /// Headers in small letters.
        headers: Vec<(String, String)>,
        /// The body's bytes.
        #[serde(skip)]
        body: Vec<u8>,
    },
    /// Status 200 and headers of a response whose body follows in pieces.
    StreamOpened {
        /// The request.
        id: u64,
        /// Headers in small letters.
        headers: Vec<(String, String)>,
    },
    /// A piece of a stream's body.
    StreamBytes {
        /// The request.
        id: u64,
        /// The bytes; a fault may split a character.
        #[serde(skip)]
        bytes: Vec<u8>,
    },
    /// The stream ended in good order.
    StreamEnded {
        /// The request.
        id: u64,
    },
    /// The connection broke: the client sees a network error, before or amid the response.
    ConnectionLost {
        /// The request.
        id: u64,
    },
    /// An external model is asked for a reply.
    ModelAsked {
        /// Names the reply.
        call: String,
        /// The session that asks.
        session_id: String,
        /// The agent.
        agent: String,
        /// The active branch, as on the wire.
        messages: Vec<Value>,
        /// The tools on offer.
        tools: Vec<AgentTool>,
        /// Whether deltas are wanted.
        stream: bool,
        /// The model an external worker names.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// The system prompt an external worker sets.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        system: Option<String>,
    },
    /// An external worker is asked for a decision.
    WorkerAsked {
        /// Names the answer.
        decision: String,
        /// Counted from 1; the answer repeats it.
        attempt: u32,
        /// The decision request, as JSON text: send these very bytes, so that no digit changes.
        request: String,
    },
}

/// A piece of a model's reply.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ModelDelta {
    /// More text.
    pub text: Option<String>,
    /// More of tool calls.
    pub tool_calls: Vec<ReplyCall>,
    /// Why the model stopped, on the last piece.
    pub finish_reason: Option<String>,
}

/// A model's whole reply.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ModelReply {
    /// The text, if any.
    pub text: Option<String>,
    /// The calls, in order.
    pub tool_calls: Vec<ReplyCall>,
    /// Set when the model failed; the rest is then ignored.
    pub error: Option<ModelFailure>,
}

/// One call of a reply.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ReplyCall {
    /// The provider's id; the engine mints one where it is missing or taken.
    pub id: Option<String>,
    /// The tool.
    pub name: String,
    /// The arguments, verbatim.
    pub arguments: String,
}

/// Why a model request failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelFailure {
    /// The text.
    pub message: String,
    /// A code such as `provider_error` or `rate_limited`.
    #[serde(default = "provider_error")]
    pub code: String,
    /// Whether the policy may retry it.
    #[serde(default)]
    pub retryable: bool,
}

fn provider_error() -> String {
    "provider_error".to_owned()
}
