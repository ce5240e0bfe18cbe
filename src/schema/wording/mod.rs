//! The sentences: one function per kind of fault, shared by every checker, so that the same fault reads the
//! same whoever found it.
//!
//! Written for a model that repairs its call. Values are shortened: what came may be megabytes, and is
//! repeated only so that it can be recognized.

mod alternatives;
mod hints;
mod show;

use serde_json::Value;

use super::issue::Issue;
use super::nearest::nearest;
pub use alternatives::no_alternative;
pub use show::{describe, json, list, quoted, shorten, show, type_name};

/// Names listed in a message or hint before it says how many more there are.
const LIST_CAP: usize = 24;

/// Properties of an object that an outline names.
const OUTLINE_CAP: usize = 6;

/// The value is of another type. `optional` says that it is a property that may be left out.
#[must_use]
pub fn wrong_type(path: &str, expected: &[&str], got: &Value, optional: bool) -> Issue {
    let expected = either(expected.iter().map(|name| (*name).to_owned()));
    let reason = format!("expected {expected}, got {}", show(got));
    let hint = hints::for_type(&expected, got, optional);
    Issue::new(path, "type", &reason).expecting(expected).having(show(got)).hinting(hint)
}

/// The hint for an object that was sent as something else: its properties, each with what it must be. `needed`
/// says that they are those it must have.
#[must_use]
pub fn outline(properties: impl ExactSizeIterator<Item = (String, Option<String>)>, needed: bool) -> String {
    let parts = properties.map(|(name, about)| match about {
        Some(about) => format!("{}: {about}", quoted(&name)),
        None => quoted(&name),
    });
    hints::for_object(&list(parts, OUTLINE_CAP), needed)
}

/// A required property is missing. `schema` is what the property must meet; `strays` are the names that came
/// and are not known.
#[must_use]
pub fn missing_property<'a>(
    path: &str,
    keyword: &str,
    name: &str,
    schema: Option<&Value>,
    strays: impl IntoIterator<Item = &'a str>,
) -> Issue {
    let about = schema.and_then(describe);
    let hint = match (nearest(name, strays), &about) {
        (Some(stray), _) => format!("{} was sent; is it meant as {}?", quoted(stray), quoted(name)),
        (None, Some(about)) => format!("add {}: {about}", quoted(name)),
        (None, None) => format!("add {}", quoted(name)),
    };
    let issue = Issue::new(path, keyword, &format!("missing required property {}", quoted(name)));
    match about {
        Some(about) => issue.expecting(about),
        None => issue,
    }
    .hinting(Some(hint))
}

/// A property the schema does not allow. `known` are the names it does.
#[must_use]
pub fn unknown_property(path: &str, keyword: &str, name: &str, known: &[&str]) -> Issue {
    let hint = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean {}?", quoted(near)),
        None if known.is_empty() => "no properties are allowed".to_owned(),
        None => format!("allowed: {}", list(known.iter().map(|name| quoted(name)), LIST_CAP)),
    };
    Issue::new(path, keyword, &format!("unknown property {}", quoted(name)))
        .having(quoted(name))
        .hinting(Some(hint))
}

/// The value is none of those listed.
#[must_use]
pub fn not_in_enum(path: &str, options: &[Value], got: &Value) -> Issue {
    let expected = match options {
        [only] => json(only),
        _ => format!("one of {}", list(options.iter().map(json), LIST_CAP)),
    };
    let reason = format!("expected {expected}, got {}", show(got));
    let hint = hints::for_enum(options, got);
    Issue::new(path, "enum", &reason).expecting(expected).having(show(got)).hinting(hint)
}

/// The value is not the one value allowed.
#[must_use]
pub fn not_const(path: &str, expected: &Value, got: &Value) -> Issue {
    plain(path, "const", json(expected), got)
}

/// A number is out of bounds: `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`.
#[must_use]
pub fn out_of_bounds(path: &str, keyword: &str, limit: &Value, got: &Value) -> Issue {
    let relation = match keyword {
        "minimum" => "at least",
        "maximum" => "at most",
        "exclusiveMinimum" => "more than",
        _ => "less than",
    };
    plain(path, keyword, format!("{relation} {limit}"), got)
}

