//! The whole of JSON Schema: `jsonschema` behind [`Check`].
//!
//! A compiled schema is immutable and never fetches anything: references resolve inside the document, to the
//! documents handed over with it, and to the meta-schemas of the known drafts. `format` follows the draft
//! (asserted up to draft 7, a note from 2019-09 on), as the engine's own checker does, so that page and
//! engine give one verdict; [`Options::formats`] overrules it.
//!
//! On wasm32 the crate rebuilds its meta-schema validator, about a millisecond, in every compile and offers
//! no way to keep one; elsewhere it keeps them. Compile once per schema.

use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{Retrieve, Uri, ValidationError, Validator};
use serde_json::Value;

use super::arguments::Limits;
use super::check::{Check, ISSUE_CAP, SIZE_CAP, beyond_words};
use super::cycle::{Alternatives, alternatives, find_cycle};
use super::draft::{CompileError, CompileErrorKind, Draft};
use super::issue::{Issue, tidy};
use super::json::Json;
use super::nearest::nearest;
use super::translate;
use super::value::parse_value;
use super::walk::{depth, weight};
use super::wording::{json, quoted, shorten};

/// [`SIZE_CAP`] where a schema recurses through alternatives: the crate explains every way down, and each level
/// of the value doubles them. A verdict needs no such work.
const WORK_CAP: usize = 4096;

/// How a schema is read.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The draft for a schema without `$schema`; 2020-12 if absent.
    pub draft: Option<Draft>,
    /// Whether `format` is asserted; by the draft's own rule if absent.
    pub formats: Option<bool>,
    /// Further documents that references may name, by address.
    pub documents: Vec<(String, Value)>,
    /// Caps for the schema and for what is checked.
    pub limits: Limits,
}

/// A schema ready to check with.
#[derive(Debug)]
pub struct Compiled {
    validator: Validator,
    schema: Value,
    limits: Limits,
    alternatives: Alternatives,
}

/// Compiles a schema given as JSON text.
///
/// # Errors
/// As [`compile`], and when the text is no JSON.
pub fn compile_text(text: &str, options: &Options) -> Result<Compiled, CompileError> {
    options
        .limits
        .admit("a schema", text)
        .map_err(|malformed| CompileError::new(CompileErrorKind::TooLarge, "", malformed.message))?;
    let schema = parse_value(text, &options.limits).map_err(|error| {
        let kind = if error.is_depth() { CompileErrorKind::TooLarge } else { CompileErrorKind::NotASchema };
        CompileError::new(kind, "", error.describe(text).message)
    })?;
    compile(&schema, options)
}

/// Compiles a schema.
///
/// # Errors
/// The first fault that keeps values from being judged by it, in words for the developer.
pub fn compile(schema: &Value, options: &Options) -> Result<Compiled, CompileError> {
    if !schema.is_object() && !schema.is_boolean() {
        let message =
            format!("a schema is an object or a boolean, got {} {}", schema.kind().name(), json(schema));
        return Err(CompileError::new(CompileErrorKind::NotASchema, "", message));
    }
    let cap = options.limits.depth;
    if depth(schema, cap) > cap {
        let message = format!("nested deeper than {cap} levels");
        return Err(CompileError::new(CompileErrorKind::TooLarge, "", message));
    }
    let draft = Draft::of_schema(schema).or(options.draft).unwrap_or(Draft::Draft202012);
    if let Some(chain) = find_cycle(schema, draft) {
        let path = chain.first().map(|first| first.trim_start_matches('#').to_owned()).unwrap_or_default();
        let message = format!(
            "it refers to itself without stepping into the value, so nothing could be judged by it: {}",
            shorten(&chain.join(" -> "), 200)
        );
        return Err(CompileError::new(CompileErrorKind::Cycle, &path, message));
    }
    let validator = build(schema, options).map_err(|error| explain(schema, &error))?;
    Ok(Compiled {
        validator,
        schema: schema.clone(),
        limits: options.limits,
        alternatives: alternatives(schema, draft),
    })
}

fn build(schema: &Value, options: &Options) -> Result<Validator, ValidationError<'static>> {
    let mut settings = jsonschema::options();
    if schema.get("$schema").is_none()
        && let Some(draft) = options.draft
    {
        settings = settings.with_draft(crate_draft(draft));
    }
    if let Some(formats) = options.formats {
        settings = settings.should_validate_formats(formats);
    }
    settings.with_retriever(Documents(options.documents.clone())).build(schema)
}

/// The only documents there are: what is not among them is not found, and nothing is fetched.
struct Documents(Vec<(String, Value)>);

impl Retrieve for Documents {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn core::error::Error + Send + Sync>> {
        let wanted = uri.as_str();
        let found = self.0.iter().find(|(address, _)| address == wanted);
        found.map(|(_, document)| document.clone()).ok_or_else(|| "not among the documents given".into())
    }
}

fn crate_draft(draft: Draft) -> jsonschema::Draft {
    match draft {
        Draft::Draft4 => jsonschema::Draft::Draft4,
        Draft::Draft6 => jsonschema::Draft::Draft6,
        Draft::Draft7 => jsonschema::Draft::Draft7,
        Draft::Draft201909 => jsonschema::Draft::Draft201909,
        Draft::Draft202012 => jsonschema::Draft::Draft202012,
    }
}

