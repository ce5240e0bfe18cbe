//! Guesses at what the model meant: said as a hint, never acted on.

use super::super::json::{Json, Kind};
use super::super::nearest::nearest;
use super::super::reader::{Event, Reader, unescape};
use super::show::{VALUE_CAP, json, quoted, shorten};

/// How the outline of an object begins.
pub(super) const OBJECT: &str = "send an object";

/// What an object holds, for one that was sent as something else.
pub(super) fn for_object(parts: &str, needed: bool) -> String {
    format!("{OBJECT} {} {parts}", if needed { "with" } else { "that may have" })
}

pub(super) fn for_type<'a>(expected: &str, got: impl Json<'a>, optional: bool) -> Option<String> {
    let wants = |name: &str| expected.split([' ', ',']).any(|word| word == name);
    let wrapped = || Some(format!("wrap it: [{}]", shorten(&json(got), 40)));
    if let Some(text) = got.text() {
        let text = text.trim();
        let literal = (wants("integer") && text.parse::<i64>().is_ok())
            || (wants("number") && is_number(text))
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
        return wants("array").then(wrapped).flatten();
    }
    let kind = got.kind();
    let number = matches!(kind, Kind::Integer | Kind::Number);
    match kind {
        Kind::Null if optional => Some("leave the property out if there is no value".to_owned()),
        _ if number && wants("boolean") => {
            truth(&got.print(usize::MAX)).map(|meant| format!("write {meant}"))
        }
        _ if number && wants("string") => Some(format!("put it in quotes: \"{}\"", got.print(usize::MAX))),
        Kind::Null | Kind::Array => None,
        _ if wants("array") => wrapped(),
        _ => None,
    }
}

/// Whether a text is a number as JSON writes them.
fn is_number(text: &str) -> bool {
    let mut reader = Reader::new(text, 0);
    matches!(reader.read(), Ok(Some(Event::Number(_)))) && matches!(reader.read(), Ok(None))
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

/// `options` are JSON texts.
pub(super) fn for_enum<'a>(options: &[String], got: impl Json<'a>) -> Option<String> {
    let is_string = |option: &&String| option.starts_with('"');
    match got.text() {
        Some(text) => {
            if let Some(option) = options.iter().find(|option| !is_string(option) && **option == *text) {
                return Some(format!("write {}, without quotes", shorten(option, VALUE_CAP)));
            }
            let names: Vec<String> =
                options.iter().filter(is_string).map(|option| unquoted(option)).collect();
            let near = nearest(&text, names.iter().map(String::as_str))?;
            Some(format!("did you mean {}?", quoted(near)))
        }
        None => {
            let text = got.print(VALUE_CAP * 4);
            let option = options.iter().filter(is_string).find(|option| unquoted(option) == text)?;
            Some(format!("put it in quotes: {}", quoted(&unquoted(option))))
        }
    }
}

/// The characters of a JSON string.
fn unquoted(option: &str) -> String {
    let inside = option.get(1..option.len().saturating_sub(1)).unwrap_or_default();
    unescape(inside, false)
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
