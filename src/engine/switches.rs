//! Readings of the points on which documents and sources of the real engine disagree, or its versions do.
//!
//! A switch changes what is told or taken, never what a client may rely on: a client must live with each.

use serde::{Deserialize, Serialize};

/// Readings of the disputed points. The defaults follow the newest source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Switches {
    /// How a body that does not parse is answered.
    pub bad_body: BadBody,
    /// How a submit during a turn is answered.
    pub busy_submit: BusySubmit,
    /// What happens to a `client.messages` view sent during a turn.
    pub view_in_turn: ViewInTurn,
    /// Which event object is sent.
    pub event_object: EventObject,
    /// The number of the first attempt.
    pub attempt_base: u32,
    /// How results are taken and stored.
    pub results: ResultForm,
    /// Give page-declared tools `handler: "client"` whatever they say.
    pub force_client_handler: bool,
    /// Put `queued` into the replies of submits.
    pub queued_field: bool,
    /// Check results with `isError: true` against the output schema too.
    pub check_error_results: bool,
    /// Let events that belong to no turn through a stream scoped to one turn.
    pub turnless_in_scope: bool,
    /// Announce each open call as voided before `session.cancelled`.
    pub cancel_voids: bool,
    /// What the events of sub-agents are called.
    pub subagent_prefix: SubagentPrefix,
    /// What happens to an AG-UI run that comes while a turn is under way.
    pub ag_ui_answers: AgUiAnswers,
    /// When an AG-UI run ends for calls that the page is to run.
    pub ag_ui_run_end: AgUiRunEnd,
    /// Put an `event:` line before each AG-UI event's data.
    pub ag_ui_event_lines: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Switches {
            bad_body: BadBody::Json400,
            busy_submit: BusySubmit::Swallowed,
            view_in_turn: ViewInTurn::Refused,
            event_object: EventObject::Source,
            attempt_base: 0,
            results: ResultForm::ToolResult,
            force_client_handler: false,
            queued_field: true,
            check_error_results: true,
            turnless_in_scope: false,
            cancel_voids: true,
            subagent_prefix: SubagentPrefix::Subagent,
            ag_ui_answers: AgUiAnswers::Taken,
            ag_ui_run_end: AgUiRunEnd::Whole,
            ag_ui_event_lines: true,
        }
    }
}

/// How a body that does not parse is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BadBody {
    /// 400 and `{ ok, error, param }`, as engines from about 0.7 on.
    Json400,
    /// 422, 400 or 415 and plain text, as older engines.
    Text422,
}

/// How a submit during a turn is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BusySubmit {
    /// 202 that names the running turn; the message is dropped.
    Swallowed,
    /// The 409 the documents promise.
    Conflict,
}

/// What happens to a `client.messages` view sent during a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ViewInTurn {
    /// It is refused before it is read, like any submit.
    Refused,
    /// Its answers settle open calls; its other news is one more decision and may fork.
    Examined,
}

/// Which event object is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum EventObject {
    /// The big one with `meta`.
    Source,
    /// The small documented one with a top-level `turn_id`.
    Documented,
}

/// How results are taken and stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ResultForm {
    /// Wrapped, flattened or plain; stored as `{ content, structuredContent? }`.
    ToolResult,
    /// Plain values only, stored as one string, as before 0.6.
    Text,
}

/// What the events, triggers and calls of sub-agents are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubagentPrefix {
    /// `subagent`, as engines from about 0.9 on.
    Subagent,
    /// `sub_agent`, as older engines.
    SubAgent,
}

/// What happens to an AG-UI run that comes while a turn is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AgUiAnswers {
    /// It joins the turn: its answers settle calls, its other news is one more decision.
    Taken,
    /// It is swallowed unread unless it resumes an interrupt; its stream says nothing but that it started.
    Dropped,
}

/// When an AG-UI run ends for calls that the page is to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AgUiRunEnd {
    /// Once nothing goes on without the page: every call of a reply is told.
    Whole,
    /// At the first call that leaves no other known call but the page's: later ones of its reply are not told.
    Early,
}

impl SubagentPrefix {
    /// The word itself.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            SubagentPrefix::Subagent => "subagent",
            SubagentPrefix::SubAgent => "sub_agent",
        }
    }
}
