//! Values, names and schemas in few words. Everything is capped before it is built, not after: a value of
//! megabytes is written no further than its first characters.

use core::fmt::{Error, Result, Write};

use serde_json::Value;

/// Characters of a value that a message repeats.
const VALUE_CAP: usize = 80;

/// Values and names that a description lists.
const DESCRIBED: usize = 12;

/// The first `cap` characters, with `…` where something was left out.
#[must_use]
pub fn shorten(text: &str, cap: usize) -> String {
    match text.char_indices().nth(cap) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A value as short JSON.
#[must_use]
pub fn json(value: &Value) -> String {
    let mut sink = Capped(String::new());
    // The only error is the sink saying that it is full.
    let _ = write!(sink, "{value}");
    shorten(&sink.0, VALUE_CAP)
}

/// A name in quotes, shortened.
#[must_use]
pub fn quoted(name: &str) -> String {
    Value::from(shorten(name, VALUE_CAP)).to_string()
}

/// A value with the name of its type in front: `string "2"`.
#[must_use]
pub fn show(value: &Value) -> String {
    if value.is_null() {
        return "null".to_owned();
    }
    format!("{} {}", type_name(value), json(value))
}

/// The name of a value's type, with `integer` for whole numbers.
#[must_use]
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) => {
            let whole = number.as_f64().is_some_and(|number| number.fract() == 0.0);
            if whole { "integer" } else { "number" }
        }
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// What a schema asks for, in words, where that is short: its type or its allowed values, and what is inside.
#[must_use]
pub fn describe(schema: &Value) -> Option<String> {
    described(schema, 2)
}

/// The same, looking `levels` further in.
fn described(schema: &Value, levels: usize) -> Option<String> {
    if let Some(options) = schema.get("enum").and_then(Value::as_array) {
        return Some(format!("one of {}", list(options.iter().map(json), DESCRIBED)));
    }
    if let Some(value) = schema.get("const") {
        return Some(json(value));
    }
    let Some(kind) = schema.get("type") else {
        let choices = ["anyOf", "oneOf"].iter().find_map(|keyword| schema.get(keyword)?.as_array())?;
        let inner = levels.checked_sub(1)?;
        let known: Option<Vec<String>> =
            choices.iter().take(DESCRIBED).map(|choice| described(choice, inner)).collect();
        return known.filter(|_| choices.len() <= DESCRIBED).map(super::either);
    };
    let inside = match kind.as_str() {
        Some("array") => levels
            .checked_sub(1)
            .and_then(|inner| described(schema.get("items")?, inner))
            .map(|item| format!("array of {item}")),
        Some("object") => needed(schema).map(|names| format!("object with {names}")),
        _ => None,
    };
    inside.or_else(|| match kind {
        Value::String(name) => Some(name.clone()),
        Value::Array(names) => Some(super::either(names.iter().filter_map(Value::as_str).map(str::to_owned))),
        _ => None,
    })
}

/// The names an object must have.
fn needed(schema: &Value) -> Option<String> {
    let names = schema.get("required")?.as_array().filter(|names| !names.is_empty())?;
    Some(list(names.iter().map(json), DESCRIBED))
}

/// Parts joined by commas, at most `cap` of them.
#[must_use]
pub fn list(parts: impl ExactSizeIterator<Item = String>, cap: usize) -> String {
    let total = parts.len();
    let shown: Vec<String> = parts.take(cap).collect();
    if total > cap { format!("{} and {} more", shown.join(", "), total - cap) } else { shown.join(", ") }
}

struct Capped(String);

impl Write for Capped {
    fn write_str(&mut self, text: &str) -> Result {
        // Four bytes a character, and room for one more so that a cut is seen as one.
        let room = (VALUE_CAP * 4 + 8).saturating_sub(self.0.len());
        if text.len() <= room {
            self.0.push_str(text);
            return Ok(());
        }
        self.0.extend(text.char_indices().take_while(|(at, _)| *at < room).map(|(_, character)| character));
        Err(Error)
    }
}
