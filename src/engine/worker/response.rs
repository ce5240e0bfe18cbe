//! A decision response read into actions: leniently where nothing depends on it, strictly where something does.
//!
//! Fields nobody knows are let through. An action nobody knows, a field of the wrong form and a call that does
//! not exist make the whole answer a failed one; the error names the place. Reading changes nothing.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::actions::Action;
use super::super::calls::CallStatus;
use super::super::config::{AgentTool, Handler};
use super::super::decisions::{News, Submission, Trigger};
use super::super::io::ReplyCall;
use super::super::script::ScriptInterrupt;
use super::super::session::Session;
use super::super::shared::Shared;
use super::agent::{Agent, RetryPatch, read_tools};
use super::apply::Ending;
use super::{CallWish, ModelWish};

/// Action types of the protocol that this engine does not carry out.
const UNSUPPORTED: [&str; 5] =
    ["llm.result", "llm.error", "sub_agent.spawn", "message.send", "connector.sync"];

type Fields = Map<String, Value>;

impl Session {
    /// The actions an answer comes to, or what is wrong with it.
    pub(super) fn read_response(
        &self,
        shared: &Shared,
        trigger: &Trigger,
        text: &str,
    ) -> Result<Vec<Action>, String> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| format!("its answer is not JSON: {error}"))?;
        let Value::Object(mut fields) = value else { return Err("its answer is not an object".to_owned()) };
        let drafts = match fields.remove("messages") {
            None | Some(Value::Null) => Vec::new(),
            Some(messages) => read_messages(messages, "messages")?,
        };
        let listed = match fields.remove("actions") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(actions)) => actions,
            Some(_) => return Err("actions must be an array".to_owned()),
        };
        let agent = fields.remove("agent").filter(|agent| !agent.is_null()).map(Agent::read).transpose()?;
        let tools = agent.as_ref().map_or(&self.tools, |agent| &agent.tools);
        let mut told = Vec::new();
        for (index, action) in listed.into_iter().enumerate() {
            told.push(self.read_action(shared, trigger, tools, action, &format!("actions/{index}"))?);
        }
        let mut actions = Vec::new();
        if let Trigger::ToolFinished { call } | Trigger::SubagentFinished { call } = trigger {
            actions.push(Action::Handled { call: call.clone() });
        }
        if let Some(state) = fields.remove("state").filter(|state| !state.is_null()) {
            actions.push(Action::SetState(state));
        }
        actions.extend(agent.map(Action::SetAgent));
        if !(drafts.is_empty() && told.is_empty()) {
            actions.extend(self.fork_of(trigger));
        }
        actions.extend(drafts.into_iter().map(Action::Draft));
        let starts = |action: &Action| {
            matches!(action, Action::CallTool { .. } | Action::AskModel(_) | Action::Interrupt(_))
        };
        let goes_on = told.iter().any(starts);
        if let (Trigger::ModelFinished { reply: Err(error), .. }, false) = (trigger, goes_on) {
            actions.push(Action::Fail(error.clone()));
        }
        actions.extend(told);
        Ok(actions)
    }

    /// The move of the head that a page's view asks for.
    fn fork_of(&self, trigger: &Trigger) -> Option<Action> {
        let Trigger::Submitted(Submission { news: News::View(view), .. }) = trigger else { return None };
        let fit = self.tree.fit(view);
        (fit.shared_head.as_deref() != self.tree.head()).then_some(Action::Fork(fit.shared_head))
    }

    fn read_action(
        &self,
        shared: &Shared,
        trigger: &Trigger,
        tools: &[AgentTool],
        action: Value,
        place: &str,
    ) -> Result<Action, String> {
        let Value::Object(fields) = action else { return Err(format!("{place} must be an object")) };
        let kind = required_text(&fields, "type", place)?;
        match kind.as_str() {
            "llm.call" => Ok(Action::AskModel(read_model_wish(&fields, place)?)),
            "tool.call" => read_call(tools, &fields, place),
            "tool.result" => {
                let (call, attempt) = self.answered_call(shared, trigger, &fields, place)?;
                let result = fields.get("result").cloned();
                let result = result.ok_or_else(|| format!("{place}/result is missing"))?;
                Ok(Action::EndCall { call, attempt, ending: Ending::Result(result) })
            }
            "tool.error" => {
                let (call, attempt) = self.answered_call(shared, trigger, &fields, place)?;
                let ending = Ending::Error {
                    message: required_text(&fields, "error", place)?,
                    retryable: flag(&fields, "retryable", place)?.unwrap_or(false),
                    code: text(&fields, "code", place)?,
                    detail: fields.get("detail").filter(|detail| !detail.is_null()).cloned(),
                };
                Ok(Action::EndCall { call, attempt, ending })
            }
            "interrupt" => Ok(Action::Interrupt(ScriptInterrupt {
                id: text(&fields, "interrupt_id", place)?,
                reason: required_text(&fields, "reason", place)?,
                payload: fields.get("payload").cloned().unwrap_or_default(),
                client_may_resume: flag(&fields, "client_may_resume", place)?.unwrap_or(true),
            })),
            "interrupt.resolve" => Ok(Action::Resolve {
                interrupt: required_text(&fields, "interrupt_id", place)?,
                payload: fields.get("payload").cloned().unwrap_or_default(),
            }),
            "done" => Ok(Action::WindUp { data: fields.get("data").filter(|data| !data.is_null()).cloned() }),
            known if UNSUPPORTED.contains(&known) => {
                Err(format!("{place}: the bundled engine does not carry out \"{known}\""))
            }
            unknown => Err(format!("{place}: unknown action type \"{unknown}\"")),
        }
    }

    /// The call an action ends: the one it names, the one the worker was asked to run, or the only one open.
    fn answered_call(
        &self,
        shared: &Shared,
        trigger: &Trigger,
        fields: &Fields,
        place: &str,
    ) -> Result<(String, u32), String> {
        let asked = match trigger {
            Trigger::ToolExecute { call, attempt } => Some((call.clone(), *attempt)),
            _ => None,
        };
        let named = text(fields, "id", place)?;
        let (call, attempt) = match (named, asked) {
            (Some(id), Some((call, attempt))) if id == call => (id, attempt),
            (Some(id), _) => {
                let found = self.call(&id).ok_or_else(|| format!("{place}/id: there is no call \"{id}\""))?;
                let attempt = found.attempt;
                (id, attempt)
            }
            (None, Some(asked)) => asked,
            (None, None) => {
                let open = |call: &&super::super::calls::Call| {
                    call.status == CallStatus::Pending && call.handler == Handler::Worker
                };
                let mut open = self.calls.iter().filter(open);
                match (open.next(), open.next()) {
                    (Some(only), None) => (only.id.clone(), only.attempt),
                    _ => {
                        return Err(format!("{place}/id is missing, and more or less than one call is open"));
                    }
                }
            }
        };
        let base = shared.config.switches.attempt_base;
        let told = match fields.get("attempt") {
            None | Some(Value::Null) => None,
            Some(told) => {
                let told = told.as_u64().and_then(|told| u32::try_from(told).ok());
                Some(told.ok_or_else(|| format!("{place}/attempt must be a whole number"))?)
            }
        };
        // One below the base is no attempt at all, so nothing is ended by it.
        let told = told.map(|told| told.checked_sub(base).unwrap_or(u32::MAX));
        Ok((call, told.unwrap_or(attempt)))
    }
}

