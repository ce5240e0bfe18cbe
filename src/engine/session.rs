//! One session: its owner, its conversation, what is open, and how it looks from outside.
//!
//! The parts that act on it are in their own files: `decisions.rs` (the worker's loop), `calls.rs` (tool
//! calls), `model.rs` (model requests), `interrupts.rs`. Everything goes through here because every event
//! tells the state of the whole session.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::auth::Owner;
use super::calls::Call;
use super::config::AgentTool;
use super::decisions::{Decision, Submission, Trigger};
use super::events::Event;
use super::interrupts::Interrupt;
use super::model::ModelCall;
use super::script::{Answered, Progress, Scene};
use super::shared::{Shared, Task};
use super::subagents::Owed;
use super::tree::{Tree, role_of, text_of};
use super::worker::Seat;

/// What a session is doing, as the wire tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Idle,
    Interrupted,
    Done,
}

impl Status {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Status::Idle => "idle",
            Status::Interrupted => "interrupted",
            Status::Done => "done",
        }
    }
}

/// The turn that runs.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    pub(crate) id: String,
    pub(crate) stream: bool,
    /// `turn.started` is recorded.
    pub(crate) started: bool,
    /// The action that started it, until the model has replied once.
    pub(crate) action: Option<String>,
    /// Why the turn failed.
    pub(crate) error: Option<Value>,
    /// What the worker gave out as its outcome.
    pub(crate) data: Value,
}

#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) owner: Owner,
    pub(crate) agent_id: String,
    pub(crate) log: Vec<Event>,
    pub(crate) tree: Tree,
    pub(crate) tools: Vec<AgentTool>,
    pub(crate) calls: Vec<Call>,
    pub(crate) model_calls: Vec<ModelCall>,
    pub(crate) turn: Option<Turn>,
    /// Turns that wait for the running one to end.
    pub(crate) waiting: VecDeque<Submission>,
    pub(crate) ended_turns: Vec<String>,
    pub(crate) decisions: VecDeque<Decision>,
    /// The decision the worker has in hand.
    pub(crate) deciding: Option<Decision>,
    pub(crate) seat: Seat,
    pub(crate) interrupts: Vec<Interrupt>,
    pub(crate) script: Progress,
    pub(crate) done: bool,
    pub(crate) cancelled: bool,
    /// The sessions above a sub-agent's, outermost first; empty for a page's own.
    pub(crate) ancestry: Vec<String>,
    /// The turn the parent waits for.
    pub(crate) owed: Option<Owed>,
    /// AG-UI runs that joined a turn under way: their ids and that turn's.
    pub(crate) joined_runs: Vec<(String, String)>,
}

impl Session {
    pub(crate) fn new(id: String, owner: Owner, agent_id: String, tools: Vec<AgentTool>) -> Session {
        Session {
            id,
            owner,
            agent_id,
            log: Vec::new(),
            tree: Tree::default(),
            tools,
            calls: Vec::new(),
            model_calls: Vec::new(),
            turn: None,
            waiting: VecDeque::new(),
            ended_turns: Vec::new(),
            decisions: VecDeque::new(),
            deciding: None,
            seat: Seat::default(),
            interrupts: Vec::new(),
            script: Progress::default(),
            done: false,
            cancelled: false,
            ancestry: Vec::new(),
            owed: None,
            joined_runs: Vec::new(),
        }
    }

    /// Writes the first events of a new session, and begins its first turn.
    pub(crate) fn start(&mut self, shared: &mut Shared, first: Submission) {
        self.record(shared, "session.created", Value::Null);
        self.waiting.push_back(first);
        self.enqueue(shared, Trigger::SessionStart);
        self.pump(shared);
    }

    pub(crate) fn status(&self) -> Status {
        if self.is_interrupted() {
            Status::Interrupted
        } else if self.done || self.cancelled {
            Status::Done
        } else {
            Status::Idle
        }
    }

    /// The turn that events belong to.
    pub(crate) fn started_turn(&self) -> Option<&str> {
        self.turn.as_ref().filter(|turn| turn.started).map(|turn| turn.id.as_str())
    }

    /// The turn a reply may name: the one that runs, else the last one.
    pub(crate) fn latest_turn(&self) -> Option<&str> {
        let running = self.turn.as_ref().map(|turn| &turn.id);
        running.or(self.ended_turns.last()).map(String::as_str)
    }

