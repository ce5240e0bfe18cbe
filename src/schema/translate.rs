//! From what `jsonschema` found to issues in our words.

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonTypeSet, ValidationError};
use serde_json::Value;

use super::findings::Place;
use super::issue::Issue;
use super::json::Json;
use super::wording::{self, quoted, shorten};

/// Items looked at in search of a repeat.
const REPEAT_CAP: usize = 200;

/// The issues of one finding: usually one, several where several properties are unknown, and those of the
/// one plausible alternative where there is a choice. `value` is the whole value that was checked.
pub(super) fn issues(schema: &Value, value: &Value, error: &ValidationError<'_>) -> Vec<Issue> {
    let path = error.instance_path().as_str();
    let got = error.instance().as_ref();
    let keyword = error.kind().keyword();
    let holder = error.schema_path().as_str().rsplit_once('/').map(|(holder, _)| holder);
    // A keyword without a place is in no schema that could be looked at.
    let place = Place { root: schema, pointer: holder.unwrap_or("/") };
    let one = match error.kind() {
        Kind::Type { kind } => place.wrong_type(path, &type_names(kind), got),
        // So it says of properties that are there, where they are required but not described, beside their being unknown.
        Kind::Required { property } if got.get(property.as_str().unwrap_or_default()).is_some() => {
            return Vec::new();
        }
        Kind::Required { property } => place.missing(path, property.as_str().unwrap_or_default(), got),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            return place.unknown(path, keyword, unexpected, got);
        }
        Kind::Enum { options } => match options.as_array() {
            Some(options) => wording::not_in_enum(path, &options.iter().collect::<Vec<_>>(), got),
            None => wording::not_const(path, options.as_ref(), got),
        },
        Kind::Constant { expected_value } => wording::not_const(path, expected_value.as_ref(), got),
        Kind::Minimum { limit }
        | Kind::Maximum { limit }
        | Kind::ExclusiveMinimum { limit }
        | Kind::ExclusiveMaximum { limit } => wording::out_of_bounds(path, keyword, &limit.to_string(), got),
        Kind::MinLength { limit }
        | Kind::MaxLength { limit }
        | Kind::MinItems { limit }
        | Kind::MaxItems { limit }
        | Kind::MinProperties { limit }
        | Kind::MaxProperties { limit } => wording::wrong_count(path, keyword, *limit, got),
        Kind::MultipleOf { multiple_of } => wording::not_multiple(path, *multiple_of, got),
        Kind::Pattern { pattern } => wording::no_match(path, pattern, got),
        Kind::Format { format } => wording::wrong_format(path, format, got),
        Kind::UniqueItems => wording::repeated_items(path, first_repeat(got), got),
        Kind::AdditionalItems { limit } => wording::extra_items(path, keyword, Some(*limit), got),
        Kind::UnevaluatedItems { .. } => wording::extra_items(path, keyword, None, got),
        Kind::Contains => {
            let wanted =
                schema.pointer(place.pointer).and_then(|schema| wording::describe(schema.get("contains")?));
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
        // So it says where no properties are described, of one stray and with its value.
        Kind::FalseSchema if error.schema_path().as_str().ends_with("/additionalProperties") => {
            let object = value.pointer(path).unwrap_or(value);
            return place.unknown(path, "additionalProperties", &object.names(usize::MAX), object);
        }
        Kind::FalseSchema => {
            Issue::new(path, "false", &format!("no value is allowed here, got {}", wording::show(got)))
                .having(wording::show(got))
                .hinting(Some("leave it out".to_owned()))
        }
        Kind::PropertyNames { error } => {
            let name = error.instance().as_str().unwrap_or_default().to_owned();
            let inner = issues(schema, value, error);
            return inner.iter().map(|inner| wording::wrong_name(path, &name, inner)).collect();
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            let branches = context
                .iter()
                .map(|branch| branch.iter().flat_map(|error| issues(schema, value, error)).collect());
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

/// The places of the first two items that are equal.
fn first_repeat(got: &Value) -> Option<(usize, usize)> {
    let items = got.as_array()?;
    for (index, item) in items.iter().enumerate().take(REPEAT_CAP) {
        if let Some(earlier) = items.iter().take(index).position(|earlier| earlier == item) {
            return Some((earlier, index));
        }
    }
    None
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
