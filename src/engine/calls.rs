//! Tool calls: requested, dispatched, settled, voided; what time does to them is in `attempts.rs`.
//!
//! A call is open until it is settled for good or voided, and awaited until its tool message is recorded.
//! Client calls have no timeout and one attempt unless the agent's policy says otherwise.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::Millis;
use super::config::{Handler, RetryPolicy};
use super::decisions::Trigger;
use super::ids::wire_time;
use super::inspect::Settlement;
use super::io::ReplyCall;
use super::result::message_content;
use super::session::Session;
use super::shared::{Errand, Shared, Task};
use super::subagents::Delegation;
use super::switches::Switches;
use super::worker::CallWish;

/// Where a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallStatus {
    /// Requested, not yet dispatched.
    Queued,
    /// Dispatched; may be settled.
    Pending,
    /// Failed and waiting for its next attempt.
    RetryScheduled,
    /// Settled with a result.
    Completed,
    /// Settled with an error, for good.
    Errored,
    /// Abandoned by a fork or a cancel.
    Voided,
}

impl CallStatus {
    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            CallStatus::Queued => "queued",
            CallStatus::Pending => "pending",
            CallStatus::RetryScheduled => "retry_scheduled",
            CallStatus::Completed => "completed",
            CallStatus::Errored => "errored",
            CallStatus::Voided => "voided",
        }
    }

    /// Whether the call may still run.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, CallStatus::Queued | CallStatus::Pending | CallStatus::RetryScheduled)
    }
}

/// How a call ended.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    /// What the model reads.
    pub(crate) rendered: String,
    /// The stored result or the error object.
    pub(crate) stored: Value,
    pub(crate) is_error: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
    pub(crate) handler: Handler,
    /// Counted from 0, whatever the wire says.
    pub(crate) attempt: u32,
    pub(crate) status: CallStatus,
    pub(crate) retry: RetryPolicy,
    /// The schema its arguments should meet, as declared when it was requested.
    pub(crate) input: Option<Value>,
    /// The schema its result must meet.
    pub(crate) output: Option<Value>,
    /// The model reply that made it; none for a call of the worker's own.
    pub(crate) message_id: Option<String>,
    pub(crate) direct: bool,
    /// Set where the call is a sub-agent's: it has no `tool.call.*` events, and nobody else may settle it.
    pub(crate) delegation: Option<Delegation>,
    /// Its tool message is recorded.
    pub(crate) recorded: bool,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) deadline: Option<Millis>,
    /// When the next attempt is due.
    pub(crate) retry_at: Option<Millis>,
    pub(crate) settlements: Vec<Settlement>,
}

impl Call {
    /// Whether the loop still waits for it.
    pub(crate) fn awaited(&self) -> bool {
        self.status != CallStatus::Voided && !self.recorded
    }

    pub(crate) fn settled(&self) -> bool {
        matches!(self.status, CallStatus::Completed | CallStatus::Errored)
    }

    pub(crate) fn failed(&self) -> bool {
        self.outcome.as_ref().is_some_and(|outcome| outcome.is_error)
    }

    fn view(&self, switches: &Switches) -> Value {
        let base = switches.attempt_base;
        if let Some(delegation) = &self.delegation {
            return json!({
                "id": delegation.child,
                "kind": switches.subagent_prefix.word(),
                "status": self.status.name(),
                "attempt": self.attempt.saturating_add(base),
                "agent_id": self.name,
                "tool_call_id": self.id,
            });
        }
        let mut view = json!({
            "id": self.id,
            "kind": "tool_call",
            "status": self.status.name(),
            "attempt": self.attempt.saturating_add(base),
            "name": self.name,
            "arguments": self.arguments,
            "handler": self.handler.name(),
        });
        if let (Some(deadline), Value::Object(fields)) = (self.deadline, &mut view) {
            fields.insert("deadline".to_owned(), json!(wire_time(deadline)));
        }
        view
    }
}

/// An error as a call stores it.
#[derive(Debug)]
pub(crate) struct CallError {
    pub(crate) message: String,
    pub(crate) code: Cow<'static, str>,
    pub(crate) param: Option<&'static str>,
    /// Anything more there is to say.
    pub(crate) detail: Option<Value>,
}

impl CallError {
    pub(crate) fn new(message: String, code: &'static str) -> CallError {
        CallError { message, code: Cow::Borrowed(code), param: None, detail: None }
    }
}

