//! What a bundled engine is told once, at its start: keys, the agent, pacing, limits and switches.
//!
//! Every field has a default, so `{}` is a whole configuration. Unknown fields are refused, so that a
//! misspelt switch is an error and not a silent default. Nothing here changes after [`super::Engine::new`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::faults::Fault;
use super::script::{Script, ScriptCall};

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
    /// Time between a call's request and its dispatch.
    pub dispatch_delay_ms: u64,
    /// What the scheduler adds to each backoff.
    pub retry_latency_ms: u64,
    /// Who answers the model requests.
    pub model: ModelSource,
    /// What the scripted model says.
    pub script: Script,
    /// The agent every `agent_id` gets.
    pub agent: AgentConfig,
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
            dispatch_delay_ms: 0,
            retry_latency_ms: 0,
            model: ModelSource::Script,
            script: Script::default(),
            agent: AgentConfig::default(),
            switches: Switches::default(),
            faults: Vec::new(),
        }
    }
}

/// Who answers the model requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ModelSource {
    /// [`Config::script`].
    Script,
    /// The host: `Output::ModelAsked` out, `Input::ModelReplied` back.
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
        }
    }
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

/// Readings of the disputed points. The defaults follow the newest source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Switches {
    /// How a body that does not parse is answered.
    pub bad_body: BadBody,
    /// How a submit during a turn is answered.
    pub busy_submit: BusySubmit,
    /// What happens to a `client.messages` view sent during a turn.
    pub view_in_turn: ViewInTurn,
    /// Which event object is sent.
    pub event_object: EventObject,
    /// The number of the first attempt.
    pub attempt_base: u32,
    /// How results are taken and stored.
    pub results: ResultForm,
    /// Give page-declared tools `handler: "client"` whatever they say.
    pub force_client_handler: bool,
    /// Put `queued` into the replies of submits.
    pub queued_field: bool,
    /// Check results with `isError: true` against the output schema too.
    pub check_error_results: bool,
    /// Let events that belong to no turn through a stream scoped to one turn.
    pub turnless_in_scope: bool,
    /// Announce each open call as voided before `session.cancelled`.
    pub cancel_voids: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Switches {
            bad_body: BadBody::Json400,
            busy_submit: BusySubmit::Swallowed,
            view_in_turn: ViewInTurn::Refused,
            event_object: EventObject::Source,
            attempt_base: 0,
            results: ResultForm::ToolResult,
            force_client_handler: false,
            queued_field: true,
            check_error_results: true,
            turnless_in_scope: false,
            cancel_voids: true,
        }
    }
}

/// How a body that does not parse is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BadBody {
    /// 400 and `{ ok, error, param }`, as engines from about 0.7 on.
    Json400,
    /// 422, 400 or 415 and plain text, as older engines.
    Text422,
}

/// How a submit during a turn is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BusySubmit {
    /// 202 that names the running turn; the message is dropped.
    Swallowed,
    /// The 409 the documents promise.
    Conflict,
}

/// What happens to a `client.messages` view sent during a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ViewInTurn {
    /// It is refused before it is read, like any submit.
    Refused,
    /// Its answers settle open calls; its other news is one more decision and may fork.
    Examined,
}

/// Which event object is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum EventObject {
    /// The big one with `meta`.
    Source,
    /// The small documented one with a top-level `turn_id`.
    Documented,
}

/// How results are taken and stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ResultForm {
    /// Wrapped, flattened or plain; stored as `{ content, structuredContent? }`.
    ToolResult,
    /// Plain values only, stored as one string, as before 0.6.
    Text,
}
