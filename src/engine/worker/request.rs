//! A decision request: everything a worker may look at, as JSON.
//!
//! Written from the session as it is when the worker is asked. Writing changes nothing.

use serde_json::{Value, json};

use super::super::Millis;
use super::super::decisions::Decision;
use super::super::ids::wire_time;
use super::super::session::Session;
use super::super::shared::Shared;

impl Session {
    /// The request for a decision whose answer must come before `deadline`.
    pub(super) fn decision_request(
        &mut self,
        shared: &mut Shared,
        decision: &Decision,
        deadline: Millis,
    ) -> Value {
        let trigger = self.trigger_json(shared, &decision.trigger);
        let proposed = self.proposal(shared, &decision.trigger);
        let calls = self.calls_in_flight(shared);
        let pending = self.calls.iter().filter(|call| call.status.is_open()).count();
        json!({
            "session_id": self.id,
            "decision_id": decision.id,
            "agent_id": self.agent_id,
            "identity": { "id": self.owner.subject },
            "trigger": trigger,
            "proposed": proposed,
            "state": self.seat.state,
            "agent": self.seat.agent.as_ref().map(|agent| &agent.raw),
            "calls": calls,
            "pending_calls": pending,
            "messages": self.tree.branch(),
            "message_tree": self.tree.view(),
            "ancestry": self.ancestry,
            "attempts": decision.attempt.saturating_add(1),
            "deadline": wire_time(deadline),
            "turn_id": self.started_turn(),
        })
    }

    fn calls_in_flight(&self, shared: &Shared) -> Vec<Value> {
        let switches = &shared.config.switches;
        let open = self.calls.iter().filter(|call| call.status.is_open());
        let mut views = self.open_call_views(switches);
        for (view, call) in views.iter_mut().zip(open) {
            if let (Value::Object(fields), Some(anchor)) = (view, &call.message_id) {
                fields.insert("anchor".to_owned(), json!(anchor));
            }
        }
        views.extend(self.model_calls.iter().filter_map(|call| call.view(switches.attempt_base)));
        views
    }
}
