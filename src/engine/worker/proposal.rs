//! What the engine proposes, as the JSON a worker may return unchanged.
//!
//! Made from the very actions the built-in worker would apply. A head that a page's view moves is not in it:
//! the protocol has no word for that, so the engine moves it itself once the answer does anything.

use serde_json::{Map, Value, json};

use super::super::actions::Action;
use super::super::check::{self, Arguments};
use super::super::config::{AgentTool, Handler};
use super::super::decisions::Trigger;
use super::super::result::message_content;
use super::super::script::ScriptInterrupt;
use super::super::session::Session;
use super::super::shared::Shared;
use super::agent::Agent;
use super::triggers::with_id;

/// The parts of a response, as they fill up.
#[derive(Default)]
struct Proposal {
    agent: Option<Value>,
    messages: Vec<Value>,
    actions: Vec<Value>,
}

impl Proposal {
    fn into_json(self) -> Value {
        let mut fields = Map::new();
        if let Some(agent) = self.agent {
            fields.insert("agent".to_owned(), agent);
        }
        for (name, list) in [("messages", self.messages), ("actions", self.actions)] {
            if !list.is_empty() {
                fields.insert(name.to_owned(), Value::Array(list));
            }
        }
        Value::Object(fields)
    }
}

impl Session {
    pub(super) fn proposal(&mut self, shared: &mut Shared, trigger: &Trigger) -> Value {
        let mut proposal = Proposal::default();
        match trigger {
            Trigger::SessionStart => {
                let config = shared.config.agent_of(&self.agent_id);
                proposal.agent = Some(Agent::proposed(config, &self.tools));
                return proposal.into_json();
            }
            Trigger::ToolExecute { call, attempt } => {
                if let Some(error) = self.argument_error(call) {
                    let attempt = attempt.saturating_add(shared.config.switches.attempt_base);
                    proposal.actions.push(json!({
                        "type": "tool.error", "id": call, "attempt": attempt, "error": error, "retryable": false,
                    }));
                }
                return proposal.into_json();
            }
            _ => {}
        }
        let actions = self.propose(shared, trigger.clone());
        let answered =
            |id: &str| actions.iter().any(|action| matches!(action, Action::Answered { call } if call == id));
        let held = self.model_is_busy()
            || self.calls.iter().any(|call| !call.direct && call.awaited() && !answered(&call.id));
        let calls_nothing = !actions
            .iter()
            .any(|action| matches!(action, Action::CallTools { calls, .. } if !calls.is_empty()));
        let ends = matches!(trigger, Trigger::ModelFinished { .. }) && calls_nothing;
        for action in actions {
            self.put(shared, &mut proposal, action, held);
        }
        if ends && proposal.actions.is_empty() {
            proposal.actions.push(json!({ "type": "done" }));
        }
        proposal.into_json()
    }

    /// Why a call of the worker's own tools must not run.
    fn argument_error(&self, id: &str) -> Option<String> {
        let call = self.call(id)?;
        let Some(tool) = self.tools.iter().find(|tool| tool.name == call.name) else {
            return Some(format!("unknown tool: {}", call.name));
        };
        match check::arguments(tool.input.as_ref(), &call.arguments) {
            Arguments::Valid { .. } => None,
            Arguments::Invalid { error, .. } | Arguments::Malformed { error } => {
                Some(format!("invalid tool arguments: {error}"))
            }
        }
    }

    fn put(&self, shared: &Shared, proposal: &mut Proposal, action: Action, held: bool) {
        match action {
            Action::MergeTools(tools) => proposal.agent = self.agent_with(shared, tools),
            Action::Message { id: Some(id), message } => proposal.messages.push(with_id(message, &id)),
            Action::Message { id: None, message } => proposal.messages.push(message),
            Action::Answered { call } => proposal.messages.extend(self.answer_of(&call)),
            Action::CallTools { calls, message_id } => {
                for call in calls {
                    let mut fields = json!({
                        "type": "tool.call", "id": call.id, "name": call.name, "arguments": call.arguments,
                    });
                    let handler = self.handler_of(&call.name, message_id.is_none());
                    let engines_own = self.offers_subagent(shared, &call.name);
                    if let (false, Value::Object(fields)) = (engines_own, &mut fields) {
                        fields.insert("handler".to_owned(), json!(handler));
                    }
                    proposal.actions.push(fields);
                }
            }
            Action::Prompt if !held => proposal.actions.push(json!({ "type": "llm.call" })),
            Action::Interrupt(interrupt) => proposal.actions.push(interrupt_json(interrupt)),
            Action::Done => proposal.actions.push(json!({ "type": "done" })),
            // A fork is the engine's own; a failed model ends the turn by `done`, which the caller adds; the
            // rest is never proposed to somebody else.
            _ => {}
        }
    }

    fn handler_of(&self, name: &str, direct: bool) -> Handler {
        let tool = self.tools.iter().find(|tool| tool.name == name);
        let fallback = if direct && tool.is_none() { Handler::Client } else { Handler::Worker };
        tool.and_then(|tool| tool.handler).unwrap_or(fallback)
    }

    /// The agent in force with the tools a page adds; none if it adds nothing.
    fn agent_with(&self, shared: &Shared, tools: Vec<AgentTool>) -> Option<Value> {
        let new = self.new_tools(shared, tools);
        if new.is_empty() {
            return None;
        }
        let mut agent = match &self.seat.agent {
            Some(agent) => agent.raw.clone(),
            None => Agent::proposed(shared.config.agent_of(&self.agent_id), &[]),
        };
        if let Value::Object(fields) = &mut agent {
            let mut all = self.tools.clone();
            all.extend(new);
            fields.insert("tools".to_owned(), json!(all));
        }
        Some(agent)
    }

    /// The tool message of a call that has ended and is not recorded yet.
    fn answer_of(&self, id: &str) -> Option<Value> {
        let call = self.call(id).filter(|call| call.awaited())?;
        let outcome = call.outcome.as_ref()?;
        let content = message_content(&outcome.rendered, &outcome.stored);
        Some(json!({ "role": "tool", "tool_call_id": id, "content": content }))
    }
}

fn interrupt_json(interrupt: ScriptInterrupt) -> Value {
    let mut fields = json!({
        "type": "interrupt",
        "reason": interrupt.reason,
        "payload": interrupt.payload,
    });
    if let Value::Object(fields) = &mut fields {
        if let Some(id) = interrupt.id {
            fields.insert("interrupt_id".to_owned(), json!(id));
        }
        // Not in the protocol, where a page may always resume; a script can say otherwise.
        if !interrupt.client_may_resume {
            fields.insert("client_may_resume".to_owned(), json!(false));
        }
    }
    fields
}
