//! From what `jsonschema` found to issues in our words.
//!
//! The schema is at hand for hints only: what a missing property must be, which names are known. A place the
//! schema cannot be followed to costs the hint, never the issue.

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonTypeSet, ValidationError};
use serde_json::Value;

use super::issue::Issue;
use super::wording::{self, quoted, shorten};

/// Unknown properties of one object that are told.
const NAME_CAP: usize = 64;

/// The issues of one finding: usually one, several where several properties are unknown, and those of the
/// one plausible alternative where there is a choice.
pub(super) fn issues(schema: &Value, error: &ValidationError<'_>) -> Vec<Issue> {
    let path = error.instance_path().as_str();
    let got = error.instance().as_ref();
    let keyword = error.kind().keyword();
    let one = match error.kind() {
        Kind::Type { kind } => {
            let names = type_names(kind);
            let issue = wording::wrong_type(path, &names, got, is_optional(schema, error));
            match issue.hint {
                None if names.contains(&"object") => issue.hinting(outline(schema, parent(schema, error))),
                _ => issue,
            }
        }
        Kind::Required { property } => return vec![missing(schema, error, property, got)],
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let known = known_names(parent(schema, error));
            if let Some(issue) = wrapped(path, keyword, unexpected, &known, got) {
                return vec![issue];
            }
            let unexpected = unexpected.iter().take(NAME_CAP);
            return unexpected.map(|name| wording::unknown_property(path, keyword, name, &known)).collect();
        }
        Kind::Enum { options } => match options.as_array() {
            Some(options) => wording::not_in_enum(path, options, got),
            None => wording::not_const(path, options, got),
        },
        Kind::Constant { expected_value } => wording::not_const(path, expected_value, got),
        Kind::Minimum { limit }
        | Kind::Maximum { limit }
        | Kind::ExclusiveMinimum { limit }
        | Kind::ExclusiveMaximum { limit } => wording::out_of_bounds(path, keyword, limit, got),
        Kind::MinLength { limit }
        | Kind::MaxLength { limit }
        | Kind::MinItems { limit }
        | Kind::MaxItems { limit }
        | Kind::MinProperties { limit }
        | Kind::MaxProperties { limit } => wording::wrong_count(path, keyword, *limit, got),
        Kind::MultipleOf { multiple_of } => wording::not_multiple(path, *multiple_of, got),
        Kind::Pattern { pattern } => wording::no_match(path, pattern, got),
        Kind::Format { format } => wording::wrong_format(path, format, got),
        Kind::UniqueItems => wording::repeated_items(path, got),
        Kind::AdditionalItems { limit } => wording::extra_items(path, keyword, Some(*limit), got),
        Kind::UnevaluatedItems { .. } => wording::extra_items(path, keyword, None, got),
        Kind::Contains => {
            let wanted =
                parent(schema, error).and_then(|schema| schema.get("contains")).and_then(wording::describe);
            let expected = wanted.map_or_else(
                || "an item that meets the schema under \"contains\"".to_owned(),
                |wanted| format!("an item that is {wanted}"),
            );
            wording::plain(path, keyword, expected, got)
        }
        Kind::Not { schema } => {
            let refused = wording::describe(schema).unwrap_or_else(|| shorten(&wording::json(schema), 60));
            wording::plain(path, keyword, format!("anything but {refused}"), got)
        }
        Kind::FalseSchema => {
            Issue::new(path, "false", &format!("no value is allowed here, got {}", wording::show(got)))
                .having(wording::show(got))
                .hinting(Some("leave it out".to_owned()))
        }
        Kind::PropertyNames { error } => {
            let name = error.instance().as_str().unwrap_or_default().to_owned();
            let inner = issues(schema, error);
            return inner.iter().map(|inner| wording::wrong_name(path, &name, &root(inner))).collect();
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            let branches =
                context.iter().map(|branch| branch.iter().flat_map(|error| issues(schema, error)).collect());
            return wording::no_alternative(path, keyword, branches.collect(), got);
        }
        Kind::OneOfMultipleValid { context } => {
            let matching = context.iter().enumerate().filter(|(_, errors)| errors.is_empty());
            let matching: Vec<usize> = matching.map(|(index, _)| index + 1).collect();
            wording::several_alternatives(path, &matching, context.len(), got)
        }
        Kind::ContentEncoding { content_encoding } => {
            wording::plain(path, keyword, format!("a string in {}", quoted(content_encoding)), got)
        }
        Kind::ContentMediaType { content_media_type } => {
            wording::plain(path, keyword, format!("a string of type {}", quoted(content_media_type)), got)
        }
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            Issue::new(path, "pattern", "the pattern takes too long on this string")
                .having(wording::show(got))
        }
        Kind::Custom { .. } | Kind::FromUtf8 { .. } | Kind::Referencing(_) => {
            Issue::new(path, keyword, &shorten(&error.to_string(), 200))
        }
    };
    vec![one]
}

