//! Triggers as JSON: why the worker is asked, in the protocol's words.

use serde_json::{Map, Value, json};

use super::super::actions::reply_message;
use super::super::body::DraftMessage;
use super::super::calls::{Call, CallStatus};
use super::super::check::{self, Arguments};
use super::super::decisions::{News, Submission, Trigger};
use super::super::ids::wire_time;
use super::super::session::Session;
use super::super::shared::Shared;

impl Session {
    pub(super) fn trigger_json(&self, shared: &Shared, trigger: &Trigger) -> Value {
        let mut fields = match trigger {
            Trigger::SessionStart => json!({}),
            Trigger::Submitted(submission) => self.submission_json(submission),
            Trigger::ModelFinished { reply: Ok(reply), call, .. } => json!({
                "id": call,
                "ok": true,
                "message": with_id(reply_message(reply), call),
                "truncated": false,
            }),
            Trigger::ModelFinished { reply: Err(error), call, .. } => {
                json!({ "id": call, "ok": false, "truncated": false, "error": error })
            }
            Trigger::ToolExecute { call, attempt } => self.execute_json(shared, call, *attempt),
            Trigger::ToolFinished { call } => self.call(call).map(finished_json).unwrap_or_default(),
            Trigger::SubagentFinished { call } => self.call(call).map(subagent_json).unwrap_or_default(),
            Trigger::Idle => self.turn_json(),
            Trigger::InterruptResumed { interrupt, payload } => {
                json!({ "interrupt_id": interrupt, "payload": payload })
            }
        };
        if let Value::Object(fields) = &mut fields {
            let name = match trigger {
                // The log says what the engine noticed, the protocol what the worker is told.
                Trigger::Submitted(Submission { news: News::Append(_) | News::View(_), .. }) => {
                    "client.messages"
                }
                Trigger::Idle => "turn.finished",
                other => other.name(shared.config.switches.subagent_prefix),
            };
            fields.insert("type".to_owned(), json!(name));
        }
        fields
    }

    fn submission_json(&self, submission: &Submission) -> Value {
        let (messages, new_from) = match &submission.news {
            News::Action { name, args } => {
                let mut fields = Map::new();
                fields.insert("name".to_owned(), json!(name));
                if !args.is_null() {
                    fields.insert("args".to_owned(), args.clone());
                }
                return Value::Object(fields);
            }
            News::View(view) => (drafts(view), self.tree.fit(view).shared_length),
            News::Append(new) => {
                let branch = self.tree.branch();
                let known = branch.len();
                (branch.into_iter().cloned().chain(drafts(new)).collect(), known)
            }
        };
        let mut client = match &submission.context {
            Value::Object(rest) => rest.clone(),
            _ => Map::new(),
        };
        if !submission.tools.is_empty() {
            client.insert("tools".to_owned(), json!(submission.tools));
        }
        json!({ "messages": messages, "new_from": new_from, "client": client })
    }

    fn execute_json(&self, shared: &Shared, id: &str, attempt: u32) -> Value {
        let Some(call) = self.call(id) else { return json!({ "id": id }) };
        let tool = self.tools.iter().find(|tool| tool.name == call.name);
        let input = match check::arguments(tool.and_then(|tool| tool.input.as_ref()), &call.arguments) {
            Arguments::Valid { text } => json!({ "status": "valid", "value": value_of(&text) }),
            Arguments::Invalid { text, error } => {
                json!({ "status": "invalid", "value": value_of(&text), "error": error })
            }
            Arguments::Malformed { error } => json!({ "status": "malformed", "error": error }),
        };
        let mut fields = json!({
            "id": id,
            "name": call.name,
            "arguments": call.arguments,
            "input": input,
            "attempt": attempt.saturating_add(shared.config.switches.attempt_base),
        });
        if let (Some(deadline), Value::Object(fields)) = (call.deadline, &mut fields) {
            fields.insert("deadline".to_owned(), json!(wire_time(deadline)));
        }
        fields
    }

    fn turn_json(&self) -> Value {
        let turn = self.turn.as_ref();
        json!({
            "turn_id": turn.map(|turn| &turn.id),
            "data": turn.map(|turn| &turn.data),
            "cost": "0",
            "usage": {
                "input": 0,
                "output": 0,
                "uncached_input": 0,
                "cache_read": 0,
                "cache_write": 0,
                "total": 0,
            },
        })
    }
}

fn finished_json(call: &Call) -> Value {
    let stored = call.outcome.as_ref().map(|outcome| &outcome.stored);
    // A result that says it is an error is a result all the same.
    let ok = call.status == CallStatus::Completed;
    let field = if ok { "result" } else { "error" };
    json!({ "id": call.id, "name": call.name, "ok": ok, field: stored })
}

fn subagent_json(call: &Call) -> Value {
    let mut fields = finished_json(call);
    if let (Value::Object(fields), Some(delegation)) = (&mut fields, &call.delegation) {
        fields.remove("name");
        fields.insert("agent_id".to_owned(), json!(call.name));
        fields.insert("session_id".to_owned(), json!(delegation.child));
    }
    fields
}

fn drafts(messages: &[DraftMessage]) -> Vec<Value> {
    messages.iter().map(|message| json!(message)).collect()
}

fn value_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

pub(super) fn with_id(mut message: Value, id: &str) -> Value {
    if let Value::Object(fields) = &mut message {
        fields.insert("id".to_owned(), json!(id));
    }
    message
}
