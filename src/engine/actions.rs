//! What a decision makes happen: the actions proposed for each trigger, and their effect on a session.
//!
//! Proposing changes nothing; applying records and requests everything first and dispatches last, so that
//! all calls of one reply are announced before any of them may be settled.

use serde_json::{Value, json};

use super::config::{AgentTool, Handler, WorkerAnswer};
use super::decisions::{News, Submission, Trigger};
use super::interrupts::Raise;
use super::io::{ModelReply, ReplyCall};
use super::script::{Scene, ScriptInterrupt};
use super::session::Session;
use super::shared::Shared;

/// What a decision makes happen.
#[derive(Debug)]
pub(crate) enum Action {
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
    /// The actions the engine suggests for a trigger.
    pub(crate) fn propose(&mut self, shared: &mut Shared, trigger: Trigger) -> Vec<Action> {
        match trigger {
            Trigger::SessionStart => {
                if shared.config.agent.announced {
                    vec![Action::Announce]
                } else {
                    Vec::new()
                }
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
                if self.model_owes_a_reply() {
                    vec![Action::Prompt]
                } else {
                    Vec::new()
                }
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
    pub(crate) fn apply(&mut self, shared: &mut Shared, actions: Vec<Action>) {
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

    /// Whether the conversation waits for the model: nothing is open and its last word is not the model's.
    fn model_owes_a_reply(&self) -> bool {
        let branch = self.tree.branch();
        let last = branch.last().and_then(|message| super::tree::role_of(message));
        self.turn.is_some() && last != Some("assistant")
    }
}

fn propose_reply(reply: ModelReply, call: String, interrupt: Option<ScriptInterrupt>) -> Vec<Action> {
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