fn read_call(tools: &[AgentTool], fields: &Fields, place: &str) -> Result<Action, String> {
    let name = required_text(fields, "name", place)?;
    if name.is_empty() {
        return Err(format!("{place}/name must not be empty"));
    }
    let told = match text(fields, "handler", place)?.as_deref() {
        None => None,
        Some("worker") => Some(Handler::Worker),
        Some("client") => Some(Handler::Client),
        Some(other) => return Err(format!("{place}/handler must be worker or client, not \"{other}\"")),
    };
    let declared = tools.iter().any(|tool| tool.name == name);
    let handler = told.or((!declared).then_some(Handler::Worker));
    let arguments = match fields.get("arguments") {
        None | Some(Value::Null) => "{}".to_owned(),
        // What a model wrote, verbatim.
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    let call = ReplyCall { id: text(fields, "id", place)?, name, arguments };
    Ok(Action::CallTool { call, wish: CallWish { handler, retry: retry(fields, place)? } })
}

fn read_model_wish(fields: &Fields, place: &str) -> Result<ModelWish, String> {
    let messages = match fields.get("messages") {
        None | Some(Value::Null) => None,
        Some(messages) => Some(read_messages(messages.clone(), &format!("{place}/messages"))?),
    };
    let tools = match fields.get("tools") {
        None | Some(Value::Null) => None,
        Some(tools) => Some(read_tools(tools, &format!("{place}/tools"))?),
    };
    Ok(ModelWish {
        id: text(fields, "id", place)?,
        stream: flag(fields, "stream", place)?,
        model: text(fields, "model", place)?,
        messages,
        tools,
        retry: retry(fields, place)?,
    })
}

fn read_messages(messages: Value, place: &str) -> Result<Vec<Value>, String> {
    let Value::Array(messages) = messages else { return Err(format!("{place} must be an array")) };
    for (index, message) in messages.iter().enumerate() {
        let wrong = |what: &str| Err(format!("{place}/{index}{what}"));
        let Value::Object(fields) = message else { return wrong(" must be an object") };
        let role = fields.get("role").and_then(Value::as_str);
        if !matches!(role, Some("system" | "user" | "assistant" | "tool")) {
            return wrong("/role must be system, user, assistant or tool");
        }
        for name in ["id", "tool_call_id", "name"] {
            if !matches!(fields.get(name), None | Some(Value::Null | Value::String(_))) {
                return wrong(&format!("/{name} must be a string"));
            }
        }
        if !matches!(fields.get("content"), None | Some(Value::Null | Value::String(_) | Value::Array(_))) {
            return wrong("/content must be a string or an array of parts");
        }
        if !matches!(fields.get("tool_calls"), None | Some(Value::Null | Value::Array(_))) {
            return wrong("/tool_calls must be an array");
        }
    }
    Ok(messages)
}

fn text(fields: &Fields, name: &str, place: &str) -> Result<Option<String>, String> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("{place}/{name} must be a string")),
    }
}

fn required_text(fields: &Fields, name: &str, place: &str) -> Result<String, String> {
    text(fields, name, place)?.ok_or_else(|| format!("{place}/{name} is missing"))
}

fn flag(fields: &Fields, name: &str, place: &str) -> Result<Option<bool>, String> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(*flag)),
        Some(_) => Err(format!("{place}/{name} must be true or false")),
    }
}

fn retry(fields: &Fields, place: &str) -> Result<RetryPatch, String> {
    match fields.get("retry") {
        None | Some(Value::Null) => Ok(RetryPatch::default()),
        Some(retry) => RetryPatch::deserialize(retry).map_err(|error| format!("{place}/retry: {error}")),
    }
}
