//! What tests and transcripts may ask an engine about: calls, their settlements, the log.
//!
//! Read-only, and never reachable over HTTP.

use serde::Serialize;
use serde_json::{Value, json};

use super::Millis;
use super::calls::{Call, CallStatus};
use super::engine::Engine;
use super::events::Event;

/// A tool call as the engine knows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallRecord {
    /// Its id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The current attempt, as the wire counts.
    pub attempt: u32,
    /// Where it stands; see [`CallStatus::name`].
    pub status: &'static str,
    /// The raw arguments.
    pub arguments: String,
    /// Who handles it.
    pub handler: &'static str,
    /// Everything that tried to settle it, in order, refusals included.
    pub settlements: Vec<Settlement>,
    /// The stored result, once completed.
    pub result: Option<Value>,
    /// The stored error, once errored for good.
    pub error: Option<Value>,
    /// What the model reads of it.
    pub rendered: Option<String>,
}

/// A sub-agent's call as the engine knows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChildRecord {
    /// The child's session; it exists once the call has started.
    pub session_id: String,
    /// Its agent.
    pub agent_id: String,
    /// The model's call that it answers.
    pub tool_call_id: String,
    /// Where that call stands; see [`CallStatus::name`].
    pub status: &'static str,
    /// The child's turn, once started.
    pub turn_id: Option<String>,
    /// What the model reads of it.
    pub rendered: Option<String>,
}

/// One try to settle a call.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Settlement {
    /// When.
    pub at: Millis,
    /// The attempt that was current, as the wire counts.
    pub attempt: u32,
    /// `page`, `view`, `worker` or `deadline`.
    pub by: &'static str,
    /// Whether it was taken.
    pub accepted: bool,
    /// The HTTP status it was answered with; 0 where there was no request.
    pub status: u16,
    /// The input as it was posted.
    pub body: Value,
}

impl Settlement {
    /// One that did not come as a request of its own.
    pub(crate) fn by_engine(at: Millis, attempt: u32, by: &'static str) -> Settlement {
        Settlement { at, attempt, by, accepted: true, status: 0, body: Value::Null }
    }
}

impl Engine {
    /// The ids of all sessions.
    #[must_use]
    pub fn session_ids(&self) -> Vec<String> {
        self.sessions.keys().cloned().collect()
    }

    /// All tool calls of a session, in the order they were requested; sub-agents are its children.
    #[must_use]
    pub fn calls(&self, session: &str) -> Vec<CallRecord> {
        let base = self.shared.config.switches.attempt_base;
        let calls = self.sessions.get(session).map(|found| found.calls.as_slice());
        let tool_calls = calls.unwrap_or_default().iter().filter(|call| call.delegation.is_none());
        tool_calls.map(|call| call_record(call, base)).collect()
    }

    /// The sub-agents that a session has called, in order; one that was called twice is there twice.
    #[must_use]
    pub fn children(&self, session: &str) -> Vec<ChildRecord> {
        let calls = self.sessions.get(session).map(|found| found.calls.as_slice());
        calls.unwrap_or_default().iter().filter_map(child_record).collect()
    }

    /// The sessions above a sub-agent's, outermost first.
    #[must_use]
    pub fn ancestry(&self, session: &str) -> &[String] {
        self.sessions.get(session).map(|found| found.ancestry.as_slice()).unwrap_or_default()
    }

    /// The event log of a session.
    #[must_use]
    pub fn log(&self, session: &str) -> &[Event] {
        self.sessions.get(session).map(|found| found.log.as_slice()).unwrap_or_default()
    }

    /// The names of the events of a session, in order.
    #[must_use]
    pub fn event_names(&self, session: &str) -> Vec<String> {
        self.log(session).iter().map(|event| event.name().to_owned()).collect()
    }

    /// How many of the page's answers to one attempt (as the wire counts) were accepted: 0 or 1.
    #[must_use]
    pub fn accepted_settlements(&self, session: &str, call: &str, attempt: u32) -> usize {
        let calls = self.calls(session);
        let settlements = calls.iter().filter(|record| record.id == call);
        settlements
            .flat_map(|record| &record.settlements)
            .filter(|settlement| settlement.accepted && settlement.attempt == attempt)
            .filter(|settlement| matches!(settlement.by, "page" | "view"))
            .count()
    }

    /// The active branch of a session's conversation, as on the wire.
    #[must_use]
    pub fn messages(&self, session: &str) -> Vec<Value> {
        let found = self.sessions.get(session);
        found.map(|found| found.tree.branch().into_iter().cloned().collect()).unwrap_or_default()
    }

    /// How many event streams are open.
    #[must_use]
    pub fn open_streams(&self) -> usize {
        self.shared.streams.len()
    }

    /// All of the above for one session, as JSON for a host.
    #[must_use]
    pub fn inspect(&self, session: &str) -> Value {
        let events = self.log(session).iter().map(|event| {
            json!({
                "seq": event.seq,
                "at": event.at,
                "turnId": event.turn_id,
                "payload": event.payload,
            })
        });
        json!({
            "sessionId": session,
            "status": self.sessions.get(session).map(|found| found.status().name()),
            "calls": self.calls(session),
            "children": self.children(session),
            "ancestry": self.ancestry(session),
            "events": events.collect::<Vec<_>>(),
            "messages": self.messages(session),
            "openStreams": self.open_streams(),
        })
    }
}

fn child_record(call: &Call) -> Option<ChildRecord> {
    let delegation = call.delegation.as_ref()?;
    Some(ChildRecord {
        session_id: delegation.child.clone(),
        agent_id: call.name.clone(),
        tool_call_id: call.id.clone(),
        status: call.status.name(),
        turn_id: delegation.turn_id.clone(),
        rendered: call.outcome.as_ref().map(|outcome| outcome.rendered.clone()),
    })
}

fn call_record(call: &Call, base: u32) -> CallRecord {
    let outcome = call.outcome.as_ref();
    let stored =
        |status: CallStatus| outcome.filter(|_| call.status == status).map(|outcome| outcome.stored.clone());
    let settlements = call.settlements.iter().cloned().map(|mut settlement| {
        settlement.attempt = settlement.attempt.saturating_add(base);
        settlement
    });
    CallRecord {
        id: call.id.clone(),
        name: call.name.clone(),
        attempt: call.attempt.saturating_add(base),
        status: call.status.name(),
        arguments: call.arguments.clone(),
        handler: call.handler.name(),
        settlements: settlements.collect(),
        result: stored(CallStatus::Completed),
        error: stored(CallStatus::Errored),
        rendered: outcome.map(|outcome| outcome.rendered.clone()),
    }
}
