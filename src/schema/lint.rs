//! What a developer should hear about a tool's input schema when the tool is registered.
//!
//! An error means that no call could ever be right; a warning, that the schema says less or other than it
//! seems to. Whether it compiles is another question, asked elsewhere.

use serde::Serialize;
use serde_json::Value;

use super::arguments::Limits;
use super::json::Json;
use super::value::parse_value;
use super::walk::{children, depth, escape};
use super::wording::{describe, json, quoted};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The tool cannot be registered with it.
    Error,
    /// Worth a word.
    Warning,
}

/// One thing a developer should hear.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub level: Level,
    /// Where in the schema, as a JSON pointer; empty for the root.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// References followed from the root in search of its type.
const REFERENCE_CAP: usize = 8;

/// Findings about a schema for a tool's input, errors first.
#[must_use]
pub fn lint(schema: &Value) -> Vec<Finding> {
    let cap = Limits::default().depth;
    if depth(schema, cap) > cap {
        return vec![finding(
            Level::Error,
            "",
            format!("the schema is nested deeper than {cap} levels"),
            None,
        )];
    }
    let mut findings: Vec<Finding> = root_fault(schema).into_iter().collect();
    let mut pending = vec![(schema, String::new())];
    while let Some((schema, pointer)) = pending.pop() {
        findings.extend(nullable(schema, &pointer));
        findings.extend(impossible(schema, &pointer));
        let inner = children(schema);
        pending.extend(inner.iter().rev().map(|child| (child.schema, child.pointer(&pointer))));
    }
    findings
}

/// The same for a schema given as JSON text.
#[must_use]
pub fn lint_text(text: &str) -> Vec<Finding> {
    let limits = Limits::default();
    let fault = |message: String| vec![finding(Level::Error, "", message, None)];
    if let Err(malformed) = limits.admit("a schema", text) {
        return fault(malformed.message);
    }
    match parse_value(text, &limits) {
        Ok(schema) => lint(&schema),
        Err(error) => fault(error.describe(text).message),
    }
}

fn finding(level: Level, path: &str, message: String, hint: Option<&str>) -> Finding {
    Finding { level, path: path.to_owned(), message, hint: hint.map(str::to_owned) }
}

/// Arguments are always an object: a root that takes none makes every call wrong.
fn root_fault(schema: &Value) -> Option<Finding> {
    const WRAP: &str = "make the root {\"type\": \"object\"} and put the value under a property";
    match schema {
        Value::Bool(true) => None,
        Value::Bool(false) => {
            Some(finding(Level::Error, "", "the schema `false` refuses every call".to_owned(), None))
        }
        Value::Object(_) => {
            let refused = refuses_objects(schema, schema, REFERENCE_CAP)?;
            let message = format!("a tool's input is always an object, but the root asks for {refused}");
            Some(finding(Level::Error, "", message, Some(WRAP)))
        }
        other => {
            let message =
                format!("a schema is an object or a boolean, got {} {}", other.kind().name(), json(other));
            Some(finding(Level::Error, "", message, None))
        }
    }
}

/// What a schema asks for instead, if it can be seen to take no object.
fn refuses_objects(root: &Value, schema: &Value, budget: usize) -> Option<String> {
    let budget = budget.checked_sub(1)?;
    let takes_object = match (schema.get("type"), schema.get("const"), schema.get("enum")) {
        (Some(Value::String(name)), _, _) => name == "object",
        (Some(Value::Array(names)), _, _) => names.iter().any(|name| name == "object"),
        (_, Some(value), _) => value.is_object(),
        (_, _, Some(Value::Array(options))) => options.iter().any(Value::is_object),
        _ => true,
    };
    if !takes_object {
        return describe(schema);
    }
    let reference = schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#'));
    if let Some(target) = reference.and_then(|pointer| root.pointer(pointer)) {
        return refuses_objects(root, target, budget);
    }
    for keyword in ["anyOf", "oneOf"] {
        let Some(Value::Array(branches)) = schema.get(keyword) else {
            continue;
        };
        let refused: Vec<String> =
            branches.iter().filter_map(|branch| refuses_objects(root, branch, budget)).collect();
        if !branches.is_empty() && refused.len() == branches.len() {
            return Some(refused.join(" or "));
        }
    }
    None
}

fn nullable(schema: &Value, pointer: &str) -> Option<Finding> {
    let takes_null = match schema.get("type")? {
        Value::String(name) => name == "null",
        Value::Array(names) => names.iter().any(|name| name == "null"),
        _ => false,
    };
    if takes_null || schema.get("nullable")? != &Value::Bool(true) {
        return None;
    }
    let message = "\"nullable\" belongs to OpenAPI and means nothing here: null is refused".to_owned();
    let hint = match schema.get("type")? {
        Value::String(name) => format!("write \"type\": [{}, \"null\"]", quoted(name)),
        _ => "add \"null\" to \"type\"".to_owned(),
    };
    Some(finding(Level::Warning, &format!("{pointer}/nullable"), message, Some(&hint)))
}

/// A required property that nothing allows.
fn impossible(schema: &Value, pointer: &str) -> Vec<Finding> {
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    let (true, Some(Value::Array(required)), None) =
        (closed, schema.get("required"), schema.get("patternProperties"))
    else {
        return Vec::new();
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    let unknown = |name: &&str| !properties.is_some_and(|map| map.contains_key(*name));
    let names = required.iter().filter_map(Value::as_str).filter(unknown);
    names
        .map(|name| {
            let message = format!("{} is required, but no property of that name is allowed", quoted(name));
            let path = format!("{pointer}/properties/{}", escape(name));
            finding(Level::Warning, &path, message, Some("describe it under \"properties\""))
        })
        .collect()
}
