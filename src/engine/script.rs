//! The scripted model: rules that look at the conversation and say what the model replies.
//!
//! A script is JSON. `replies`, if any, are used up first, one per model request of a session; after them
//! the first of `rules` whose `when` holds decides; if none does, `otherwise` does.
//!
//! ```json
//! {
//!   "rules": [
//!     { "when": { "user": "cart" }, "say": "Let me look.", "call": [ { "name": "read_cart" } ] },
//!     { "when": { "after": "read_cart" }, "say": "You have {{result:read_cart/items}} items." },
//!     { "when": { "user": "both" }, "call": [ { "name": "a" }, { "name": "b", "arguments": { "n": 1 } } ] },
//!     { "when": { "user": "ship" }, "call": [ { "name": "set_address", "arguments": "{\"zip\":1}" } ] },
//!     { "when": { "after": "set_address", "error": true },
//!       "call": [ { "name": "set_address", "arguments": { "zip": "1000" } } ] },
//!     { "when": { "after": "set_address" }, "say": "Saved." }
//!   ]
//! }
//! ```
//!
//! `user` is a part of the last user message, without regard to case; `"*"` is any. Without `after` a rule
//! answers a user's message only; with it, the tool results since the model's last reply (`"*"` is any
//! tool). `error` asks whether one of those failed. `arguments` as a string go out verbatim, so broken ones
//! can be scripted; anything else is written as JSON. In `say` and in the texts of arguments are replaced
//! `{{user}}`, `{{result}}`, `{{result:tool/pointer}}`, and `{{word:tool/part}}`: of the lines that the tool
//! answered, the first word of the first one with that part, as a model picks an element's reference.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::io::{ModelFailure, ModelReply, ReplyCall};

/// What the scripted model says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Script {
    /// Used up in order, one per model request of a session.
    pub replies: Vec<Reply>,
    /// The first that fits decides.
    pub rules: Vec<Rule>,
    /// For requests that nothing fits.
    pub otherwise: Reply,
}

impl Default for Script {
    fn default() -> Self {
        let say = Some("I have nothing to say to that.".to_owned());
        Script { replies: Vec::new(), rules: Vec::new(), otherwise: Reply { say, ..Reply::default() } }
    }
}

/// A reply and when to give it; in JSON the two lie side by side.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "FlatRule", rename_all = "camelCase")]
pub struct Rule {
    /// All that is named must hold.
    pub when: When,
    /// How often the rule may be used in a session; absent is no limit.
    pub times: Option<u32>,
    /// The reply.
    #[serde(flatten)]
    pub reply: Reply,
}

/// A rule as it is written: read through this, because a flattened part cannot refuse unknown fields.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct FlatRule {
    when: When,
    times: Option<u32>,
    say: Option<String>,
    call: Vec<ScriptCall>,
    error: Option<ModelFailure>,
    interrupt: Option<ScriptInterrupt>,
    delay_ms: u64,
}

impl From<FlatRule> for Rule {
    fn from(flat: FlatRule) -> Rule {
        let FlatRule { when, times, say, call, error, interrupt, delay_ms } = flat;
        Rule { when, times, reply: Reply { say, call, error, interrupt, delay_ms } }
    }
}

/// A rule's conditions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct When {
    /// Part of the last user message; `"*"` is any.
    pub user: Option<String>,
    /// A tool that has answered since the model's last reply; `"*"` is any.
    pub after: Option<String>,
    /// Whether one of those answers is an error.
    pub error: Option<bool>,
    /// Part of one of those answers.
    pub result: Option<String>,
    /// The name of a `client.action`.
    pub action: Option<String>,
}

/// One scripted reply.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Reply {
    /// Text.
    pub say: Option<String>,
    /// Tool calls, all in this one reply.
    pub call: Vec<ScriptCall>,
    /// The model fails instead.
    pub error: Option<ModelFailure>,
    /// The worker raises an interrupt after this reply.
    pub interrupt: Option<ScriptInterrupt>,
    /// Time before the first piece, besides the pacing.
    pub delay_ms: u64,
}

/// One scripted tool call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct ScriptCall {
    /// The tool.
    pub name: String,
    /// A string goes out verbatim, anything else as JSON; absent is `{}`.
    pub arguments: Option<Value>,
    /// A fixed id; minted where it is missing or taken.
    pub id: Option<String>,
}

/// An interrupt a script raises.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct ScriptInterrupt {
    /// Chosen or minted.
    pub id: Option<String>,
    /// Why, for people.
    pub reason: String,
    /// Anything the page may need.
    pub payload: Value,
    /// Whether the page may resume it.
    pub client_may_resume: bool,
}

impl Default for ScriptInterrupt {
    fn default() -> Self {
        ScriptInterrupt {
            id: None,
            reason: "confirm".to_owned(),
            payload: Value::Null,
            client_may_resume: true,
        }
    }
}

/// What a session remembers of its script.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress {
    replies_used: usize,
    rule_uses: Vec<u32>,
}

