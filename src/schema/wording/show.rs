//! Values, names and schemas in few words. Everything is capped before it is built, not after: a value of
//! megabytes is written no further than its first characters.

use super::super::json::{Json, Kind};
use crate::protocol::settle::write::quote;

/// Characters of a value that a message repeats.
pub(super) const VALUE_CAP: usize = 80;

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
pub fn json<'a>(value: impl Json<'a>) -> String {
    // Four bytes a character, and room for one more so that a cut is seen as one.
    shorten(&value.print(VALUE_CAP * 4 + 8), VALUE_CAP)
}

/// A name in quotes, shortened.
#[must_use]
pub fn quoted(name: &str) -> String {
    let mut text = String::new();
    quote(&mut text, &shorten(name, VALUE_CAP));
    text
}

/// A value with the name of its type in front: `string "2"`.
#[must_use]
pub fn show<'a>(value: impl Json<'a>) -> String {
    match value.kind() {
        Kind::Null => "null".to_owned(),
        kind => format!("{} {}", kind.name(), json(value)),
    }
}

/// What a schema asks for, in words, where that is short: its type or its allowed values, and what is inside.
#[must_use]
pub fn describe<'a>(schema: impl Json<'a>) -> Option<String> {
    described(schema, 2)
}

/// The same, looking `levels` further in.
fn described<'a>(schema: impl Json<'a>, levels: usize) -> Option<String> {
    if let Some(options) = schema.member("enum").filter(|options| options.kind() == Kind::Array) {
        return Some(format!("one of {}", list(options.items().into_iter().map(json), DESCRIBED)));
    }
    if let Some(value) = schema.member("const") {
        return Some(json(value));
    }
    let Some(kind) = schema.member("type") else {
        let array = |keyword| schema.member(keyword).filter(|choices| choices.kind() == Kind::Array);
        let choices = array("anyOf").or_else(|| array("oneOf"))?;
        let inner = levels.checked_sub(1)?;
        if choices.count() > DESCRIBED {
            return None;
        }
        let known: Option<Vec<String>> =
            choices.items().into_iter().map(|choice| described(choice, inner)).collect();
        return known.map(super::either);
    };
    let name = kind.text();
    let inside = match name.as_deref() {
        Some("array") => levels
            .checked_sub(1)
            .and_then(|inner| described(schema.member("items")?, inner))
            .map(|item| format!("array of {item}")),
        Some("object") => needed(schema).map(|names| format!("object with {names}")),
        _ => None,
    };
    inside.or_else(|| match (name, kind.kind()) {
        (Some(name), _) => Some(name.into_owned()),
        (None, Kind::Array) => {
            let names = kind.items().into_iter().filter_map(Json::text);
            Some(super::either(names.map(std::borrow::Cow::into_owned)))
        }
        _ => None,
    })
}

/// The names an object must have.
fn needed<'a>(schema: impl Json<'a>) -> Option<String> {
    Some(list(schema.list_of("required")?.into_iter().map(json), DESCRIBED))
}

/// Parts joined by commas, at most `cap` of them.
#[must_use]
pub fn list(parts: impl ExactSizeIterator<Item = String>, cap: usize) -> String {
    let total = parts.len();
    let shown: Vec<String> = parts.take(cap).collect();
    if total > cap { format!("{} and {} more", shown.join(", "), total - cap) } else { shown.join(", ") }
}
