//! The worker's loop: triggers queue up, one at a time is decided, its actions are applied.
//!
//! The built-in worker always takes what the engine proposes. A worker seat would stand between
//! [`Session::propose`] and [`Session::apply`].

use serde_json::{Value, json};

use super::body::DraftMessage;
use super::config::{AgentTool, Handler, WorkerAnswer};
use super::interrupts::Raise;
use super::io::{ModelReply, ReplyCall};
use super::script::{Scene, ScriptInterrupt};
use super::session::{Session, Turn};
use super::shared::{Shared, Task};

/// How often a decision is tried.
const DECISION_ATTEMPTS: u32 = 2;

/// An accepted submit: one turn to come.
#[derive(Debug, Clone)]
pub(crate) struct Submission {
    pub(crate) turn_id: String,
    pub(crate) stream: bool,
    pub(crate) news: News,
    pub(crate) tools: Vec<AgentTool>,
    /// Its `decision.queued` is recorded already.
    pub(crate) announced: Option<String>,
}

/// What a submit brings.
#[derive(Debug, Clone)]
pub(crate) enum News {
    /// Messages for the head.
    Append(Vec<DraftMessage>),
    /// The whole conversation as the page sees it.
    View(Vec<DraftMessage>),
    /// A named action.
    Action { name: String },
}

/// Why the worker is asked.
#[derive(Debug, Clone)]
pub(crate) enum Trigger {
    SessionStart,
    Submitted(Submission),
    ModelFinished { reply: Result<ModelReply, Value>, call: String, interrupt: Option<ScriptInterrupt> },
    ToolExecute { call: String, attempt: u32 },
    ToolFinished { call: String },
    Idle,
    InterruptResumed,
}

