//! What the machine knows of a tool: everything but its function.

use super::ids::Millis;
use crate::protocol::RawJson;
use crate::protocol::settle::Encoding;
use serde::{Deserialize, Serialize};

/// A registered tool, as the shell describes it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    /// The name the model calls it by.
    pub name: String,
    /// What the model reads when it decides.
    #[serde(default)]
    pub description: Option<String>,
    /// Mirrored onto reports.
    #[serde(default)]
    pub version: Option<String>,
    /// The JSON Schema of the arguments, for the engine; opaque here.
    #[serde(default)]
    pub input: Option<RawJson>,
    /// The JSON Schema of the result, for the engine; opaque here.
    #[serde(default)]
    pub output: Option<RawJson>,
    /// Whether the shell has a validator for the arguments.
    #[serde(default)]
    pub checks_input: bool,
    /// Whether the shell has a validator for the result.
    #[serde(default)]
    pub checks_output: bool,
    /// What to do with arguments that do not fit.
    #[serde(default)]
    pub on_invalid: OnInvalid,
    /// Whether the model gets the result.
    #[serde(default)]
    pub mode: Mode,
    /// What a person must agree to before it runs.
    #[serde(default)]
    pub asks_consent: bool,
    /// It changes nothing: safe to run again when nobody knows whether it ran.
    #[serde(default)]
    pub read_only: bool,
    /// Twice is as good as once: safe to run again.
    #[serde(default)]
    pub idempotent: bool,
    /// Longest run of the handler, while no person is being asked.
    #[serde(default)]
    pub timeout: Option<Millis>,
    /// Calls of one lane run one after another.
    #[serde(default)]
    pub lane: Option<String>,
    /// How its result is put on the wire.
    #[serde(default)]
    pub encoding: Encoding,
}

impl ToolSpec {
    /// Whether running it twice does no more than running it once.
    pub(super) fn may_run_again(&self) -> bool {
        self.read_only || self.idempotent
    }
}

/// What to do with arguments that violate the schema, or are not a JSON object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnInvalid {
    /// Answer with the violations.
    #[default]
    Reject,
    /// Run all the same; malformed arguments are never run.
    Run,
    /// Let the shell's function propose a new value, once; it is checked again.
    Repair,
}

/// Whether the model gets the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// It does.
    #[default]
    Feedback,
    /// It gets a fixed acknowledgement.
    Silent,
}
