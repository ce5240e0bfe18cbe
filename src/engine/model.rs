//! Model requests: scripted or external, streamed in deltas under virtual time, tried again, voided.
//!
//! A delta is for show: nothing is recorded until the reply is whole. A late word about a request that is
//! over is dropped.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::config::ModelSource;
use super::decisions::Trigger;
use super::io::{ModelDelta, ModelFailure, ModelReply, Output, ReplyCall};
use super::script::ScriptInterrupt;
use super::session::Session;
use super::shared::{Shared, Task};
use super::stream;
use super::worker::ModelWish;

/// Letters of arguments that go into one delta.
const ARGUMENT_PIECE: usize = 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Requested,
    Running,
    RetryScheduled,
    Over,
}

#[derive(Debug)]
pub(crate) struct ModelCall {
    id: String,
    attempt: u32,
    state: State,
    stream: bool,
    pieces: VecDeque<ModelDelta>,
    /// Number of the next delta of this attempt.
    delta_seq: u64,
    reply: Option<ModelReply>,
    interrupt: Option<ScriptInterrupt>,
    /// What an external worker asks of this request.
    wish: ModelWish,
}

impl ModelCall {
    /// How a request in flight is told to a worker.
    pub(crate) fn view(&self, base: u32) -> Option<Value> {
        let status = match self.state {
            State::Requested => "queued",
            State::Running => "pending",
            State::RetryScheduled => "retry_scheduled",
            State::Over => return None,
        };
        Some(json!({
            "id": self.id,
            "kind": "llm_call",
            "status": status,
            "attempt": self.attempt.saturating_add(base),
            "stream": self.stream,
        }))
    }
}

impl Session {
    pub(crate) fn model_is_busy(&self) -> bool {
        self.model_calls.iter().any(|call| call.state != State::Over)
    }

    /// Whether this session has that model request in flight.
    pub(crate) fn asks_model(&self, id: &str) -> bool {
        self.model_calls.iter().any(|call| call.id == id && call.state == State::Running)
    }

    fn model_call(&mut self, id: &str, attempt: u32, state: State) -> Option<&mut ModelCall> {
        let found = self.model_calls.iter_mut().find(|call| call.id == id);
        found.filter(|call| call.attempt == attempt && call.state == state)
    }

    /// Requests a reply and gives the request's id.
    pub(crate) fn request_model(&mut self, shared: &mut Shared, wish: ModelWish) -> String {
        let wished = wish.id.clone().filter(|id| !self.model_calls.iter().any(|call| call.id == *id));
        let id = wished.unwrap_or_else(|| shared.ids.short("llm-"));
        let asked = self.turn.as_ref().is_some_and(|turn| turn.stream);
        let asked = asked || shared.config.agent_of(&self.agent_id).stream || self.seat.streams();
        self.model_calls.push(ModelCall {
            id: id.clone(),
            attempt: 0,
            state: State::Requested,
            stream: wish.stream.unwrap_or(asked),
            pieces: VecDeque::new(),
            delta_seq: 0,
            reply: None,
            interrupt: None,
            wish,
        });
        self.announce_model(shared, &id, 0);
        id
    }

    fn announce_model(&mut self, shared: &mut Shared, id: &str, attempt: u32) {
        let attempt = attempt.saturating_add(shared.config.switches.attempt_base);
        self.record(shared, "llm.call.requested", json!({ "id": id, "attempt": attempt }));
    }

    pub(crate) fn dispatch_model(&mut self, shared: &mut Shared, id: &str) {
        let Some(call) = self.model_calls.iter_mut().find(|call| call.id == id) else { return };
        if call.state != State::Requested {
            return;
        }
        call.state = State::Running;
        let (attempt, streamed, wish) = (call.attempt, call.stream, call.wish.clone());
        let shown = attempt.saturating_add(shared.config.switches.attempt_base);
        self.record(shared, "llm.call.dispatched", json!({ "id": id, "attempt": shown }));
        if let Some(seconds) = wish.retry.over(self.model_policy(shared)).run_timeout_secs {
            let task = Task::ModelTimeout { call: id.to_owned(), attempt };
            shared.wake_session(&self.id, seconds.saturating_mul(1000), task);
        }
        match shared.config.model {
            ModelSource::External => shared.outputs.push_back(Output::ModelAsked {
                call: id.to_owned(),
                session_id: self.id.clone(),
                agent: self.agent_id.clone(),
                system: self.seat.agent_text("system").filter(|_| wish.messages.is_none()),
                messages: wish.messages.unwrap_or_else(|| self.tree.branch().into_iter().cloned().collect()),
                tools: wish.tools.unwrap_or_else(|| self.offered_tools(shared)),
                stream: streamed,
                model: wish.model.or_else(|| self.seat.agent_text("model")),
            }),
            ModelSource::Script => self.ask_script(shared, id, attempt),
        }
    }

