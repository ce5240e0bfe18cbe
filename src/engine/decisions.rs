//! The worker's loop: triggers queue up, one at a time is decided, its actions are applied.
//!
//! The built-in worker always takes what the engine proposes. An external one sits between
//! [`Session::propose`] and [`Session::apply`]; see `worker/`.

use serde_json::{Value, json};

use super::body::DraftMessage;
use super::config::{AgentTool, WorkerSource};
use super::io::ModelReply;
use super::script::ScriptInterrupt;
use super::session::{Session, Turn};
use super::shared::{Shared, Task};
use super::switches::SubagentPrefix;

/// How often a decision is tried.
const DECISION_ATTEMPTS: u32 = 2;

/// An accepted submit: one turn to come.
#[derive(Debug, Clone)]
pub(crate) struct Submission {
    pub(crate) turn_id: String,
    pub(crate) stream: bool,
    pub(crate) news: News,
    pub(crate) tools: Vec<AgentTool>,
    /// What the page gave beside its tools.
    pub(crate) context: Value,
    /// Its view tells tool messages by the calls they answer; see `ag_ui/view.rs`.
    pub(crate) by_calls: bool,
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
    Action { name: String, args: Value },
}

/// Why the worker is asked.
#[derive(Debug, Clone)]
pub(crate) enum Trigger {
    SessionStart,
    Submitted(Submission),
    ModelFinished { reply: Result<ModelReply, Value>, call: String, interrupt: Option<ScriptInterrupt> },
    ToolExecute { call: String, attempt: u32 },
    ToolFinished { call: String },
    SubagentFinished { call: String },
    Idle,
    InterruptResumed { interrupt: String, payload: Value },
}

