//! The agent's configuration as a worker writes it: what of it the engine acts on, and how retries stack.
//!
//! Read leniently: what the bundled engine does not act on is kept as it came and told again. What it does act
//! on must have the right form.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::config::{AgentConfig, AgentTool, RetryOverrides, RetryPolicy};

/// The model named where the engine's own configuration proposes an agent.
const MODEL: &str = "bundled";

/// A configuration in force.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Agent {
    /// All of it, as the worker wrote it.
    pub(crate) raw: Value,
    pub(crate) tools: Vec<AgentTool>,
    pub(crate) retry: RetryPatches,
}

impl Agent {
    /// Reads a configuration; the error names the field that is wrong.
    pub(crate) fn read(raw: Value) -> Result<Agent, String> {
        let Value::Object(fields) = &raw else { return Err("agent must be an object".to_owned()) };
        if fields.get("model").and_then(Value::as_str).is_none_or(str::is_empty) {
            return Err("agent/model must name a model: it is the one field an agent needs".to_owned());
        }
        let tools = match fields.get("tools") {
            None | Some(Value::Null) => Vec::new(),
            Some(tools) => read_tools(tools, "agent/tools")?,
        };
        let retry = match fields.get("retry") {
            None | Some(Value::Null) => RetryPatches::default(),
            Some(retry) => {
                RetryPatches::deserialize(retry).map_err(|error| format!("agent/retry: {error}"))?
            }
        };
        Ok(Agent { tools, retry, raw })
    }

    /// What the engine's own configuration comes to.
    pub(crate) fn proposed(config: &AgentConfig, tools: &[AgentTool]) -> Value {
        let mut agent = Map::new();
        agent.insert("model".to_owned(), json!(MODEL));
        agent.insert("tools".to_owned(), json!(tools));
        if config.stream {
            agent.insert("stream".to_owned(), json!(true));
        }
        if config.retry != RetryOverrides::default() {
            agent.insert("retry".to_owned(), json!(config.retry));
        }
        Value::Object(agent)
    }
}

/// Reads a list of tools; fields that no tool has are let through.
pub(crate) fn read_tools(tools: &Value, place: &str) -> Result<Vec<AgentTool>, String> {
    let Value::Array(tools) = tools else { return Err(format!("{place} must be an array")) };
    let known = ["name", "description", "input", "output", "handler", "defer"];
    let mut read: Vec<AgentTool> = Vec::new();
    for (index, tool) in tools.iter().enumerate() {
        let wrong = |what: &str| format!("{place}/{index} {what}");
        let Value::Object(fields) = tool else { return Err(wrong("must be an object")) };
        let kept = fields.iter().filter(|(name, _)| known.contains(&name.as_str()));
        let kept: Map<String, Value> = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
        let tool: AgentTool = serde_json::from_value(Value::Object(kept))
            .map_err(|error| wrong(&format!("is no tool: {error}")))?;
        if tool.name.is_empty() || read.iter().any(|other| other.name == tool.name) {
            return Err(wrong("must have a name of its own"));
        }
        read.push(tool);
    }
    Ok(read)
}

/// Changes to a retry policy: only the fields that are named.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct RetryPatch {
    queue_timeout_secs: Option<u64>,
    #[serde(alias = "attempt_timeout_secs")]
    run_timeout_secs: Option<u64>,
    total_timeout_secs: Option<u64>,
    max_attempts: Option<u32>,
    backoff_base_secs: Option<u64>,
    backoff_max_secs: Option<u64>,
}

impl RetryPatch {
    /// A policy with these changes. A timeout cannot be taken away.
    pub(crate) fn over(&self, base: RetryPolicy) -> RetryPolicy {
        RetryPolicy {
            queue_timeout_secs: self.queue_timeout_secs.or(base.queue_timeout_secs),
            run_timeout_secs: self.run_timeout_secs.or(base.run_timeout_secs),
            total_timeout_secs: self.total_timeout_secs.or(base.total_timeout_secs),
            max_attempts: self.max_attempts.unwrap_or(base.max_attempts),
            backoff_base_secs: self.backoff_base_secs.unwrap_or(base.backoff_base_secs),
            backoff_max_secs: self.backoff_max_secs.unwrap_or(base.backoff_max_secs),
        }
    }
}

/// An agent's changes, widest first: for everything, then for one kind of work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct RetryPatches {
    default: Option<RetryPatch>,
    tool: Option<RetryPatch>,
    llm: Option<RetryPatch>,
}

impl RetryPatches {
    pub(crate) fn for_tool(&self) -> RetryPolicy {
        self.stack(RetryOverrides::default().for_tool(), self.tool)
    }

    pub(crate) fn for_model(&self) -> RetryPolicy {
        self.stack(RetryOverrides::default().for_model(), self.llm)
    }

    fn stack(&self, base: RetryPolicy, kind: Option<RetryPatch>) -> RetryPolicy {
        kind.unwrap_or_default().over(self.default.unwrap_or_default().over(base))
    }
}