    fn ask_script(&mut self, shared: &mut Shared, id: &str, attempt: u32) {
        let scene = self.scene();
        let chosen = shared.config.script_of(&self.agent_id).choose(&scene, &mut self.script);
        if let Some(turn) = &mut self.turn {
            turn.action = None;
        }
        let reply = self.with_call_ids(shared, chosen.render(&scene));
        let Some(call) = self.model_call(id, attempt, State::Running) else { return };
        call.pieces = if call.stream { pieces(&reply) } else { VecDeque::new() };
        call.reply = Some(reply);
        call.interrupt = chosen.interrupt;
        let span = shared.config.delta_interval_ms.saturating_add(chosen.delay_ms);
        let task = Task::ModelStep { call: id.to_owned(), attempt };
        shared.wake_session(&self.id, span, task);
    }

    /// Gives every call of a reply an id of its own, before anybody sees a part of it.
    fn with_call_ids(&self, shared: &mut Shared, mut reply: ModelReply) -> ModelReply {
        let mut taken: Vec<String> = Vec::new();
        for call in &mut reply.tool_calls {
            let wished = call.id.take().filter(|id| !taken.contains(id));
            let id = self.free_call_id(shared, wished);
            taken.push(id.clone());
            call.id = Some(id);
        }
        reply
    }

    /// The next delta is due, or the whole reply.
    pub(crate) fn model_step(&mut self, shared: &mut Shared, id: &str, attempt: u32) {
        let Some(call) = self.model_call(id, attempt, State::Running) else { return };
        if let Some(piece) = call.pieces.pop_front() {
            self.send_delta(shared, id, &piece);
            let task = Task::ModelStep { call: id.to_owned(), attempt };
            shared.wake_session(&self.id, shared.config.delta_interval_ms, task);
            return;
        }
        let reply = call.reply.take().unwrap_or_default();
        self.finish_model(shared, id, reply);
    }

    pub(crate) fn external_delta(&mut self, shared: &mut Shared, id: &str, delta: ModelDelta) {
        self.send_delta(shared, id, &delta);
    }

    pub(crate) fn external_reply(&mut self, shared: &mut Shared, id: &str, reply: ModelReply) {
        let reply = self.with_call_ids(shared, reply);
        self.finish_model(shared, id, reply);
    }

    fn send_delta(&mut self, shared: &mut Shared, id: &str, piece: &ModelDelta) {
        let turn = self.started_turn().map(str::to_owned);
        let agent = self.agent_id.clone();
        let session = self.id.clone();
        let Some(call) = self.model_calls.iter_mut().find(|call| call.id == id) else { return };
        call.delta_seq += 1;
        let calls = piece
            .tool_calls
            .iter()
            .map(|call| json!({ "id": call.id, "name": call.name, "arguments": call.arguments }));
        let calls: Vec<Value> = calls.collect();
        let data = json!({
            "type": "llm.token.delta",
            "session_id": session,
            "agent_id": agent,
            "turn_id": turn,
            "call_id": id,
            "attempt": call.attempt.saturating_add(shared.config.switches.attempt_base),
            "seq": call.delta_seq,
            "text": piece.text,
            "reasoning": null,
            "tool_calls": if calls.is_empty() { Value::Null } else { Value::Array(calls) },
            "finish_reason": piece.finish_reason,
        });
        stream::publish_delta(shared, &session, turn.as_deref(), &data);
    }

