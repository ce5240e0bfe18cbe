//! The sentences: one function per kind of fault, shared by every checker, so that the same fault reads the
//! same whoever found it.
//!
//! Written for a model that repairs its call. Values are shortened: what came may be megabytes, and is
//! repeated only so that it can be recognized.

mod alternatives;
mod hints;
mod show;

use super::issue::Issue;
use super::json::{Json, Kind};
use super::nearest::nearest;
pub use alternatives::no_alternative;
pub use show::{describe, json, list, quoted, shorten, show};

/// Names listed in a message or hint before it says how many more there are.
const LIST_CAP: usize = 24;

/// Properties of an object that an outline names.
const OUTLINE_CAP: usize = 6;

/// The value is of another type. `optional` says that it is a property that may be left out.
#[must_use]
pub fn wrong_type<'a>(path: &str, expected: &[&str], got: impl Json<'a>, optional: bool) -> Issue {
    let expected = either(expected.iter().map(|name| (*name).to_owned()));
    let hint = hints::for_type(&expected, got, optional);
    plain(path, "type", expected, got).hinting(hint)
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

/// A required property is missing. `about` says what the property must be; `strays` are the names that came
/// and are not known.
#[must_use]
pub fn missing_property(
    path: &str,
    keyword: &str,
    name: &str,
    about: Option<String>,
    strays: &[&str],
) -> Issue {
    let hint = match (nearest(name, strays.iter().copied()), &about) {
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
pub fn not_in_enum<'a>(path: &str, options: &[impl Json<'a>], got: impl Json<'a>) -> Issue {
    let expected = match options {
        [only] => json(*only),
        _ => format!("one of {}", list(options.iter().copied().map(json), LIST_CAP)),
    };
    let texts: Vec<String> = options.iter().map(|option| option.print(usize::MAX)).collect();
    let hint = hints::for_enum(&texts, got);
    plain(path, "enum", expected, got).hinting(hint)
}

/// The value is not the one value allowed.
#[must_use]
pub fn not_const<'a>(path: &str, expected: impl Json<'a>, got: impl Json<'a>) -> Issue {
    plain(path, "const", json(expected), got)
}

/// A number is out of bounds: `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`.
#[must_use]
pub fn out_of_bounds<'a>(path: &str, keyword: &str, limit: &str, got: impl Json<'a>) -> Issue {
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
pub fn not_multiple<'a>(path: &str, of: f64, got: impl Json<'a>) -> Issue {
    plain(path, "multipleOf", format!("a multiple of {of}"), got)
}

/// Too few or too many characters, items or properties.
#[must_use]
pub fn wrong_count<'a>(path: &str, keyword: &str, limit: u64, got: impl Json<'a>) -> Issue {
    let (one, many, count) = match (got.kind(), got.text()) {
        (_, Some(text)) => ("character", "characters", text.chars().count()),
        (Kind::Array, _) => ("item", "items", got.count()),
        _ => ("property", "properties", got.count()),
    };
    let relation = if keyword.starts_with("min") { "at least" } else { "at most" };
    let noun = if limit == 1 { one } else { many };
    let expected = format!("{relation} {limit} {noun}");
    let reason = match got.kind() {
        Kind::String => format!("expected {expected}, got {count}: {}", show(got)),
        _ => format!("expected {expected}, got {count}"),
    };
    Issue::new(path, keyword, &reason).expecting(expected).having(show(got))
}

/// A string does not match a regular expression.
#[must_use]
pub fn no_match<'a>(path: &str, pattern: &str, got: impl Json<'a>) -> Issue {
    plain(path, "pattern", format!("a string matching {}", shorten(pattern, 120)), got)
}

/// A string is not in a named format.
#[must_use]
pub fn wrong_format<'a>(path: &str, format: &str, got: impl Json<'a>) -> Issue {
    plain(path, "format", format!("a string of format {}", quoted(format)), got)
        .hinting(hints::for_format(format))
}

/// An array holds the same item twice: those at the two places, if they are known.
#[must_use]
pub fn repeated_items<'a>(path: &str, places: Option<(usize, usize)>, got: impl Json<'a>) -> Issue {
    let reason = match places {
        Some((one, other)) => {
            format!("expected items that differ, but items {one} and {other} are equal")
        }
        None => "expected items that differ".to_owned(),
    };
    Issue::new(path, "uniqueItems", &reason).expecting("items that differ").having(show(got))
}

/// Items beyond those the schema describes.
#[must_use]
pub fn extra_items<'a>(path: &str, keyword: &str, allowed: Option<usize>, got: impl Json<'a>) -> Issue {
    let expected = match allowed {
        Some(1) => "at most 1 item".to_owned(),
        Some(limit) => format!("at most {limit} items"),
        None => "no items beyond those described".to_owned(),
    };
    Issue::new(path, keyword, &format!("expected {expected}, got {}", got.count()))
        .expecting(expected)
        .having(show(got))
}

/// Any other fault: what was expected, and what came.
#[must_use]
pub fn plain<'a>(path: &str, keyword: &str, expected: impl Into<String>, got: impl Json<'a>) -> Issue {
    let (expected, got) = (expected.into(), show(got));
    let reason = format!("expected {expected}, got {got}");
    Issue::new(path, keyword, &reason).expecting(expected).having(got)
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
pub fn several_alternatives<'a>(path: &str, matching: &[usize], total: usize, got: impl Json<'a>) -> Issue {
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
