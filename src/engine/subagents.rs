//! Sub-agents: a call whose name is another agent's starts a session of that agent and waits for its turn.
//!
//! Parent and child are sessions like any other, each with its own log. A session never touches another one:
//! what it wants of it is an [`Errand`], done when the session at hand is finished with. A child learns
//! nothing of its parent but the chain of sessions above it, and tells it how its turn ended, once.

use serde_json::{Value, json};

use super::body::{DraftMessage, MessageContent, Role};
use super::calls::{Call, CallStatus, Outcome};
use super::check::{self, Arguments};
use super::config::AgentTool;
use super::decisions::{News, Submission, Trigger};
use super::engine::Engine;
use super::io::ReplyCall;
use super::session::Session;
use super::shared::{Errand, Shared};
use super::stream;
use super::tree::{role_of, text_of};

/// What makes a call a sub-agent's. The call's name is the agent.
#[derive(Debug, Clone)]
pub(crate) struct Delegation {
    /// The child's session, whether or not it exists yet.
    pub(crate) child: String,
    /// The call names a session to go on with.
    continues: bool,
    /// The turn the child was given.
    pub(crate) turn_id: Option<String>,
}

/// What a child owes its parent: an account of one turn.
#[derive(Debug)]
pub(crate) struct Owed {
    parent: String,
    call: String,
    turn_id: String,
}

/// Does what sessions want of each other, until nothing is left.
pub(crate) fn run_errands(engine: &mut Engine) {
    while let Some(errand) = engine.shared.errands.pop_front() {
        match errand {
            Errand::Start { parent, call } => start(engine, &parent, &call),
            Errand::Report { parent, call, outcome } => {
                if let Some(found) = engine.sessions.get_mut(&parent) {
                    found.finish_subagent(&mut engine.shared, &call, outcome);
                }
            }
            Errand::Stop { child, parent, call } => {
                let found = engine.sessions.get_mut(&child);
                let waited_for = |owed: &Owed| owed.parent == parent && owed.call == call;
                if let Some(found) = found.filter(|found| found.owed.as_ref().is_some_and(waited_for)) {
                    found.cancel(&mut engine.shared);
                }
            }
        }
    }
}

fn start(engine: &mut Engine, parent_id: &str, call_id: &str) {
    let Engine { shared, sessions } = engine;
    let Some(parent) = sessions.get(parent_id) else { return };
    let Some(call) = parent.call(call_id).filter(|call| call.status == CallStatus::Pending) else { return };
    let Some(delegation) = call.delegation.clone() else { return };
    let agent_id = call.name.clone();
    let allowed = parent.may_delegate(shared, call).and_then(|message| {
        if delegation.continues {
            may_continue(sessions.get(&delegation.child), parent_id, &agent_id)?;
        }
        Ok(message)
    });
    let text = match allowed {
        Ok(text) => text,
        Err(message) => {
            let error = json!({ "message": message, "code": "handler_error" });
            if let Some(parent) = sessions.get_mut(parent_id) {
                parent.finish_subagent(shared, call_id, Err(error));
            }
            return;
        }
    };
    let turn_id = shared.new_id();
    let owed = Owed { parent: parent_id.to_owned(), call: call_id.to_owned(), turn_id: turn_id.clone() };
    let message = DraftMessage {
        id: None,
        role: Role::User,
        content: Some(MessageContent::Text(text)),
        name: None,
        reasoning: Value::Null,
        tool_call_id: None,
        tool_calls: None,
    };
    let submission = Submission {
        turn_id: turn_id.clone(),
        stream: parent.turn.as_ref().is_some_and(|turn| turn.stream),
        news: News::Append(vec![message]),
        tools: Vec::new(),
        context: Value::Null,
        by_calls: false,
        announced: None,
    };
    let (owner, mut ancestry) = (parent.owner.clone(), parent.ancestry.clone());
    if let Some(parent) = sessions.get_mut(parent_id) {
        parent.subagent_started(shared, call_id, turn_id);
    }
    if let Some(child) = sessions.get_mut(&delegation.child) {
        child.owed = Some(owed);
        child.begin_turn(shared, submission);
        child.pump(shared);
        return;
    }
    stream::end_foreign(shared, &delegation.child, &owner);
    let tools = shared.config.agent_of(&agent_id).tools.clone();
    let mut child = Session::new(delegation.child.clone(), owner, agent_id, tools);
    ancestry.push(parent_id.to_owned());
    child.ancestry = ancestry;
    child.owed = Some(owed);
    child.start(shared, submission);
    sessions.insert(delegation.child, child);
}

