//! The one place where the engine meets the schema room: is a result what its tool declared?
//!
//! A schema that does not compile is skipped, as the engine skips it.

use serde_json::Value;

use crate::schema::{self, Check};

/// At most this many violations are told.
const TOLD: usize = 3;

/// The violations of a rendered result, each `"<pointer>: <reason>"`, joined; none if it passes.
pub(crate) fn violations(output: &Value, rendered: &str) -> Option<String> {
    let compiled = schema::compile(output, &schema::Options::default()).ok()?;
    let issues = compiled.check_result(rendered);
    if issues.is_empty() {
        return None;
    }
    let told = issues.iter().take(TOLD).map(|issue| format!("{}: {}", issue.path, issue.reason()));
    Some(told.collect::<Vec<_>>().join("; "))
}