impl Session {
    pub(crate) fn call(&self, id: &str) -> Option<&Call> {
        self.calls.iter().find(|call| call.id == id)
    }

    pub(crate) fn call_mut(&mut self, id: &str) -> Option<&mut Call> {
        self.calls.iter_mut().find(|call| call.id == id)
    }

    pub(crate) fn open_call_views(&self, switches: &Switches) -> Vec<Value> {
        let open = self.calls.iter().filter(|call| call.status.is_open());
        open.map(|call| call.view(switches)).collect()
    }

    /// Requests a call of a model's reply, or of the worker's own, and gives its id.
    pub(crate) fn request_call(
        &mut self,
        shared: &mut Shared,
        asked: ReplyCall,
        message_id: Option<String>,
        wish: &CallWish,
    ) -> String {
        let direct = message_id.is_none();
        let delegation = self.delegation(shared, &asked);
        let tool = self.tools.iter().find(|tool| tool.name == asked.name);
        let fallback = if direct && tool.is_none() { Handler::Client } else { Handler::Worker };
        let declared = tool.and_then(|tool| tool.handler).unwrap_or(fallback);
        let handler = if delegation.is_some() { Handler::Server } else { wish.handler.unwrap_or(declared) };
        let id = self.free_call_id(shared, asked.id);
        let retry = match delegation {
            Some(_) => RetryPolicy::default(),
            None => wish.retry.over(self.tool_policy(shared)),
        };
        let call = Call {
            id: id.clone(),
            name: asked.name,
            arguments: asked.arguments,
            handler,
            attempt: 0,
            status: CallStatus::Queued,
            retry,
            input: tool.and_then(|tool| tool.input.clone()),
            output: tool.and_then(|tool| tool.output.clone()),
            message_id,
            direct,
            delegation,
            recorded: false,
            outcome: None,
            deadline: None,
            retry_at: None,
            settlements: Vec::new(),
        };
        self.calls.push(call);
        self.announce_call(shared, &id);
        if let Some(seconds) = retry.total_timeout_secs {
            let task = Task::TotalTimeout { call: id.clone() };
            shared.wake_session(&self.id, seconds.saturating_mul(1000), task);
        }
        id
    }

    /// The wished id, or a new one where it is missing or taken.
    pub(crate) fn free_call_id(&self, shared: &mut Shared, wished: Option<String>) -> String {
        let free = wished.filter(|id| !id.is_empty() && self.call(id).is_none());
        free.unwrap_or_else(|| shared.ids.short("call_"))
    }

    pub(crate) fn announce_call(&mut self, shared: &mut Shared, id: &str) {
        let base = shared.config.switches.attempt_base;
        let Some(call) = self.call(id) else { return };
        if call.delegation.is_some() {
            return self.record_subagent(shared, id, "requested", None);
        }
        let (attempt, queue_timeout) = (call.attempt, call.retry.queue_timeout_secs);
        let fields = json!({
            "id": call.id,
            "attempt": attempt.saturating_add(base),
            "name": call.name,
            "arguments": call.arguments,
            "handler": call.handler.name(),
            "retry": call.retry,
        });
        self.record(shared, "tool.call.requested", fields);
        if let Some(seconds) = queue_timeout {
            let task = Task::QueueTimeout { call: id.to_owned(), attempt };
            shared.wake_session(&self.id, seconds.saturating_mul(1000), task);
        }
    }

    pub(crate) fn dispatch_soon(&mut self, shared: &mut Shared, id: &str, attempt: u32) {
        match shared.config.dispatch_delay_ms {
            0 => self.dispatch_call(shared, id, attempt),
            span => {
                let task = Task::Dispatch { call: id.to_owned(), attempt };
                shared.wake_session(&self.id, span, task);
            }
        }
    }