/// A parent may go on only with an idle session it started itself, of the agent it calls.
fn may_continue(child: Option<&Session>, parent: &str, agent_id: &str) -> Result<(), String> {
    let own = |child: &&Session| {
        child.ancestry.last().is_some_and(|above| above == parent) && child.agent_id == agent_id
    };
    let Some(child) = child.filter(own) else {
        return Err(format!(
            "`session` names no session that was started here with {agent_id}; leave it out to start one"
        ));
    };
    if child.cancelled {
        return Err("the session was cancelled; leave `session` out to start another".to_owned());
    }
    if child.is_at_work() {
        return Err("the session is still at work; wait for its result".to_owned());
    }
    Ok(())
}

impl Session {
    /// Whether the agent may call another one of that name.
    pub(crate) fn offers_subagent(&self, shared: &Shared, name: &str) -> bool {
        let entries = &shared.config.agent_of(&self.agent_id).subagents;
        entries.iter().any(|entry| entry.id == name)
    }

    /// What makes a call of that name a sub-agent's, if it is one.
    pub(crate) fn delegation(&self, shared: &mut Shared, asked: &ReplyCall) -> Option<Delegation> {
        if !self.offers_subagent(shared, &asked.name) {
            return None;
        }
        let arguments: Value = serde_json::from_str(&asked.arguments).unwrap_or_default();
        let named = arguments.get("session").and_then(Value::as_str).filter(|id| !id.is_empty());
        let continues = named.is_some();
        let child = named.map_or_else(|| shared.new_id(), str::to_owned);
        Some(Delegation { child, continues, turn_id: None })
    }

    /// The tools a model is shown: those declared and, above the limit of depth, one for each sub-agent.
    pub(crate) fn offered_tools(&self, shared: &Shared) -> Vec<AgentTool> {
        let mut tools = self.tools.clone();
        if self.is_too_deep(shared).is_none() {
            for entry in &shared.config.agent_of(&self.agent_id).subagents {
                let own = shared.config.agents.get(&entry.id).and_then(|agent| agent.description.clone());
                tools.push(AgentTool {
                    name: entry.id.clone(),
                    description: entry.description.clone().or(own),
                    input: Some(input_schema()),
                    output: None,
                    handler: None,
                    defer: None,
                });
            }
        }
        tools
    }

    /// The limit of depth, where this session stands at it.
    fn is_too_deep(&self, shared: &Shared) -> Option<u32> {
        let own = shared.config.agent_of(&self.agent_id).max_subagent_depth;
        let limit = own.unwrap_or(shared.config.max_subagent_depth);
        (self.ancestry.len() >= usize::try_from(limit).unwrap_or(usize::MAX)).then_some(limit)
    }

    fn is_at_work(&self) -> bool {
        self.turn.is_some()
            || !self.waiting.is_empty()
            || self.deciding.is_some()
            || !self.decisions.is_empty()
    }

    /// The message for the child, or why there will be none.
    fn may_delegate(&self, shared: &Shared, call: &Call) -> Result<String, String> {
        if let Some(limit) = self.is_too_deep(shared) {
            return Err(format!("sub-agents may be nested {limit} deep at most; do this without one"));
        }
        if !shared.config.agents.contains_key(&call.name) {
            return Err(format!("unknown agent: {}", call.name));
        }
        match check::arguments(Some(&input_schema()), &call.arguments) {
            Arguments::Valid { text } => {
                let arguments: Value = serde_json::from_str(&text).unwrap_or_default();
                let message = arguments.get("message").and_then(Value::as_str);
                Ok(message.unwrap_or_default().to_owned())
            }
            Arguments::Invalid { error, .. } | Arguments::Malformed { error } => {
                Err(format!("invalid tool arguments: {error}"))
            }
        }
    }

