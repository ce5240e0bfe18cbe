//! Guesses at what the model meant: said as a hint, never acted on.

use serde_json::Value;

use super::super::nearest::nearest;
use super::super::reader::Reader;
use super::show::{json, quoted, shorten};

/// Items looked at in search of a repeat.
const REPEAT_CAP: usize = 200;

/// How the outline of an object begins.
pub(super) const OBJECT: &str = "send an object";

/// What an object holds, for one that was sent as something else.
pub(super) fn for_object(parts: &str, needed: bool) -> String {
    format!("{OBJECT} {} {parts}", if needed { "with" } else { "that may have" })
}

pub(super) fn for_type(expected: &str, got: &Value, optional: bool) -> Option<String> {
    let wants = |name: &str| expected.split([' ', ',']).any(|word| word == name);
    match got {
        Value::Null if optional => Some("leave the property out if there is no value".to_owned()),
        Value::String(text) => {
            let text = text.trim();
            let literal = (wants("integer") && text.parse::<i64>().is_ok())
                || (wants("number") && text.parse::<f64>().is_ok_and(f64::is_finite))
                || (wants("boolean") && matches!(text, "true" | "false"))
                || (wants("null") && text == "null");
            if literal {
                return Some(format!("write {}, without quotes", shorten(text, 40)));
            }
            if let Some(meant) = wants("boolean").then(|| truth(text)).flatten() {
                return Some(format!("write {meant}"));
            }
            let container =
                (wants("object") && text.starts_with('{')) || (wants("array") && text.starts_with('['));
            if container && Reader::new(text, 128).drain().is_ok() {
                return Some("send the JSON itself, not a string that holds it".to_owned());
            }
            wants("array").then(|| format!("wrap it: [{}]", shorten(&json(got), 40)))
        }
        Value::Number(number) if wants("boolean") => {
            truth(&number.to_string()).map(|meant| format!("write {meant}"))
        }
        Value::Number(number) if wants("string") => Some(format!("put it in quotes: \"{number}\"")),
        Value::Number(_) | Value::Bool(_) | Value::Object(_) if wants("array") => {
            Some(format!("wrap it: [{}]", shorten(&json(got), 40)))
        }
        _ => None,
    }
}

/// The boolean that a word of other languages means.
fn truth(word: &str) -> Option<bool> {
    let is = |words: [&str; 4]| words.iter().any(|other| word.eq_ignore_ascii_case(other));
    match (is(["true", "yes", "on", "1"]), is(["false", "no", "off", "0"])) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

pub(super) fn for_enum(options: &[Value], got: &Value) -> Option<String> {
    match got {
        Value::String(text) => {
            if let Some(option) =
                options.iter().find(|option| !option.is_string() && option.to_string() == *text)
            {
                return Some(format!("write {}, without quotes", json(option)));
            }
            let near = nearest(text, options.iter().filter_map(Value::as_str))?;
            Some(format!("did you mean {}?", quoted(near)))
        }
        other => {
            let text = other.to_string();
            let option = options.iter().filter_map(Value::as_str).find(|option| *option == text)?;
            Some(format!("put it in quotes: {}", quoted(option)))
        }
    }
}

pub(super) fn for_format(format: &str) -> Option<String> {
    let example = match format {
        "date-time" => "2025-01-31T09:30:00Z",
        "date" => "2025-01-31",
        "time" => "09:30:00Z",
        "duration" => "PT30M",
        "email" | "idn-email" => "name@example.com",
        "hostname" => "www.example.com",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "uri" | "iri" => "https://example.com/path",
        "uri-reference" | "iri-reference" => "/path",
        "uuid" => "123e4567-e89b-12d3-a456-426614174000",
        "json-pointer" => "/items/0",
        _ => return None,
    };
    Some(format!("for example \"{example}\""))
}

pub(super) fn first_repeat(got: &Value) -> Option<(usize, usize)> {
    let items = got.as_array()?;
    for (index, item) in items.iter().enumerate().take(REPEAT_CAP) {
        if let Some(earlier) = items.iter().take(index).position(|earlier| earlier == item) {
            return Some((earlier, index));
        }
    }
    None
}