/// A build failure in our words.
fn explain(schema: &Value, error: &ValidationError<'_>) -> CompileError {
    let path = error.instance_path().as_str();
    let (kind, message) = match error.kind() {
        Kind::Format { format } if format == "regex" => {
            let place = error.instance().as_str().or_else(|| schema.pointer(path).and_then(Value::as_str));
            let pattern = place.map_or_else(|| json(error.instance().as_ref()), quoted);
            (CompileErrorKind::InvalidPattern, format!("{pattern} is not a valid regular expression"))
        }
        Kind::AnyOf { .. } if path.ends_with("/type") && error.instance().is_string() => {
            (CompileErrorKind::InvalidKeyword, unknown_type(error.instance()))
        }
        Kind::Referencing(inner) => return unresolved(schema, inner),
        Kind::Custom { message, .. } => (CompileErrorKind::InvalidKeyword, shorten(message, 200)),
        _ => {
            let reasons = translate::issues(&Value::Null, &Value::Null, error);
            let reason = reasons.first().map(|issue| issue.reason().to_owned()).unwrap_or_default();
            let hint = older_draft(schema, path).map(|hint| format!(" ({hint})")).unwrap_or_default();
            let path = reasons.first().map_or(path, |issue| issue.path.as_str());
            let message = format!("{}{hint}", shorten(&reason, 240));
            return CompileError::new(CompileErrorKind::InvalidKeyword, path, message);
        }
    };
    CompileError::new(kind, path, message)
}

/// An address in quotes, cut only where it is absurd: half a reference is of no use to a developer.
fn whole(address: &str) -> String {
    Value::from(shorten(address, 400)).to_string()
}

fn unknown_type(name: &Value) -> String {
    const NAMES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];
    let near = name.as_str().and_then(|name| nearest(name, NAMES));
    let hint = near.map(|near| format!("; did you mean {}?", quoted(near))).unwrap_or_default();
    format!("{} is not a type: {} are{hint}", json(name), NAMES.join(", "))
}

fn unresolved(schema: &Value, error: &jsonschema::ReferencingError) -> CompileError {
    use jsonschema::ReferencingError as Reference;
    let declared = schema.get("$schema").and_then(Value::as_str).unwrap_or_default();
    let unknown = |name: &str| {
        let message = format!("{} is not a known draft: 4, 6, 7, 2019-09 and 2020-12 are", whole(name));
        CompileError::new(CompileErrorKind::UnknownDraft, "/$schema", message)
    };
    let message = match error {
        Reference::UnknownSpecification { specification } => return unknown(specification),
        Reference::Unretrievable { uri, .. }
            if !declared.is_empty() && uri.trim_end_matches('#') == declared.trim_end_matches('#') =>
        {
            return unknown(declared);
        }
        Reference::Unretrievable { uri, .. } => {
            format!("the reference {} leads out of the schema, and nothing is fetched", whole(uri))
        }
        Reference::PointerToNowhere { pointer } => {
            format!(
                "the reference {} leads nowhere",
                quoted(&format!("#{}", pointer.trim_start_matches('#')))
            )
        }
        Reference::NoSuchAnchor { anchor } | Reference::InvalidAnchor { anchor } => {
            format!("the reference {} leads nowhere", quoted(&format!("#{anchor}")))
        }
        other => shorten(&other.to_string(), 200),
    };
    CompileError::new(CompileErrorKind::Unresolved, "", message)
}

/// Says so when a keyword is in the form of an older draft than the one it is read by.
fn older_draft(schema: &Value, path: &str) -> Option<&'static str> {
    let value = schema.pointer(path)?;
    match path.rsplit('/').next()? {
        "items" if value.is_array() => Some(
            "a list of schemas here is draft-07 or older: use \"prefixItems\", or name the draft in \"$schema\"",
        ),
        "exclusiveMinimum" | "exclusiveMaximum" if value.is_boolean() => {
            Some("a boolean here is draft-04: give the bound itself")
        }
        "required" if value.is_boolean() => Some("list the names in the object's own \"required\""),
        _ => None,
    }
}

impl Compiled {
    /// Checks a value already parsed.
    #[must_use]
    pub fn check_value(&self, value: &Value) -> Vec<Issue> {
        if self.validator.is_valid(value) {
            return Vec::new();
        }
        let mut issues = Vec::new();
        let back = self.alternatives.leading_back;
        let heavy = weight(value, 1, SIZE_CAP) > SIZE_CAP;
        if heavy && self.alternatives.any || back > 1 && weight(value, back, WORK_CAP) > WORK_CAP {
            issues.push(beyond_words(value.kind()));
        } else if heavy {
            // The crate gathers all before it tells the first.
            if let Err(error) = self.validator.validate(value) {
                issues = translate::issues(&self.schema, value, &error);
            }
        } else {
            for error in self.validator.iter_errors(value).take(ISSUE_CAP) {
                issues.append(&mut translate::issues(&self.schema, value, &error));
            }
        }
        tidy(&mut issues);
        issues.truncate(ISSUE_CAP);
        issues
    }
}

impl Check for Compiled {
    fn check(&self, text: &str) -> Vec<Issue> {
        if let Err(malformed) = self.limits.admit("a text", text) {
            return vec![Issue::new("", "size", &malformed.message)];
        }
        match parse_value(text, &self.limits) {
            Ok(value) => self.check_value(&value),
            Err(error) => vec![error.issue(text)],
        }
    }

    fn depth(&self) -> usize {
        self.limits.depth
    }
}