    /// Writes one of the five events of a sub-agent.
    pub(crate) fn record_subagent(
        &mut self,
        shared: &mut Shared,
        call: &str,
        event: &str,
        error: Option<&Value>,
    ) {
        let Some(found) = self.call(call) else { return };
        let Some(delegation) = &found.delegation else { return };
        let mut fields = json!({ "id": delegation.child, "agent_id": found.name, "tool_call_id": found.id });
        if let (Some(error), Value::Object(fields)) = (error, &mut fields) {
            fields.insert("error".to_owned(), error.clone());
        }
        let name = format!("{}.{event}", shared.config.switches.subagent_prefix.word());
        self.record(shared, &name, fields);
    }

    fn subagent_started(&mut self, shared: &mut Shared, call: &str, turn_id: String) {
        if let Some(delegation) = self.call_mut(call).and_then(|found| found.delegation.as_mut()) {
            delegation.turn_id = Some(turn_id);
        }
        self.record_subagent(shared, call, "started", None);
    }

    /// Ends the call of a sub-agent, unless it has been voided meanwhile.
    fn finish_subagent(&mut self, shared: &mut Shared, id: &str, outcome: Result<String, Value>) {
        let Some(call) = self.call_mut(id).filter(|call| call.status == CallStatus::Pending) else { return };
        let Some(delegation) = &call.delegation else { return };
        let (event, error) = match outcome {
            Ok(text) => {
                let rendered =
                    format!(r#"{{"session":{},"result":{}}}"#, json!(delegation.child), json!(text));
                let stored = json!(rendered);
                call.status = CallStatus::Completed;
                call.outcome = Some(Outcome { rendered, stored, is_error: false });
                ("turn_completed", None)
            }
            Err(error) => {
                let message = error.get("message").and_then(Value::as_str);
                let rendered = message.unwrap_or("the sub-agent failed").to_owned();
                call.status = CallStatus::Errored;
                call.outcome = Some(Outcome { rendered, stored: error.clone(), is_error: true });
                ("errored", Some(error))
            }
        };
        self.record_subagent(shared, id, event, error.as_ref());
        self.enqueue(shared, Trigger::SubagentFinished { call: id.to_owned() });
        self.pump(shared);
    }

    /// A turn of this session is over: the parent hears of it if it is the one it waits for.
    pub(crate) fn report_turn(&mut self, shared: &mut Shared) {
        let Some(turn) = &self.turn else { return };
        let outcome = turn.error.clone().map_or_else(|| Ok(self.last_word()), Err);
        if let Some(owed) = self.owed.take_if(|owed| owed.turn_id == turn.id) {
            shared.errands.push_back(Errand::Report { parent: owed.parent, call: owed.call, outcome });
        }
    }

    /// The session is cancelled, and with it the turn that the parent waits for.
    pub(crate) fn report_cancelled(&mut self, shared: &mut Shared) {
        if let Some(owed) = self.owed.take() {
            let error = json!({ "message": "the sub-agent's session was cancelled", "code": "internal" });
            let Owed { parent, call, .. } = owed;
            shared.errands.push_back(Errand::Report { parent, call, outcome: Err(error) });
        }
    }

    /// The text of the model's last message in this turn; empty if there is none.
    fn last_word(&self) -> String {
        let branch = self.tree.branch();
        let mut of_turn = branch.iter().rev().take_while(|message| role_of(message) != Some("user"));
        let last = of_turn.find(|message| role_of(message) == Some("assistant"));
        last.map(|message| text_of(message)).unwrap_or_default()
    }
}

/// What a sub-agent takes.
fn input_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "message": { "type": "string", "description": "What the agent is asked to do." },
            "session": {
                "type": "string",
                "description": "A session from an earlier answer, to go on with; left out, a new one starts.",
            },
        },
        "required": ["message"],
    })
}