/// What a script may look at.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scene {
    /// Text of the last user message.
    pub(crate) user: String,
    /// The action that started the turn and is not yet answered.
    pub(crate) action: Option<String>,
    /// Tool answers since the model's last reply, in order.
    pub(crate) answers: Vec<Answered>,
}

/// A tool answer as a script sees it.
#[derive(Debug, Clone)]
pub(crate) struct Answered {
    pub(crate) tool: String,
    pub(crate) text: String,
    pub(crate) error: bool,
}

impl Script {
    /// Whether a rule answers a `client.action` of that name.
    pub(crate) fn knows_action(&self, name: &str) -> bool {
        self.rules.iter().any(|rule| rule.when.action.as_deref() == Some(name))
    }

    /// The reply to a scene, placeholders not yet filled.
    pub(crate) fn choose(&self, scene: &Scene, progress: &mut Progress) -> Reply {
        if let Some(reply) = self.replies.get(progress.replies_used) {
            progress.replies_used += 1;
            return reply.clone();
        }
        progress.rule_uses.resize(self.rules.len(), 0);
        for (rule, uses) in self.rules.iter().zip(&mut progress.rule_uses) {
            let left = rule.times.is_none_or(|times| *uses < times);
            if left && rule.when.holds(scene) {
                *uses = uses.saturating_add(1);
                return rule.reply.clone();
            }
        }
        self.otherwise.clone()
    }
}

impl When {
    fn holds(&self, scene: &Scene) -> bool {
        let user = self
            .user
            .as_deref()
            .is_none_or(|part| part == "*" || scene.user.to_lowercase().contains(&part.to_lowercase()));
        user && self.action == scene.action && self.holds_for_answers(&scene.answers)
    }

    fn holds_for_answers(&self, answers: &[Answered]) -> bool {
        let Some(tool) = &self.after else {
            return answers.is_empty() && self.error.is_none() && self.result.is_none();
        };
        let named = || answers.iter().filter(|answer| tool == "*" || answer.tool == *tool);
        named().next().is_some()
            && self.error.is_none_or(|error| named().any(|answer| answer.error) == error)
            && self
                .result
                .as_ref()
                .is_none_or(|part| named().any(|answer| answer.text.contains(part.as_str())))
    }
}

impl Reply {
    /// The reply as a model gives it, placeholders filled.
    pub(crate) fn render(&self, scene: &Scene) -> ModelReply {
        ModelReply {
            text: self.say.as_ref().map(|text| fill(text, scene)),
            tool_calls: self.call.iter().map(|call| call.render(scene)).collect(),
            error: self.error.clone(),
        }
    }
}

impl ScriptCall {
    pub(crate) fn render(&self, scene: &Scene) -> ReplyCall {
        let arguments = match &self.arguments {
            None => "{}".to_owned(),
            Some(Value::String(text)) => fill(text, scene),
            Some(value) => fill_texts(value, scene).to_string(),
        };
        ReplyCall { id: self.id.clone(), name: self.name.clone(), arguments }
    }
}

/// Replaces the placeholders in every text of a value, before it becomes JSON: what is put in may hold quotes.
fn fill_texts(value: &Value, scene: &Scene) -> Value {
    match value {
        Value::String(text) => Value::String(fill(text, scene)),
        Value::Array(items) => items.iter().map(|item| fill_texts(item, scene)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| (name.clone(), fill_texts(field, scene))).collect()
        }
        other => other.clone(),
    }
}

/// Replaces the placeholders; an unknown one stays as it is.
fn fill(text: &str, scene: &Scene) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from)) = rest.split_once("{{") {
        filled.push_str(before);
        match from.split_once("}}") {
            Some((name, after)) => {
                match placeholder(name, scene) {
                    Some(value) => filled.push_str(&value),
                    None => filled.push_str(&format!("{{{{{name}}}}}")),
                }
                rest = after;
            }
            None => {
                filled.push_str("{{");
                rest = from;
            }
        }
    }
    filled.push_str(rest);
    filled
}

fn placeholder(name: &str, scene: &Scene) -> Option<String> {
    if name == "user" {
        return Some(scene.user.clone());
    }
    if name == "result" {
        return scene.answers.last().map(|answer| answer.text.clone());
    }
    if let Some((tool, part)) = name.strip_prefix("word:").and_then(|path| path.split_once('/')) {
        let answers = scene.answers.iter().rev().filter(|answer| answer.tool == tool);
        let line = answers.flat_map(|answer| answer.text.lines()).find(|line| line.contains(part))?;
        return line.split_whitespace().next().map(str::to_owned);
    }
    let path = name.strip_prefix("result:")?;
    let (tool, pointer) = match path.split_once('/') {
        Some((tool, rest)) => (tool, Some(format!("/{rest}"))),
        None => (path, None),
    };
    let answer = scene.answers.iter().rev().find(|answer| answer.tool == tool)?;
    let Some(pointer) = pointer else { return Some(answer.text.clone()) };
    let value: Value = serde_json::from_str(&answer.text).ok()?;
    Some(match value.pointer(&pointer)? {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    })
}
