//! What a decision makes happen: the actions proposed for each trigger, and their effect on a session.
//!
//! Proposing changes nothing; applying records and requests everything first and dispatches last, so that
//! all calls of one reply are announced before any of them may be settled.

use serde_json::{Value, json};

use super::body::{DraftMessage, Role};
use super::config::{AgentTool, Handler, WorkerAnswer};
use super::decisions::{News, Submission, Trigger};
use super::interrupts::Raise;
use super::io::{ModelReply, ReplyCall};
use super::script::{Scene, ScriptInterrupt};
use super::session::Session;
use super::shared::Shared;
use super::worker::{Agent, CallWish, Ending, ModelWish};

/// What a decision makes happen.
#[derive(Debug)]
pub(crate) enum Action {
    MergeTools(Vec<AgentTool>),
    Announce,
    Fork(Option<String>),
    Message {
        id: Option<String>,
        message: Value,
    },
    Answered {
        call: String,
    },
    CallTools {
        calls: Vec<ReplyCall>,
        message_id: Option<String>,
    },
    Prompt,
    Settle {
        call: String,
        attempt: u32,
        answer: WorkerAnswer,
    },
    Interrupt(ScriptInterrupt),
    Fail(Value),
    Done,
    // What only an external worker does.
    SetState(Value),
    SetAgent(Agent),
    /// The worker has heard of the call's end.
    Handled {
        call: String,
    },
    /// A message as the worker wrote it.
    Draft(Value),
    CallTool {
        call: ReplyCall,
        wish: CallWish,
    },
    /// A model request, whatever is open.
    AskModel(ModelWish),
    EndCall {
        call: String,
        attempt: u32,
        ending: Ending,
    },
    Resolve {
        interrupt: String,
        payload: Value,
    },
    /// Ends the turn's work; see [`Session::wind_up`].
    WindUp {
        data: Option<Value>,
    },
}

impl Session {
    /// The actions the engine suggests for a trigger.
    pub(crate) fn propose(&mut self, shared: &mut Shared, trigger: Trigger) -> Vec<Action> {
        match trigger {
            Trigger::SessionStart => {
                if shared.config.agent_of(&self.agent_id).announced {
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
                let answers = &shared.config.agent_of(&self.agent_id).worker.answers;
                let answer = answers.get(&name).cloned().unwrap_or_else(|| WorkerAnswer::Error {
                    message: format!("unknown tool: {name}"),
                    retryable: false,
                });
                vec![Action::Settle { call, attempt, answer }]
            }
            Trigger::ToolFinished { call } | Trigger::SubagentFinished { call } => {
                let mut actions = vec![Action::Answered { call }];
                if shared.config.agent_of(&self.agent_id).reprompt {
                    actions.push(Action::Prompt);
                }
                actions
            }
            Trigger::InterruptResumed { .. } => {
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
            News::Action { name, .. } => shared.config.script_of(&self.agent_id).knows_action(name),
            News::Append(_) | News::View(_) => true,
        };
        let answers_only = matches!(&submission.news, News::View(view) if self.only_answers(view));
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
            match draft.tool_call_id.as_deref().and_then(|id| self.call(id)) {
                Some(call) if call.settled() => actions.push(Action::Answered { call: call.id.clone() }),
                // Its message is recorded when it is settled, which this answer has not done.
                Some(call) if call.status.is_open() => {}
                _ => {
                    let message = serde_json::to_value(&draft).unwrap_or_default();
                    actions.push(Action::Message { id: draft.id, message });
                }
            }
        }
        let scene = Scene::default();
        let direct = &shared.config.agent_of(&self.agent_id).worker.direct_calls;
        let direct = direct.iter().filter(|_| !answers_only);
        let calls: Vec<ReplyCall> = direct.map(|call| call.render(&scene)).collect();
        actions.push(Action::CallTools { calls, message_id: None });
        if prompts {
            actions.push(Action::Prompt);
        }
        actions
    }

    /// Whether all that is new in a view answers calls.
    fn only_answers(&self, view: &[DraftMessage]) -> bool {
        let news = view.get(self.tree.fit(view).shared_length..).unwrap_or_default();
        let answers = |draft: &DraftMessage| {
            draft.role == Role::Tool
                && draft.tool_call_id.as_deref().is_some_and(|id| self.call(id).is_some())
        };
        !news.is_empty() && news.iter().all(answers)
    }

    /// Applies actions: first all is recorded and requested, then all is dispatched.
    pub(crate) fn apply(&mut self, shared: &mut Shared, actions: Vec<Action>) {
        let mut requested = Vec::new();
        let mut prompted = Vec::new();
        for action in actions {
            match action {
                Action::MergeTools(tools) => self.merge_tools(shared, tools),
                Action::Announce => self.record(shared, "agent.updated", Value::Null),
                Action::Fork(head) => self.move_head(shared, head),
                Action::Message { id, message } => self.add_message(shared, id, message),
                Action::Answered { call } => self.add_answer(shared, &call),
                Action::CallTools { calls, message_id } => {
                    for call in calls {
                        let wish = CallWish::default();
                        requested.push(self.request_call(shared, call, message_id.clone(), &wish));
                    }
                }
                Action::Prompt => {
                    let held = self.calls.iter().any(|call| !call.direct && call.awaited());
                    if !held && prompted.is_empty() && !self.model_is_busy() {
                        prompted.push(self.request_model(shared, ModelWish::default()));
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
                Action::SetState(state) => self.set_state(state),
                Action::SetAgent(agent) => self.set_agent(shared, agent),
                Action::Handled { call } => self.mark_handled(&call),
                Action::Draft(message) => self.add_draft(shared, message),
                Action::CallTool { call, wish } => {
                    let anchor = call.id.as_deref().and_then(|id| self.anchor_of(id));
                    requested.push(self.request_call(shared, call, anchor, &wish));
                }
                Action::AskModel(wish) => prompted.push(self.request_model(shared, wish)),
                Action::EndCall { call, attempt, ending } => self.end_call(shared, &call, attempt, ending),
                Action::Resolve { interrupt, payload } => self.resume(shared, &interrupt, payload),
                Action::WindUp { data } => self.wind_up(shared, data),
            }
        }
        self.dispatch_requested(shared, requested);
        for call in prompted {
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
        let new = self.new_tools(shared, tools);
        if !new.is_empty() {
            self.tools.extend(new);
            self.record(shared, "agent.updated", Value::Null);
        }
    }

    /// Those of a page's tools whose names are free.
    pub(crate) fn new_tools(&self, shared: &Shared, tools: Vec<AgentTool>) -> Vec<AgentTool> {
        let mut new: Vec<AgentTool> = Vec::new();
        for mut tool in tools {
            let known = self.tools.iter().chain(&new).any(|known| known.name == tool.name);
            if known || self.offers_subagent(shared, &tool.name) {
                continue;
            }
            if shared.config.switches.force_client_handler {
                tool.handler = Some(Handler::Client);
            }
            new.push(tool);
        }
        new
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
    let message = reply_message(&reply);
    let message_id = Some(call.clone());
    let mut actions = vec![
        Action::Message { id: Some(call), message },
        Action::CallTools { calls: reply.tool_calls, message_id },
    ];
    actions.extend(interrupt.map(Action::Interrupt));
    actions
}

/// The message that a model's reply becomes, without an id.
pub(crate) fn reply_message(reply: &ModelReply) -> Value {
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
    message
}