/// An issue of a property name has a place of its own in the crate; for us the name is the value.
fn root(issue: &Issue) -> Issue {
    Issue { path: String::new(), message: issue.reason().to_owned(), ..issue.clone() }
}

fn missing(schema: &Value, error: &ValidationError<'_>, property: &Value, got: &Value) -> Issue {
    let name = property.as_str().unwrap_or_default();
    let parent = parent(schema, error);
    let known = known_names(parent);
    let wanted =
        parent.and_then(|parent| parent.get("properties")).and_then(|properties| properties.get(name));
    let wanted = wanted.map(|wanted| follow(schema, wanted));
    let came = got.as_object().into_iter().flat_map(|map| map.keys().map(String::as_str));
    let strays: Vec<&str> = came.filter(|name| !known.contains(name)).collect();
    let issue = wording::missing_property(error.instance_path().as_str(), "required", name, wanted, strays);
    let around = got.as_object().filter(|map| map.len() == 1).and_then(|map| map.iter().next());
    match around.filter(|(_, inside)| inside.get(name).is_some()) {
        Some((around, _)) => issue.hinting(Some(format!(
            "it is inside {}: send that object itself, without {} around it",
            quoted(around),
            quoted(around)
        ))),
        None => issue,
    }
}

/// One stray property around what the object itself should be: models wrap arguments once more.
fn wrapped(path: &str, keyword: &str, unexpected: &[String], known: &[&str], got: &Value) -> Option<Issue> {
    let [name] = unexpected else { return None };
    let inside = got.as_object().filter(|map| map.len() == 1)?.get(name)?.as_object()?;
    let fits = !inside.is_empty() && inside.keys().all(|key| known.contains(&key.as_str()));
    fits.then(|| {
        wording::unknown_property(path, keyword, name, known)
            .hinting(Some(format!("send what is inside it, without {} around it", quoted(name))))
    })
}

/// What an object of this schema holds, for one that was sent as something else.
fn outline(root: &Value, schema: Option<&Value>) -> Option<String> {
    let properties = schema?.get("properties")?.as_object()?;
    let required = schema?.get("required").and_then(Value::as_array);
    let names: Vec<&str> = match required.filter(|names| !names.is_empty()) {
        Some(names) => names.iter().filter_map(Value::as_str).collect(),
        None => properties.keys().map(String::as_str).collect(),
    };
    let needed = required.is_some_and(|names| !names.is_empty());
    let parts = names.iter().map(|name| {
        let about = properties.get(*name).and_then(|property| wording::describe(follow(root, property)));
        ((*name).to_owned(), about)
    });
    (!names.is_empty()).then(|| wording::outline(parts, needed))
}

/// A schema, or what its local reference names.
fn follow<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let reference = schema.get("$ref").and_then(Value::as_str);
    reference
        .and_then(|text| text.strip_prefix('#'))
        .and_then(|pointer| root.pointer(pointer))
        .unwrap_or(schema)
}

/// The schema that holds the keyword which refused.
fn parent<'a>(schema: &'a Value, error: &ValidationError<'_>) -> Option<&'a Value> {
    let (parent, _) = error.schema_path().as_str().rsplit_once('/')?;
    schema.pointer(parent)
}

fn known_names(schema: Option<&Value>) -> Vec<&str> {
    let properties = schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    properties.into_iter().flat_map(|map| map.keys().map(String::as_str)).collect()
}

/// Whether the refused value is a property its object may do without.
fn is_optional(schema: &Value, error: &ValidationError<'_>) -> bool {
    let mut parts = error.schema_path().as_str().rsplitn(4, '/');
    let (_, name, place, owner) = (parts.next(), parts.next(), parts.next(), parts.next());
    let (Some(name), Some("properties"), Some(owner)) = (name, place, owner) else {
        return false;
    };
    let name = name.replace("~1", "/").replace("~0", "~");
    let required = schema.pointer(owner).and_then(|owner| owner.get("required")).and_then(Value::as_array);
    !required.is_some_and(|names| names.iter().any(|required| required.as_str() == Some(&name)))
}

fn type_names(kind: &TypeKind) -> Vec<&'static str> {
    let set = match kind {
        TypeKind::Single(name) => return vec![name.as_str()],
        TypeKind::Multiple(set) => *set,
    };
    names_of(set)
}

/// The crate lists `null` in its own place; a reader wants it last.
fn names_of(set: JsonTypeSet) -> Vec<&'static str> {
    let all = ["array", "boolean", "integer", "number", "object", "string", "null"];
    let has = |name: &&str| set.iter().any(|kind| kind.as_str() == *name);
    all.into_iter().filter(has).collect()
}