    fn finish_model(&mut self, shared: &mut Shared, id: &str, reply: ModelReply) {
        if let Some(failure) = reply.error {
            return self.fail_model(shared, id, failure);
        }
        let Some(call) = self.model_calls.iter_mut().find(|call| call.id == id) else { return };
        call.state = State::Over;
        let interrupt = call.interrupt.take();
        self.record(shared, "llm.call.completed", json!({ "id": id }));
        let trigger = Trigger::ModelFinished { reply: Ok(reply), call: id.to_owned(), interrupt };
        self.enqueue(shared, trigger);
        self.pump(shared);
    }

    fn fail_model(&mut self, shared: &mut Shared, id: &str, failure: ModelFailure) {
        let policy = self.model_policy(shared);
        let latency = shared.config.retry_latency_ms;
        let Some(call) = self.model_calls.iter_mut().find(|call| call.id == id) else { return };
        let attempt = call.attempt;
        let policy = call.wish.retry.over(policy);
        let again = failure.retryable && attempt.saturating_add(1) < policy.max_attempts;
        call.state = if again { State::RetryScheduled } else { State::Over };
        call.pieces.clear();
        let error = json!({ "message": failure.message, "code": failure.code });
        let fields = json!({ "id": id, "retryable": failure.retryable, "error": error });
        self.record(shared, "llm.call.errored", fields);
        if again {
            let span = policy.backoff_ms(attempt).saturating_add(latency);
            let task = Task::ModelRetry { call: id.to_owned(), attempt };
            shared.wake_session(&self.id, span, task);
        } else {
            let call = id.to_owned();
            let trigger = Trigger::ModelFinished { reply: Err(error), call, interrupt: None };
            self.enqueue(shared, trigger);
            self.pump(shared);
        }
    }

    pub(crate) fn model_timeout(&mut self, shared: &mut Shared, id: &str, attempt: u32) {
        if self.model_call(id, attempt, State::Running).is_some() {
            let message = "the model did not answer in time".to_owned();
            let code = "deadline_exceeded".to_owned();
            self.fail_model(shared, id, ModelFailure { message, code, retryable: true });
        }
    }

    pub(crate) fn retry_model(&mut self, shared: &mut Shared, id: &str, attempt: u32) {
        let Some(call) = self.model_call(id, attempt, State::RetryScheduled) else { return };
        call.attempt = attempt.saturating_add(1);
        call.state = State::Requested;
        call.delta_seq = 0;
        self.announce_model(shared, id, attempt.saturating_add(1));
        self.dispatch_model(shared, id);
    }

    /// Gives up all model requests in flight.
    pub(crate) fn void_models(&mut self, shared: &mut Shared) {
        let busy = self.model_calls.iter_mut().filter(|call| call.state != State::Over);
        let ids: Vec<String> = busy
            .map(|call| {
                call.state = State::Over;
                call.id.clone()
            })
            .collect();
        for id in ids {
            self.record(shared, "call.voided", json!({ "kind": "llm_call", "id": id }));
        }
    }
}

/// A reply cut into the deltas a provider would send.
fn pieces(reply: &ModelReply) -> VecDeque<ModelDelta> {
    let mut pieces = VecDeque::new();
    if reply.error.is_some() {
        return pieces;
    }
    for word in reply.text.iter().flat_map(|text| text.split_inclusive(' ')) {
        pieces.push_back(ModelDelta { text: Some(word.to_owned()), ..ModelDelta::default() });
    }
    for call in &reply.tool_calls {
        let letters: Vec<char> = call.arguments.chars().collect();
        let mut parts = letters.chunks(ARGUMENT_PIECE).map(|part| part.iter().collect::<String>());
        let first = parts.next().unwrap_or_default();
        for arguments in std::iter::once(first).chain(parts) {
            let part = ReplyCall { id: call.id.clone(), name: call.name.clone(), arguments };
            pieces.push_back(ModelDelta { tool_calls: vec![part], ..ModelDelta::default() });
        }
    }
    let reason = if reply.tool_calls.is_empty() { "stop" } else { "tool_calls" };
    let finish_reason = Some(reason.to_owned());
    pieces.push_back(ModelDelta { finish_reason, ..ModelDelta::default() });
    pieces
}