impl Trigger {
    fn name(&self) -> &'static str {
        match self {
            Trigger::SessionStart => "session.start",
            Trigger::Submitted(Submission { news: News::Action { .. }, .. }) => "client.action",
            Trigger::Submitted(_) => "messages.new",
            Trigger::ModelFinished { .. } => "llm.finished",
            Trigger::ToolExecute { .. } => "tool.execute",
            Trigger::ToolFinished { .. } => "tool.finished",
            Trigger::Idle => "turn.idle",
            Trigger::InterruptResumed => "interrupt.resumed",
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Decision {
    id: String,
    trigger: Trigger,
    attempt: u32,
}

impl Decision {
    /// Whether it falls with a fork: a model's reply to the old branch, or a call that is no longer awaited.
    pub(crate) fn falls(&self, awaited: impl Fn(&str) -> bool) -> bool {
        match &self.trigger {
            Trigger::ModelFinished { .. } => true,
            Trigger::ToolExecute { call, .. } | Trigger::ToolFinished { call } => !awaited(call),
            _ => false,
        }
    }
}

/// What a decision makes happen.
#[derive(Debug)]
enum Action {
    MergeTools(Vec<AgentTool>),
    Announce,
    Fork(Option<String>),
    Message { id: Option<String>, message: Value },
    Answered { call: String },
    CallTools { calls: Vec<ReplyCall>, message_id: Option<String> },
    Prompt,
    Settle { call: String, attempt: u32, answer: WorkerAnswer },
    Interrupt(ScriptInterrupt),
    Fail(Value),
    Done,
}

impl Session {
    /// Queues a decision.
    pub(crate) fn enqueue(&mut self, shared: &mut Shared, trigger: Trigger) {
        let decision = Decision { id: shared.ids.short("dec-"), trigger, attempt: 0 };
        self.record_decision(shared, "decision.queued", &decision);
        self.decisions.push_back(decision);
    }

    fn record_decision(&mut self, shared: &mut Shared, name: &str, decision: &Decision) {
        let fields = json!({ "id": decision.id, "trigger": decision.trigger.name() });
        self.record(shared, name, fields);
    }

    /// Takes up a submit as a new turn.
    pub(crate) fn begin_turn(&mut self, shared: &mut Shared, mut submission: Submission) {
        let action = match &submission.news {
            News::Action { name, .. } => Some(name.clone()),
            _ => None,
        };
        self.turn = Some(Turn {
            id: submission.turn_id.clone(),
            stream: submission.stream,
            started: true,
            action,
            error: None,
        });
        self.done = false;
        let fields = json!({ "turn_id": submission.turn_id });
        self.record(shared, "turn.started", fields);
        match submission.announced.take() {
            None => self.enqueue(shared, Trigger::Submitted(submission)),
            Some(id) => {
                let trigger = Trigger::Submitted(submission);
                self.decisions.push_back(Decision { id, trigger, attempt: 0 });
            }
        }
    }

    /// Queues a submit behind the running turn; its decision is announced at once.
    pub(crate) fn queue_turn(&mut self, shared: &mut Shared, mut submission: Submission) {
        let trigger = Trigger::Submitted(submission.clone());
        let decision = Decision { id: shared.ids.short("dec-"), trigger, attempt: 0 };
        self.record_decision(shared, "decision.queued", &decision);
        submission.announced = Some(decision.id);
        self.waiting.push_back(submission);
    }

    /// Decides as long as there is something to decide.
    pub(crate) fn pump(&mut self, shared: &mut Shared) {
        while !self.is_interrupted() && self.deciding.is_none() {
            let Some(decision) = self.decisions.pop_front() else { return };
            self.dispatch_decision(shared, decision);
        }
    }

    fn dispatch_decision(&mut self, shared: &mut Shared, decision: Decision) {
        self.record_decision(shared, "decision.dispatched", &decision);
        let id = decision.id.clone();
        self.deciding = Some(decision);
        match shared.config.decision_ms {
            0 => self.decide(shared, &id),
            span => shared.wake_session(&self.id, span, Task::Decide { decision: id }),
        }
    }

    /// The worker answers the decision it has in hand.
    pub(crate) fn decide(&mut self, shared: &mut Shared, id: &str) {
        if self.deciding.as_ref().is_none_or(|decision| decision.id != id) {
            return;
        }
        let Some(mut decision) = self.deciding.take() else { return };
        if shared.faults.decision_fails() {
            self.record_decision(shared, "decision.errored", &decision);
            decision.attempt += 1;
            if decision.attempt < DECISION_ATTEMPTS {
                self.dispatch_decision(shared, decision);
            } else {
                self.give_up(shared);
            }
            return;
        }
        self.record_decision(shared, "decision.completed", &decision);
        let actions = self.propose(shared, decision.trigger);
        self.apply(shared, actions);
        self.settle_down(shared);
    }

    /// The worker cannot be had: the turn ends with an error and nothing of it stays open.
    fn give_up(&mut self, shared: &mut Shared) {
        self.void_models(shared);
        self.void_calls(shared, |_| true, true);
        self.decisions.clear();
        self.fail_turn(json!({ "message": "the worker failed", "code": "worker_unreachable" }));
        self.complete_turn(shared);
        if self.turn.is_none() {
            self.begin_waiting_turn(shared);
        }
    }

    /// The actions the engine suggests for a trigger.
    fn propose(&mut self, shared: &mut Shared, trigger: Trigger) -> Vec<Action> {
        match trigger {
            Trigger::SessionStart => {
                if shared.config.agent.announced { vec![Action::Announce] } else { Vec::new() }
            }
            Trigger::Submitted(submission) => self.propose_news(shared, submission),
            Trigger::ModelFinished { reply: Err(error), .. } => vec![Action::Fail(error)],
            Trigger::ModelFinished { reply: Ok(reply), call, interrupt } => {
                propose_reply(reply, call, interrupt)
            }
            Trigger::ToolExecute { call, attempt } => {
                let name = self.call(&call).map(|found| found.name.clone()).unwrap_or_default();
                let answers = &shared.config.agent.worker.answers;
                let answer = answers.get(&name).cloned().unwrap_or_else(|| WorkerAnswer::Error {
                    message: format!("unknown tool: {name}"),
                    retryable: false,
                });
                vec![Action::Settle { call, attempt, answer }]
            }
            Trigger::ToolFinished { call } => {
                let mut actions = vec![Action::Answered { call }];
                if shared.config.agent.reprompt {
                    actions.push(Action::Prompt);
                }
                actions
            }
            Trigger::InterruptResumed => {
                if self.model_owes_a_reply() { vec![Action::Prompt] } else { Vec::new() }
            }
            Trigger::Idle => vec![Action::Done],
        }
    }

    fn propose_news(&self, shared: &Shared, submission: Submission) -> Vec<Action> {
        let mut actions = vec![Action::MergeTools(submission.tools)];
        let prompts = match &submission.news {
            News::Action { name, .. } => shared.config.script.knows_action(name),
            News::Append(_) | News::View(_) => true,
        };
        let messages = match submission.news {
            News::Action { .. } => Vec::new(),
            News::Append(messages) => messages,
            News::View(mut view) => {
                let fit = self.tree.fit(&view);
                if fit.shared_head.as_deref() != self.tree.head() {
                    actions.push(Action::Fork(fit.shared_head));
                }
                view.split_off(fit.shared_length)
            }
        };
        for draft in messages {
            let answers = draft.tool_call_id.clone();
            match answers.filter(|id| self.call(id).is_some_and(|call| call.settled())) {
                Some(call) => actions.push(Action::Answered { call }),
                None => {
                    let message = serde_json::to_value(&draft).unwrap_or_default();
                    actions.push(Action::Message { id: draft.id, message });
                }
            }
        }
        let scene = Scene::default();
        let direct = &shared.config.agent.worker.direct_calls;
        let calls: Vec<ReplyCall> = direct.iter().map(|call| call.render(&scene)).collect();
        actions.push(Action::CallTools { calls, message_id: None });
        if prompts {
            actions.push(Action::Prompt);
        }
        actions
    }

    /// Applies actions: first all is recorded and requested, then all is dispatched.
    fn apply(&mut self, shared: &mut Shared, actions: Vec<Action>) {
        let mut requested = Vec::new();
        let mut prompted = None;
        for action in actions {
            match action {
                Action::MergeTools(tools) => self.merge_tools(shared, tools),
                Action::Announce => self.record(shared, "agent.updated", Value::Null),
                Action::Fork(head) => self.move_head(shared, head),
                Action::Message { id, message } => self.add_message(shared, id, message),
                Action::Answered { call } => self.add_answer(shared, &call),
                Action::CallTools { calls, message_id } => {
                    for call in calls {
                        requested.push(self.request_call(shared, call, message_id.clone()));
                    }
                }
                Action::Prompt => {
                    let held = self.calls.iter().any(|call| !call.direct && call.awaited());
                    if !held && prompted.is_none() && !self.model_is_busy() {
                        prompted = Some(self.request_model(shared));
                    }
                }
                Action::Settle { call, attempt, answer } => {
                    self.settle_by_worker(shared, &call, attempt, answer);
                }
                Action::Interrupt(interrupt) => {
                    self.dispatch_requested(shared, std::mem::take(&mut requested));
                    self.raise_scripted(shared, interrupt);
                }
                Action::Fail(error) => self.fail_turn(error),
                Action::Done => self.complete_turn(shared),
            }
        }
        self.dispatch_requested(shared, requested);
        if let Some(call) = prompted {
            self.dispatch_model(shared, &call);
        }
    }

    fn dispatch_requested(&mut self, shared: &mut Shared, calls: Vec<String>) {
        for call in calls {
            self.dispatch_soon(shared, &call, 0);
        }
    }

    fn raise_scripted(&mut self, shared: &mut Shared, interrupt: ScriptInterrupt) {
        let raise = Raise {
            id: interrupt.id,
            origin: "worker".to_owned(),
            reason: interrupt.reason,
            payload: interrupt.payload,
            client_may_resume: interrupt.client_may_resume,
        };
        self.interrupt(shared, raise);
    }

    /// Adds the names a page contributes; a name once taken stays as it was.
    fn merge_tools(&mut self, shared: &mut Shared, tools: Vec<AgentTool>) {
        let mut added = false;
        for mut tool in tools {
            if self.tools.iter().any(|known| known.name == tool.name) {
                continue;
            }
            if shared.config.switches.force_client_handler {
                tool.handler = Some(Handler::Client);
            }
            self.tools.push(tool);
            added = true;
        }
        if added {
            self.record(shared, "agent.updated", Value::Null);
        }
    }

    /// Records a message behind the head, with a new id where it has none or a taken one.
    pub(crate) fn add_message(&mut self, shared: &mut Shared, id: Option<String>, message: Value) {
        let free = id.filter(|id| !self.tree.contains(id));
        let id = free.unwrap_or_else(|| shared.new_id());
        let mut message = message;
        if let Value::Object(fields) = &mut message {
            fields.insert("id".to_owned(), json!(id));
        }
        let mut fields = json!({ "message": message });
        if let (Some(parent), Value::Object(fields)) = (self.tree.head(), &mut fields) {
            fields.insert("parent_id".to_owned(), json!(parent));
        }
        self.tree.append(&id, message);
        self.record(shared, "message.new", fields);
    }

    fn fail_turn(&mut self, error: Value) {
        if let Some(turn) = &mut self.turn {
            turn.error = Some(error);
        }
    }

    /// Nothing open and nothing to decide: the turn may end; a session just started may begin its turn.
    pub(crate) fn settle_down(&mut self, shared: &mut Shared) {
        let busy = self.deciding.is_some()
            || !self.decisions.is_empty()
            || self.model_is_busy()
            || self.calls.iter().any(|call| call.awaited());
        if busy {
            return;
        }
        match &self.turn {
            Some(turn) if turn.started => self.enqueue(shared, Trigger::Idle),
            _ => self.begin_waiting_turn(shared),
        }
    }

    fn begin_waiting_turn(&mut self, shared: &mut Shared) {
        if let Some(next) = self.waiting.pop_front() {
            self.begin_turn(shared, next);
        }
    }

    fn complete_turn(&mut self, shared: &mut Shared) {
        let Some(turn) = &self.turn else { return };
        let mut fields = json!({
            "turn_id": turn.id,
            "data": null,
            "turn_cost": "0",
            "turn_token_usage": {},
        });
        if let (Some(error), Value::Object(fields)) = (&turn.error, &mut fields) {
            fields.insert("error".to_owned(), error.clone());
        }
        self.record(shared, "turn.completed", fields);
        self.done = true;
        self.record(shared, "session.done", Value::Null);
        if let Some(turn) = self.turn.take() {
            self.ended_turns.push(turn.id);
        }
        self.begin_waiting_turn(shared);
    }

    /// Whether the conversation waits for the model: nothing is open and its last word is not the model's.
    fn model_owes_a_reply(&self) -> bool {
        let branch = self.tree.branch();
        let last = branch.last().and_then(|message| super::tree::role_of(message));
        self.turn.is_some() && last != Some("assistant")
    }
}

fn propose_reply(
    reply: ModelReply,
    call: String,
    interrupt: Option<ScriptInterrupt>,
) -> Vec<Action> {
    let mut message = json!({ "role": "assistant" });
    if let Value::Object(fields) = &mut message {
        if let Some(text) = &reply.text {
            fields.insert("content".to_owned(), json!(text));
        }
        if !reply.tool_calls.is_empty() {
            let calls = reply.tool_calls.iter().map(|call| {
                json!({
                    "id": call.id,
                    "type": "function",
                    "function": { "name": call.name, "arguments": call.arguments },
                })
            });
            fields.insert("tool_calls".to_owned(), calls.collect());
        }
    }
    let message_id = Some(call.clone());
    let mut actions = vec![
        Action::Message { id: Some(call), message },
        Action::CallTools { calls: reply.tool_calls, message_id },
    ];
    actions.extend(interrupt.map(Action::Interrupt));
    actions
}
