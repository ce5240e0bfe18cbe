//! The worker's seat, taken by the host: each decision goes out as a request and waits for its answer.
//!
//! One decision of a session is out at a time. An answer that cannot be read, a failure and a silence all count
//! as a failed attempt; after the last one the turn ends as it does when the built-in worker fails. JSON has
//! its own files: `request.rs`, `triggers.rs` and `proposal.rs` write it, `response.rs` and `agent.rs` read it.
//! Nothing here knows how a request travels.

mod agent;
mod apply;
mod proposal;
mod request;
mod response;
mod triggers;

use serde_json::Value;

use super::Millis;
use super::config::{AgentTool, Handler, RetryPolicy};
use super::decisions::Trigger;
use super::io::Output;
use super::session::Session;
use super::shared::{Shared, Task};

pub(crate) use agent::{Agent, RetryPatch};
pub(crate) use apply::Ending;

/// What a session remembers of an external worker.
#[derive(Debug, Default)]
pub(crate) struct Seat {
    /// The worker's own state, as it wrote it.
    state: Value,
    /// The agent's configuration in force; none until the worker has set one.
    agent: Option<Agent>,
    /// An answer is being applied: nothing else is decided meanwhile.
    pub(crate) applying: bool,
}

impl Seat {
    /// Whether the agent in force wants token deltas.
    pub(crate) fn streams(&self) -> bool {
        self.agent.as_ref().and_then(|agent| agent.raw.get("stream")?.as_bool()).unwrap_or(false)
    }

    /// A text of the agent in force.
    pub(crate) fn agent_text(&self, field: &str) -> Option<String> {
        self.agent.as_ref().and_then(|agent| agent.raw.get(field)?.as_str()).map(str::to_owned)
    }
}

/// What a worker asks of one model request; whatever it leaves out is the agent's.
#[derive(Debug, Clone, Default)]
pub(crate) struct ModelWish {
    pub(crate) id: Option<String>,
    pub(crate) stream: Option<bool>,
    pub(crate) model: Option<String>,
    /// Instead of the conversation and the system prompt.
    pub(crate) messages: Option<Vec<Value>>,
    pub(crate) tools: Option<Vec<AgentTool>>,
    pub(crate) retry: RetryPatch,
}

/// What a worker asks of one tool call.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallWish {
    pub(crate) handler: Option<Handler>,
    pub(crate) retry: RetryPatch,
}

impl Session {
    /// Whether the worker has that decision in hand.
    pub(crate) fn has_in_hand(&self, decision: &str) -> bool {
        self.deciding.as_ref().is_some_and(|deciding| deciding.id == decision)
    }

    fn attempt_in_hand(&self) -> Option<u32> {
        self.deciding.as_ref().map(|deciding| deciding.attempt.saturating_add(1))
    }

    /// Puts the decision in hand to the host.
    pub(crate) fn ask_worker(&mut self, shared: &mut Shared) {
        let Some(decision) = self.deciding.clone() else { return };
        let attempt = decision.attempt.saturating_add(1);
        let span = shared.config.worker_timeout_ms;
        let deadline = shared.now.plus(Millis(span));
        let request = self.decision_request(shared, &decision, deadline).to_string();
        let task = Task::WorkerTimeout { decision: decision.id.clone(), attempt };
        shared.wake_session(&self.id, span, task);
        shared.outputs.push_back(Output::WorkerAsked { decision: decision.id, attempt, request });
    }

    /// The answer to the decision in hand; `text` is its JSON.
    pub(crate) fn worker_replied(&mut self, shared: &mut Shared, attempt: u32, text: &str) {
        if self.attempt_in_hand() != Some(attempt) {
            return;
        }
        let Some(decision) = self.deciding.clone() else { return };
        match self.read_response(shared, &decision.trigger, text) {
            Err(problem) => self.decision_failed(shared, Some(problem)),
            Ok(actions) => {
                self.deciding = None;
                self.record_decision(shared, "decision.completed", &decision, None);
                if matches!(decision.trigger, Trigger::SessionStart) {
                    // What the configuration lists was the proposal; only what the worker says is in force.
                    self.tools.clear();
                }
                self.seat.applying = true;
                self.apply(shared, actions);
                self.seat.applying = false;
                // A turn that is over stays over, unless the worker has started something.
                if matches!(decision.trigger, Trigger::Idle) && !self.is_busy(shared) {
                    self.complete_turn(shared);
                }
                self.settle_down(shared);
            }
        }
        self.pump(shared);
    }

    /// The worker failed at the decision in hand.
    pub(crate) fn worker_failed(&mut self, shared: &mut Shared, attempt: u32, message: &str) {
        if self.attempt_in_hand() == Some(attempt) {
            self.decision_failed(shared, Some(message.to_owned()));
            self.pump(shared);
        }
    }

    /// Too long a silence. The caller pumps.
    pub(crate) fn worker_timeout(&mut self, shared: &mut Shared, decision: &str, attempt: u32) {
        if self.has_in_hand(decision) && self.attempt_in_hand() == Some(attempt) {
            let span = shared.config.worker_timeout_ms;
            self.decision_failed(shared, Some(format!("it did not answer within {span} ms")));
        }
    }

    /// The retry policy of a tool call.
    pub(crate) fn tool_policy(&self, shared: &Shared) -> RetryPolicy {
        match &self.seat.agent {
            Some(agent) => agent.retry.for_tool(),
            None => shared.config.agent_of(&self.agent_id).retry.for_tool(),
        }
    }

    /// The retry policy of a model request.
    pub(crate) fn model_policy(&self, shared: &Shared) -> RetryPolicy {
        match &self.seat.agent {
            Some(agent) => agent.retry.for_model(),
            None => shared.config.agent_of(&self.agent_id).retry.for_model(),
        }
    }
}
