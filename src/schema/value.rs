//! JSON text to a `serde_json::Value`, for every text the grammar allows.
//!
//! A number beyond the range of a double becomes the largest double of its sign, a lone surrogate escape
//! becomes U+FFFD, the last of two equal keys wins: good enough to judge a value by, never handed on. What
//! a handler gets is the text itself. Numbers go through `serde_json`, as those in schemas do, so that equal
//! digits are equal values.

use serde_json::{Map, Number, Value};

use super::arguments::Limits;
use super::reader::{Event, Reader};
use super::syntax::SyntaxError;

enum Open {
    Array(Vec<Value>),
    Object(Map<String, Value>, String),
}

/// Reads one whole document.
///
/// # Errors
/// Where the text leaves the grammar or the depth cap; the size cap is the caller's to check.
pub fn parse_value(text: &str, limits: &Limits) -> Result<Value, SyntaxError> {
    let mut reader = Reader::new(text, limits.depth);
    let mut open: Vec<Open> = Vec::new();
    let mut root = Value::Null;
    while let Some(event) = reader.read()? {
        let value = match event {
            Event::ObjectStart => {
                open.push(Open::Object(Map::new(), String::new()));
                continue;
            }
            Event::ArrayStart => {
                open.push(Open::Array(Vec::new()));
                continue;
            }
            Event::Key(text) => {
                if let Some(Open::Object(_, key)) = open.last_mut() {
                    *key = text.decode().into_owned();
                }
                continue;
            }
            Event::ObjectEnd | Event::ArrayEnd => match open.pop() {
                Some(Open::Object(map, _)) => Value::Object(map),
                Some(Open::Array(items)) => Value::Array(items),
                None => Value::Null,
            },
            Event::String(text) => Value::String(text.decode().into_owned()),
            Event::Number(digits) => Value::Number(number(digits)),
            Event::Boolean(boolean) => Value::Bool(boolean),
            Event::Null => Value::Null,
        };
        match open.last_mut() {
            Some(Open::Array(items)) => items.push(value),
            Some(Open::Object(map, key)) => {
                map.insert(core::mem::take(key), value);
            }
            None => root = value,
        }
    }
    Ok(root)
}

fn number(digits: &str) -> Number {
    digits.parse().unwrap_or_else(|_| {
        // All that `serde_json` refuses of what the grammar allows is beyond a double.
        let last = if digits.starts_with('-') { f64::MIN } else { f64::MAX };
        Number::from_f64(last).unwrap_or_else(|| Number::from(0))
    })
}