    pub(crate) fn dispatch_call(&mut self, shared: &mut Shared, id: &str, attempt: u32) {
        let now = shared.now;
        let Some(call) = self.call_mut(id) else { return };
        if call.status != CallStatus::Queued || call.attempt != attempt {
            return;
        }
        call.status = CallStatus::Pending;
        if call.delegation.is_some() {
            self.record_subagent(shared, id, "dispatched", None);
            let errand = Errand::Start { parent: self.id.clone(), call: id.to_owned() };
            return shared.errands.push_back(errand);
        }
        let handler = call.handler;
        let timeout = call.retry.run_timeout_secs.map(|seconds| seconds.saturating_mul(1000));
        call.deadline = timeout.map(|span| now.plus(Millis(span)));
        let base = shared.config.switches.attempt_base;
        let fields = json!({ "id": id, "attempt": attempt.saturating_add(base) });
        self.record(shared, "tool.call.dispatched", fields);
        if let Some(span) = timeout {
            let task = Task::RunTimeout { call: id.to_owned(), attempt };
            shared.wake_session(&self.id, span, task);
        }
        if handler != Handler::Client {
            self.enqueue(shared, Trigger::ToolExecute { call: id.to_owned(), attempt });
        }
    }

    /// Ends a call with a result.
    pub(crate) fn complete_call(&mut self, shared: &mut Shared, id: &str, outcome: Outcome) {
        let Some(call) = self.call_mut(id) else { return };
        call.status = CallStatus::Completed;
        let fields = json!({ "id": id, "name": call.name, "result": outcome.stored });
        call.outcome = Some(outcome);
        self.record(shared, "tool.call.completed", fields);
    }

    /// Ends an attempt with an error; the policy decides whether another follows.
    pub(crate) fn fail_call(&mut self, shared: &mut Shared, id: &str, error: CallError, retryable: bool) {
        let latency = shared.config.retry_latency_ms;
        let now = shared.now;
        let Some(call) = self.call_mut(id) else { return };
        let again = retryable && call.attempt.saturating_add(1) < call.retry.max_attempts;
        let mut stored = Map::new();
        stored.insert("message".to_owned(), json!(error.message));
        stored.insert("code".to_owned(), json!(error.code));
        if let Some(param) = error.param {
            stored.insert("param".to_owned(), json!(param));
        }
        if let Some(detail) = error.detail {
            stored.insert("detail".to_owned(), detail);
        }
        let stored = Value::Object(stored);
        let fields = json!({
            "id": id,
            "name": call.name,
            "retryable": retryable,
            "error": stored,
        });
        call.deadline = None;
        if again {
            call.status = CallStatus::RetryScheduled;
            let span = call.retry.backoff_ms(call.attempt).saturating_add(latency);
            call.retry_at = Some(now.plus(Millis(span)));
            let task = Task::Retry { call: id.to_owned(), attempt: call.attempt };
            shared.wake_session(&self.id, span, task);
            self.record(shared, "tool.call.errored", fields);
        } else {
            call.status = CallStatus::Errored;
            call.outcome = Some(Outcome { rendered: error.message, stored, is_error: true });
            self.record(shared, "tool.call.errored", fields);
            self.enqueue(shared, Trigger::ToolFinished { call: id.to_owned() });
        }
    }

    /// Voids the open calls that `doomed` picks, and forgets answers that nobody will read.
    pub(crate) fn void_calls(&mut self, shared: &mut Shared, doomed: impl Fn(&Call) -> bool, announce: bool) {
        let picked: Vec<String> = self
            .calls
            .iter()
            .filter(|call| call.awaited() && doomed(call))
            .map(|call| call.id.clone())
            .collect();
        for id in picked {
            let Some(call) = self.call_mut(&id) else { continue };
            if !call.status.is_open() {
                call.recorded = true;
                continue;
            }
            call.status = CallStatus::Voided;
            let mut told = json!({ "kind": "tool_call", "id": id });
            if let Some(delegation) = &call.delegation {
                let child = delegation.child.clone();
                told = json!({ "kind": shared.config.switches.subagent_prefix.word(), "id": child });
                shared.errands.push_back(Errand::Stop { child, parent: self.id.clone(), call: id });
            }
            if announce {
                self.record(shared, "call.voided", told);
            }
        }
    }

    /// Records the tool message of a settled call, once.
    pub(crate) fn add_answer(&mut self, shared: &mut Shared, id: &str) {
        let Some(call) = self.call_mut(id) else { return };
        let Some(outcome) = &call.outcome else { return };
        if call.recorded || call.status == CallStatus::Voided {
            return;
        }
        let content = message_content(&outcome.rendered, &outcome.stored);
        call.recorded = true;
        let message = json!({ "role": "tool", "tool_call_id": id, "content": content });
        self.add_message(shared, None, message);
    }
}
