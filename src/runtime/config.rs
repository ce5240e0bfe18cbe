//! Every number the machine obeys, in one place, with its default and its reason.

use super::ids::Millis;
use serde::Deserialize;

/// How an engine speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// A session's event log, and inputs to it.
    #[default]
    Native,
    /// One address that streams triggers and takes actions. It carries calls alone.
    Trigger,
    /// Runs that are posted with the whole conversation.
    AgUi,
}

/// How the machine behaves. All spans are milliseconds.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Config {
    /// The agent that messages are sent to.
    pub agent: String,
    /// The session to use.
    pub session_id: String,
    /// How the engine speaks.
    pub dialect: Dialect,
    /// Whether a server of runs may be asked for the conversation.
    pub connectable: bool,
    /// Whether a server of runs is the native engine, which takes answers by its client API too.
    pub native_input: bool,
    /// Whether the session was made just now, so that there is no history to read first.
    pub fresh: bool,
    /// Whether this page owns the session from the start. Without, it watches until it is told.
    pub owner: bool,
    /// Seed of the jitter. The only chance the machine knows.
    pub seed: u64,
    /// First step of the reconnect back-off, until the server's `retry` says otherwise.
    pub backoff_base: Millis,
    /// How long a run's stream may be silent, where it was never heard to send signs of life.
    pub run_patience: Millis,
    /// How long the native engine may keep silent about a run with answers before they go another way too.
    pub stall_timeout: Millis,
    /// How long a server is asked what became of a run that broke off.
    pub connect_patience: Millis,
    /// How often in a row a model may make the same calls and get the same answers.
    pub max_identical_rounds: u64,
    /// Most runs of one turn.
    pub max_rounds: u64,
    /// Longest step of any back-off.
    pub backoff_max: Millis,
    /// A stream silent for this long is taken for dead: three of the engine's keep-alives.
    pub idle_timeout: Millis,
    /// A stream that showed some history and then nothing new for this long has shown all of it.
    pub replay_quiet: Millis,
    /// A stream that showed no history for this long has none to show.
    pub replay_patience: Millis,
    /// How long a call for an unregistered tool waits: a component may be about to mount.
    pub unknown_tool_grace: Millis,
    /// How long an answer may stay unconfirmed before the stream is asked again from the cursor.
    pub confirm_timeout: Millis,
    /// How long a validator or a repair function may take. Long, because the validator may be loading.
    pub check_timeout: Millis,
    /// Most calls that may be open at once; a further one is answered `overloaded`.
    pub max_open_calls: usize,
    /// Most handlers that may run at once; a further call waits.
    pub max_running: usize,
    /// Most ended calls that are remembered so that a replay cannot run them again.
    pub max_remembered: usize,
    /// Most bytes of one event. Far above the arguments that are taken, which an event may hold twice and escaped:
    /// a call that is not read is not answered, and one that is read is answered with what is wrong.
    pub max_frame_bytes: usize,
    /// Most bytes of a call's arguments.
    pub max_argument_bytes: usize,
    /// Deepest nesting of a call's arguments.
    pub max_argument_depth: usize,
    /// Most bytes of a result.
    pub max_result_bytes: usize,
    /// Most messages that may wait to be sent.
    pub max_turns: usize,
    /// Most agents started by others that are followed at once. Each takes a connection, of which browsers
    /// give an origin six over HTTP/1.1.
    pub max_children: usize,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            agent: String::new(),
            session_id: String::new(),
            dialect: Dialect::Native,
            connectable: false,
            native_input: false,
            run_patience: Millis(300_000),
            stall_timeout: Millis(10_000),
            connect_patience: Millis(60_000),
            max_identical_rounds: 3,
            max_rounds: 100,
            fresh: true,
            owner: true,
            seed: 0,
            backoff_base: Millis(1_000),
            backoff_max: Millis(30_000),
            idle_timeout: Millis(45_000),
            replay_quiet: Millis(250),
            replay_patience: Millis(1_500),
            unknown_tool_grace: Millis(2_000),
            confirm_timeout: Millis(30_000),
            check_timeout: Millis(60_000),
            max_open_calls: 2_048,
            max_running: 32,
            max_remembered: 8_192,
            max_frame_bytes: 64 << 20,
            max_argument_bytes: 4 << 20,
            max_argument_depth: 128,
            max_result_bytes: 4 << 20,
            max_turns: 64,
            max_children: 4,
        }
    }
}
