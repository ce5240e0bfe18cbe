//! The effects that only an external worker's answers have.

use std::borrow::Cow;

use serde_json::Value;

use super::super::calls::{CallError, CallStatus};
use super::super::inspect::Settlement;
use super::super::result::ToolResult;
use super::super::session::Session;
use super::super::shared::Shared;
use super::super::tree::message_id;
use super::agent::Agent;

/// How a worker ends a call.
#[derive(Debug)]
pub(crate) enum Ending {
    Result(Value),
    Error { message: String, retryable: bool, code: Option<String>, detail: Option<Value> },
}

impl Session {
    pub(crate) fn set_state(&mut self, state: Value) {
        self.seat.state = state;
    }

    /// Puts a configuration in force.
    pub(crate) fn set_agent(&mut self, shared: &mut Shared, agent: Agent) {
        let changed = self.seat.agent.as_ref() != Some(&agent);
        self.tools.clone_from(&agent.tools);
        self.seat.agent = Some(agent);
        if changed {
            self.record(shared, "agent.updated", Value::Null);
        }
    }

    /// The worker has heard of a call's end: the loop no longer waits for it, whatever became of the news.
    pub(crate) fn mark_handled(&mut self, call: &str) {
        if let Some(call) = self.call_mut(call) {
            call.recorded = true;
        }
    }

    /// Records a message of the worker's, unless its id is recorded already.
    pub(crate) fn add_draft(&mut self, shared: &mut Shared, message: Value) {
        let id = message_id(&message).map(str::to_owned);
        if id.as_deref().is_some_and(|id| self.tree.contains(id)) {
            return;
        }
        let answers = message.get("tool_call_id").and_then(Value::as_str);
        if let Some(call) = answers.filter(|id| self.call(id).is_some_and(|call| call.settled())) {
            self.mark_handled(call);
        }
        self.add_message(shared, id, message);
    }

    /// The message that asked for a call, if the conversation has one.
    pub(crate) fn anchor_of(&self, call: &str) -> Option<String> {
        let branch = self.tree.branch();
        let asks = |message: &&&Value| {
            let calls = message.get("tool_calls").and_then(Value::as_array);
            calls.is_some_and(|calls| {
                calls.iter().any(|asked| asked.get("id").and_then(Value::as_str) == Some(call))
            })
        };
        branch.iter().rev().find(asks).and_then(|message| message_id(message)).map(str::to_owned)
    }

    /// Ends a call as the worker says. An ending for another attempt, or for a call that is over, is dropped.
    pub(crate) fn end_call(&mut self, shared: &mut Shared, id: &str, attempt: u32, ending: Ending) {
        let Some(call) = self.call_mut(id) else { return };
        if call.status != CallStatus::Pending || call.attempt != attempt || call.delegation.is_some() {
            return;
        }
        call.settlements.push(Settlement::by_engine(shared.now, attempt, "worker"));
        match ending {
            Ending::Result(value) => {
                let result = ToolResult::from_value(&value, shared.config.switches.results);
                self.end_with_result(shared, id, &result, true);
            }
            Ending::Error { message, retryable, code, detail } => {
                let code = code.map_or(Cow::Borrowed("handler_error"), Cow::Owned);
                let error = CallError { message, code, param: None, detail };
                self.fail_call(shared, id, error, retryable);
            }
        }
    }

    /// Ends the turn's work: what is open is voided and what was to be decided of it is dropped. The turn
    /// itself ends once the worker has heard of it.
    pub(crate) fn wind_up(&mut self, shared: &mut Shared, data: Option<Value>) {
        if let (Some(data), Some(turn)) = (data, &mut self.turn) {
            turn.data = data;
        }
        self.void_models(shared);
        self.void_calls(shared, |_| true, true);
        self.decisions.retain(|decision| !decision.falls(|_| false));
    }
}