    pub(crate) fn wake(&mut self, shared: &mut Shared, task: Task) {
        match task {
            Task::Decide { decision } => self.decide(shared, &decision),
            Task::WorkerTimeout { decision, attempt } => self.worker_timeout(shared, &decision, attempt),
            Task::Dispatch { call, attempt } => self.dispatch_call(shared, &call, attempt),
            Task::QueueTimeout { call, attempt } => self.queue_timeout(shared, &call, attempt),
            Task::RunTimeout { call, attempt } => self.run_timeout(shared, &call, attempt),
            Task::TotalTimeout { call } => self.total_timeout(shared, &call),
            Task::Retry { call, attempt } => self.retry_call(shared, &call, attempt),
            Task::ModelStep { call, attempt } => self.model_step(shared, &call, attempt),
            Task::ModelTimeout { call, attempt } => self.model_timeout(shared, &call, attempt),
            Task::ModelRetry { call, attempt } => self.retry_model(shared, &call, attempt),
        }
        // Whatever the task queued is decided now; no other event may come to do it.
        self.pump(shared);
    }

    /// Ends everything: open calls are voided, queued turns dropped.
    pub(crate) fn cancel(&mut self, shared: &mut Shared) {
        if self.cancelled {
            return;
        }
        self.void_models(shared);
        let announce = shared.config.switches.cancel_voids;
        self.void_calls(shared, |_| true, announce);
        self.decisions.clear();
        self.deciding = None;
        self.waiting.clear();
        self.record(shared, "session.cancelled", Value::Null);
        self.report_cancelled(shared);
        if let Some(turn) = self.turn.take() {
            self.ended_turns.push(turn.id);
        }
        self.cancelled = true;
    }

    /// Moves the head; calls whose message left the active branch are voided.
    pub(crate) fn fork_to(&mut self, shared: &mut Shared, head: Option<String>) {
        if head.as_deref().is_some_and(|id| !self.tree.contains(id)) {
            return;
        }
        self.move_head(shared, head);
        self.settle_down(shared);
        self.pump(shared);
    }

    pub(crate) fn move_head(&mut self, shared: &mut Shared, head: Option<String>) {
        self.tree.move_head(head);
        self.record(shared, "head.moved", json!({ "head_id": self.tree.head() }));
        self.void_models(shared);
        let tree = self.tree.clone();
        self.void_calls(shared, |call| call.message_id.as_deref().is_none_or(|id| !tree.on_branch(id)), true);
        let awaited: Vec<String> =
            self.calls.iter().filter(|call| call.awaited()).map(|call| call.id.clone()).collect();
        self.decisions.retain(|decision| !decision.falls(|id| awaited.iter().any(|call| call == id)));
    }

    /// What a script may look at now.
    pub(crate) fn scene(&self) -> Scene {
        let branch = self.tree.branch();
        let last_user = branch.iter().rev().find(|message| role_of(message) == Some("user"));
        let since_reply = branch.iter().rev().take_while(|message| role_of(message) == Some("tool"));
        let mut answers: Vec<Answered> = since_reply
            .map(|message| {
                let id = message.get("tool_call_id").and_then(Value::as_str).unwrap_or_default();
                let call = self.calls.iter().find(|call| call.id == id);
                Answered {
                    tool: call.map(|call| call.name.clone()).unwrap_or_default(),
                    text: text_of(message),
                    error: call.is_some_and(|call| call.failed()),
                }
            })
            .collect();
        answers.reverse();
        Scene {
            user: last_user.map(|message| text_of(message)).unwrap_or_default(),
            action: self.turn.as_ref().and_then(|turn| turn.action.clone()),
            answers,
        }
    }

    /// The body of `GET /api/client/sessions/{id}`.
    pub(crate) fn view(&self) -> Value {
        let open = self.interrupts.iter().filter(|interrupt| interrupt.open);
        json!({
            "session_id": self.id,
            "agent_id": self.agent_id,
            "status": self.status().name(),
            "interrupts": open.map(Interrupt::view).collect::<Vec<_>>(),
            "messages": self.tree.branch(),
            "message_tree": self.tree.view(),
        })
    }
}
