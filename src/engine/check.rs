//! The one place where the engine meets the schema room: are arguments and results what the tool declared?
//!
//! A schema that does not compile is skipped, as the engine skips it.

use serde_json::Value;

use crate::schema::{self, Check};

/// At most this many violations are told.
const TOLD: usize = 3;

/// The violations of a rendered result, each `"<pointer>: <reason>"`, joined; none if it passes.
pub(crate) fn violations(output: &Value, rendered: &str) -> Option<String> {
    let compiled = schema::compile(output, &schema::Options::default()).ok()?;
    told(&compiled.check_result(rendered))
}

fn told(issues: &[schema::Issue]) -> Option<String> {
    let told = issues.iter().take(TOLD).map(|issue| format!("{}: {}", issue.path, issue.reason()));
    (!issues.is_empty()).then(|| told.collect::<Vec<_>>().join("; "))
}

/// What a model's arguments are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Arguments {
    /// One JSON object that meets the tool's schema: its text, on one line.
    Valid { text: String },
    /// One JSON object that does not.
    Invalid { text: String, error: String },
    /// Anything else.
    Malformed { error: String },
}

/// Looks at a model's arguments; without a schema every object is valid.
pub(crate) fn arguments(input: Option<&Value>, text: &str) -> Arguments {
    let text = match schema::classify_text(text, &schema::Limits::default()) {
        schema::Arguments::Malformed(malformed) => {
            return Arguments::Malformed { error: malformed.message };
        }
        // Between the parts of an object only: within a string JSON allows no line break.
        schema::Arguments::Object { text } => text.replace(['\n', '\r'], " "),
    };
    let compiled = input.and_then(|input| schema::compile(input, &schema::Options::default()).ok());
    match compiled.map(|compiled| compiled.check(&text)).and_then(|issues| told(&issues)) {
        Some(error) => Arguments::Invalid { text, error },
        None => Arguments::Valid { text },
    }
}