impl Trigger {
    pub(crate) fn name(&self, prefix: SubagentPrefix) -> &'static str {
        match self {
            Trigger::SessionStart => "session.start",
            Trigger::Submitted(Submission { news: News::Action { .. }, .. }) => "client.action",
            Trigger::Submitted(_) => "messages.new",
            Trigger::ModelFinished { .. } => "llm.finished",
            Trigger::ToolExecute { .. } => "tool.execute",
            Trigger::ToolFinished { .. } => "tool.finished",
            Trigger::SubagentFinished { .. } => match prefix {
                SubagentPrefix::Subagent => "subagent.finished",
                SubagentPrefix::SubAgent => "sub_agent.finished",
            },
            Trigger::Idle => "turn.idle",
            Trigger::InterruptResumed { .. } => "interrupt.resumed",
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Decision {
    pub(crate) id: String,
    pub(crate) trigger: Trigger,
    /// Counted from 0.
    pub(crate) attempt: u32,
}

impl Decision {
    /// Whether it falls with a fork: a model's reply to the old branch, or a call that is no longer awaited.
    pub(crate) fn falls(&self, awaited: impl Fn(&str) -> bool) -> bool {
        match &self.trigger {
            Trigger::ModelFinished { .. } => true,
            Trigger::ToolExecute { call, .. }
            | Trigger::ToolFinished { call }
            | Trigger::SubagentFinished { call } => !awaited(call),
            _ => false,
        }
    }
}

impl Session {
    /// Queues a decision.
    pub(crate) fn enqueue(&mut self, shared: &mut Shared, trigger: Trigger) {
        let decision = Decision { id: shared.ids.short("dec-"), trigger, attempt: 0 };
        self.record_decision(shared, "decision.queued", &decision, None);
        self.decisions.push_back(decision);
    }

    pub(crate) fn record_decision(
        &mut self,
        shared: &mut Shared,
        name: &str,
        decision: &Decision,
        problem: Option<&str>,
    ) {
        let trigger = decision.trigger.name(shared.config.switches.subagent_prefix);
        let mut fields = json!({ "id": decision.id, "trigger": trigger });
        if let Value::Object(fields) = &mut fields {
            if !self.ancestry.is_empty() {
                fields.insert("ancestry".to_owned(), json!(self.ancestry));
            }
            if let Some(problem) = problem {
                let error = json!({ "message": problem, "code": "worker_unreachable" });
                fields.insert("error".to_owned(), error);
            }
        }
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
            data: Value::Null,
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
        self.record_decision(shared, "decision.queued", &decision, None);
        submission.announced = Some(decision.id);
        self.waiting.push_back(submission);
    }

    /// Decides as long as there is something to decide.
    pub(crate) fn pump(&mut self, shared: &mut Shared) {
        while !self.is_interrupted() && self.deciding.is_none() && !self.seat.applying {
            let Some(decision) = self.decisions.pop_front() else { return };
            self.dispatch_decision(shared, decision);
        }
    }

    fn dispatch_decision(&mut self, shared: &mut Shared, mut decision: Decision) {
        if let Trigger::Submitted(submission) = &mut decision.trigger {
            self.align(submission);
        }
        self.record_decision(shared, "decision.dispatched", &decision, None);
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
        if shared.faults.decision_fails() {
            return self.decision_failed(shared, None);
        }
        if shared.config.worker == WorkerSource::External {
            return self.ask_worker(shared);
        }
        let Some(decision) = self.deciding.take() else { return };
        self.record_decision(shared, "decision.completed", &decision, None);
        let actions = self.propose(shared, decision.trigger);
        self.apply(shared, actions);
        self.settle_down(shared);
    }

    /// An attempt at the decision in hand failed: it is tried again, or given up.
    pub(crate) fn decision_failed(&mut self, shared: &mut Shared, problem: Option<String>) {
        let Some(mut decision) = self.deciding.take() else { return };
        self.record_decision(shared, "decision.errored", &decision, problem.as_deref());
        decision.attempt += 1;
        if decision.attempt < DECISION_ATTEMPTS {
            self.dispatch_decision(shared, decision);
        } else {
            self.give_up(shared, problem);
        }
    }

    /// The worker cannot be had: the turn ends with an error and nothing of it stays open.
    fn give_up(&mut self, shared: &mut Shared, problem: Option<String>) {
        self.void_models(shared);
        self.void_calls(shared, |_| true, true);
        self.decisions.clear();
        let message = match problem {
            None => "the worker failed".to_owned(),
            Some(problem) => format!("the worker failed: {problem}"),
        };
        self.fail_turn(json!({ "message": message, "code": "worker_unreachable" }));
        self.complete_turn(shared);
        if self.turn.is_none() {
            self.begin_waiting_turn(shared);
        }
    }

    pub(crate) fn fail_turn(&mut self, error: Value) {
        if let Some(turn) = &mut self.turn {
            turn.error = Some(error);
        }
    }

    /// Whether something is open or to be decided.
    pub(crate) fn is_busy(&self, shared: &Shared) -> bool {
        // An external worker may pause a turn in which nothing is open; its end waits for the resume.
        let paused = shared.config.worker == WorkerSource::External && self.is_interrupted();
        paused
            || self.deciding.is_some()
            || !self.decisions.is_empty()
            || self.model_is_busy()
            || self.calls.iter().any(|call| call.awaited())
    }

    /// Nothing open and nothing to decide: the turn may end; a session just started may begin its turn.
    pub(crate) fn settle_down(&mut self, shared: &mut Shared) {
        if self.is_busy(shared) {
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

    pub(crate) fn complete_turn(&mut self, shared: &mut Shared) {
        let Some(turn) = &self.turn else { return };
        let mut fields = json!({
            "turn_id": turn.id,
            "data": turn.data,
            "turn_cost": "0",
            "turn_token_usage": {},
        });
        if let (Some(error), Value::Object(fields)) = (&turn.error, &mut fields) {
            fields.insert("error".to_owned(), error.clone());
        }
        self.record(shared, "turn.completed", fields);
        self.done = true;
        self.record(shared, "session.done", Value::Null);
        self.report_turn(shared);
        if let Some(turn) = self.turn.take() {
            self.ended_turns.push(turn.id);
        }
        self.begin_waiting_turn(shared);
    }
}
