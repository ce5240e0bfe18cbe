//! What a bundled engine is told once, at its start: keys, the agent, pacing, limits and switches.
//!
//! Every field has a default, so `{}` is a whole configuration. Unknown fields are refused, so that a
//! misspelt switch is an error and not a silent default. Nothing here changes after [`super::Engine::new`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::faults::Fault;
use super::script::{Script, ScriptCall};
use super::switches::Switches;

/// All settings of one engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Config {
    /// Seed of every id the engine mints.
    pub seed: u64,
    /// The tenant that minted tokens belong to.
    pub tenant_id: String,
    /// The key a backend shows to mint client tokens.
    pub api_key: String,
    /// The secret that client tokens are signed with.
    pub jwt_secret: String,
    /// `iss` of client tokens.
    pub issuer: String,
    /// `aud` of client tokens.
    pub audience: String,
    /// How long after its expiry a token is still taken.
    pub leeway_secs: u64,
    /// Bodies longer than this are answered 413.
    pub body_limit: usize,
    /// Silence on an event stream after which a comment is sent.
    pub keep_alive_ms: u64,
    /// Time between two token deltas, or before a whole reply when nothing is streamed.
    pub delta_interval_ms: u64,
    /// Time the worker takes for a decision.
    pub decision_ms: u64,
    /// Who decides.
    pub worker: WorkerSource,
    /// How long an external worker may take for one attempt at a decision.
    pub worker_timeout_ms: u64,
    /// Time between a call's request and its dispatch.
    pub dispatch_delay_ms: u64,
    /// What the scheduler adds to each backoff.
    pub retry_latency_ms: u64,
    /// Who answers the model requests.
    pub model: ModelSource,
    /// What the scripted model says.
    pub script: Script,
    /// The agent every `agent_id` gets that is not among `agents`.
    pub agent: AgentConfig,
    /// Agents by their `agent_id`; only these can be sub-agents.
    pub agents: BTreeMap<String, AgentConfig>,
    /// How many parents a session may have at most; an agent's own number wins.
    pub max_subagent_depth: u32,
    /// Readings of the points on which documents and sources disagree.
    pub switches: Switches,
    /// Faults armed from the start.
    pub faults: Vec<Fault>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            seed: 1,
            tenant_id: "acme".to_owned(),
            api_key: "test-api-key".to_owned(),
            jwt_secret: "test-secret".to_owned(),
            issuer: "pagehand-engine".to_owned(),
            audience: "client".to_owned(),
            leeway_secs: 60,
            body_limit: 2 * 1024 * 1024,
            keep_alive_ms: 15_000,
            delta_interval_ms: 20,
            decision_ms: 0,
            worker: WorkerSource::BuiltIn,
            worker_timeout_ms: 20_000,
            dispatch_delay_ms: 0,
            retry_latency_ms: 0,
            model: ModelSource::Script,
            script: Script::default(),
            agent: AgentConfig::default(),
            agents: BTreeMap::new(),
            max_subagent_depth: 5,
            switches: Switches::default(),
            faults: Vec::new(),
        }
    }
}

impl Config {
    /// The configuration of an agent.
    #[must_use]
    pub fn agent_of(&self, agent_id: &str) -> &AgentConfig {
        self.agents.get(agent_id).unwrap_or(&self.agent)
    }

    /// The script of an agent's model: its own, or the one for all.
    #[must_use]
    pub fn script_of(&self, agent_id: &str) -> &Script {
        self.agent_of(agent_id).script.as_ref().unwrap_or(&self.script)
    }
}

/// Who answers the model requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ModelSource {
    /// [`Config::script`], or the agent's own.
    Script,
    /// The host: `Output::ModelAsked` out, `Input::ModelReplied` back.
    External,
}

/// Who decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WorkerSource {
    /// The engine itself: whatever it proposes is done.
    BuiltIn,
    /// The host: `Output::WorkerAsked` out, `Input::WorkerReplied` or `Input::WorkerFailed` back.
    External,
}