/// A number is no multiple of another.
#[must_use]
pub fn not_multiple(path: &str, of: f64, got: &Value) -> Issue {
    plain(path, "multipleOf", format!("a multiple of {of}"), got)
}

/// Too few or too many characters, items or properties.
#[must_use]
pub fn wrong_count(path: &str, keyword: &str, limit: u64, got: &Value) -> Issue {
    let (one, many, count) = match got {
        Value::String(text) => ("character", "characters", text.chars().count()),
        Value::Array(items) => ("item", "items", items.len()),
        Value::Object(map) => ("property", "properties", map.len()),
        _ => ("", "", 0),
    };
    let relation = if keyword.starts_with("min") { "at least" } else { "at most" };
    let noun = if limit == 1 { one } else { many };
    let expected = format!("{relation} {limit} {noun}");
    let reason = match got {
        Value::String(_) => format!("expected {expected}, got {count}: {}", show(got)),
        _ => format!("expected {expected}, got {count}"),
    };
    Issue::new(path, keyword, &reason).expecting(expected).having(show(got))
}

/// A string does not match a regular expression.
#[must_use]
pub fn no_match(path: &str, pattern: &str, got: &Value) -> Issue {
    plain(path, "pattern", format!("a string matching {}", shorten(pattern, 120)), got)
}

/// A string is not in a named format.
#[must_use]
pub fn wrong_format(path: &str, format: &str, got: &Value) -> Issue {
    plain(path, "format", format!("a string of format {}", quoted(format)), got)
        .hinting(hints::for_format(format))
}

/// An array holds the same item twice.
#[must_use]
pub fn repeated_items(path: &str, got: &Value) -> Issue {
    let reason = match hints::first_repeat(got) {
        Some((one, other)) => {
            format!("expected items that differ, but items {one} and {other} are equal")
        }
        None => "expected items that differ".to_owned(),
    };
    Issue::new(path, "uniqueItems", &reason).expecting("items that differ").having(show(got))
}

/// Items beyond those the schema describes.
#[must_use]
pub fn extra_items(path: &str, keyword: &str, allowed: Option<usize>, got: &Value) -> Issue {
    let count = got.as_array().map_or(0, Vec::len);
    let expected = match allowed {
        Some(1) => "at most 1 item".to_owned(),
        Some(limit) => format!("at most {limit} items"),
        None => "no items beyond those described".to_owned(),
    };
    Issue::new(path, keyword, &format!("expected {expected}, got {count}"))
        .expecting(expected)
        .having(show(got))
}

/// Any other fault: what was expected, and what came.
#[must_use]
pub fn plain(path: &str, keyword: &str, expected: impl Into<String>, got: &Value) -> Issue {
    let expected = expected.into();
    let reason = format!("expected {expected}, got {}", show(got));
    Issue::new(path, keyword, &reason).expecting(expected).having(show(got))
}

/// The name of a property breaks a rule; `inner` is the fault of the name taken as a value.
#[must_use]
pub fn wrong_name(path: &str, name: &str, inner: &Issue) -> Issue {
    let issue =
        Issue::new(path, "propertyNames", &format!("property name {}: {}", quoted(name), inner.reason()))
            .having(quoted(name))
            .hinting(inner.hint.clone());
    match &inner.expected {
        Some(expected) => issue.expecting(expected.clone()),
        None => issue,
    }
}

/// More than one alternative of `oneOf` is met: those at `matching`, counted from 1.
#[must_use]
pub fn several_alternatives(path: &str, matching: &[usize], total: usize, got: &Value) -> Issue {
    let which = list(matching.iter().map(usize::to_string), LIST_CAP);
    let reason =
        format!("matches {} of {total} alternatives ({which}), where exactly one must match", matching.len());
    Issue::new(path, "oneOf", &reason).expecting("exactly one alternative").having(show(got))
}

/// `a`, `a or b`, `a, b or c`.
fn either(names: impl IntoIterator<Item = String>) -> String {
    let mut names: Vec<String> = names.into_iter().collect();
    match (names.pop(), names.is_empty()) {
        (None, _) => "nothing".to_owned(),
        (Some(only), true) => only,
        (Some(last), false) => format!("{} or {last}", names.join(", ")),
    }
}