/// What the worker's configuration says of the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct AgentConfig {
    /// Tools declared by the worker; their names cannot be taken by the page.
    pub tools: Vec<AgentTool>,
    /// Whether `agent.updated` follows the worker's answer to the session's start.
    pub announced: bool,
    /// Stream token deltas even if a submit does not ask for it.
    pub stream: bool,
    /// Whether the worker prompts the model again after a tool has finished.
    pub reprompt: bool,
    /// Retry policies.
    pub retry: RetryOverrides,
    /// What the worker does by itself.
    pub worker: WorkerScript,
    /// What its scripted model says; absent is [`Config::script`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<Script>,
    /// What a parent's model reads of it, where the parent's entry says nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The agents it may call; the model sees each as a tool of that name.
    pub subagents: Vec<SubagentEntry>,
    /// [`Config::max_subagent_depth`] for this agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_subagent_depth: Option<u32>,
}

impl Default for AgentConfig {
    fn default() -> Self {
        AgentConfig {
            tools: Vec::new(),
            announced: false,
            stream: false,
            reprompt: true,
            retry: RetryOverrides::default(),
            worker: WorkerScript::default(),
            script: None,
            description: None,
            subagents: Vec::new(),
            max_subagent_depth: None,
        }
    }
}

/// An agent another one may call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubagentEntry {
    /// A key of [`Config::agents`], and the name the model calls.
    pub id: String,
    /// What the model reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// One declared tool, as on the wire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentTool {
    /// The name the model calls.
    pub name: String,
    /// What the model reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of the arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// JSON Schema of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// Where it runs; absent means the worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handler: Option<Handler>,
    /// Whether its schema is loaded late; kept, never acted on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defer: Option<bool>,
}

/// Where a tool runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Handler {
    /// In the page.
    Client,
    /// In the app's backend.
    Worker,
    /// In the engine.
    Server,
}

impl Handler {
    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Handler::Client => "client",
            Handler::Worker => "worker",
            Handler::Server => "server",
        }
    }
}

/// Timeouts and attempts of one kind of call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RetryPolicy {
    /// Longest wait for dispatch.
    pub queue_timeout_secs: Option<u64>,
    /// Longest run of one attempt.
    pub run_timeout_secs: Option<u64>,
    /// Longest time over all attempts.
    pub total_timeout_secs: Option<u64>,
    /// Attempts in all.
    pub max_attempts: u32,
    /// Base of the exponential backoff.
    pub backoff_base_secs: u64,
    /// Ceiling of the backoff.
    pub backoff_max_secs: u64,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        RetryPolicy {
            queue_timeout_secs: None,
            run_timeout_secs: None,
            total_timeout_secs: None,
            max_attempts: 1,
            backoff_base_secs: 2,
            backoff_max_secs: 60,
        }
    }
}

impl RetryPolicy {
    /// Milliseconds to wait after attempt `attempt` (counted from 0) failed.
    #[must_use]
    pub fn backoff_ms(&self, attempt: u32) -> u64 {
        let secs = self.backoff_base_secs.saturating_pow(attempt.saturating_add(1));
        secs.min(self.backoff_max_secs).saturating_mul(1000)
    }
}

/// An agent's overrides of the engine's policies.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RetryOverrides {
    /// For everything without an own override.
    pub default: Option<RetryPolicy>,
    /// For tool calls, client ones included.
    pub tool: Option<RetryPolicy>,
    /// For model requests.
    pub llm: Option<RetryPolicy>,
}

impl RetryOverrides {
    /// The policy of a tool call.
    #[must_use]
    pub fn for_tool(&self) -> RetryPolicy {
        self.tool.or(self.default).unwrap_or_default()
    }

    /// The policy of a model request.
    #[must_use]
    pub fn for_model(&self) -> RetryPolicy {
        let engine_default = RetryPolicy { max_attempts: 3, ..RetryPolicy::default() };
        self.llm.or(self.default).unwrap_or(engine_default)
    }
}

/// What the worker does by itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct WorkerScript {
    /// Calls the worker issues itself, beside the prompt, on each new user message.
    pub direct_calls: Vec<ScriptCall>,
    /// Answers of worker-handled tools by name; a name without one is an error.
    pub answers: BTreeMap<String, WorkerAnswer>,
}

/// What the worker answers when one of its tools is called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WorkerAnswer {
    /// A result.
    Result(Value),
    /// An error and whether it may be tried again.
    Error {
        /// The text the model reads.
        message: String,
        /// Whether the policy may retry it.
        #[serde(default)]
        retryable: bool,
    },
}
