//! The drafts of JSON Schema, by the names people write, and why a schema does not compile.

use core::fmt;

use serde::Serialize;

/// A draft of JSON Schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Draft {
    /// Draft 4
    Draft4,
    /// Draft 6
    Draft6,
    /// Draft 7
    Draft7,
    /// Draft 2019-09
    Draft201909,
    /// Draft 2020-12: what a schema that names none is read as.
    Draft202012,
}

impl Draft {
    /// The draft meant by `7`, `07`, `draft-07`, `draft7`, `2020-12`, `draft2020-12` or its `$schema` address.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.trim().trim_end_matches('#');
        let name = name.strip_prefix("https://").or_else(|| name.strip_prefix("http://")).unwrap_or(name);
        let name = name.strip_prefix("json-schema.org/").unwrap_or(name);
        let name = name.strip_suffix("/schema").unwrap_or(name).to_ascii_lowercase();
        let name = name.strip_prefix("draft").unwrap_or(&name);
        Some(match name.trim_start_matches(['-', '/', ' ']).trim_start_matches('0') {
            "4" => Self::Draft4,
            "6" => Self::Draft6,
            "7" => Self::Draft7,
            "2019-09" | "201909" => Self::Draft201909,
            "2020-12" | "202012" => Self::Draft202012,
            _ => return None,
        })
    }

    /// The draft a schema's `$schema` names, if it names a known one.
    #[must_use]
    pub fn of_schema(schema: &serde_json::Value) -> Option<Self> {
        schema.get("$schema")?.as_str().and_then(Self::from_name)
    }

    /// Whether `$ref` hides the keywords beside it.
    #[must_use]
    pub fn reference_stands_alone(self) -> bool {
        self < Self::Draft201909
    }
}

impl fmt::Display for Draft {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Draft4 => "draft-04",
            Self::Draft6 => "draft-06",
            Self::Draft7 => "draft-07",
            Self::Draft201909 => "2019-09",
            Self::Draft202012 => "2020-12",
        })
    }
}

/// What kind of fault keeps a schema from compiling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CompileErrorKind {
    /// It is not JSON, or neither an object nor a boolean.
    NotASchema,
    /// It is nested deeper or is larger than the cap.
    TooLarge,
    /// The draft asked for, or its `$schema`, is not known.
    UnknownDraft,
    /// It breaks the rules of its draft.
    InvalidKeyword,
    /// A regular expression in it does not compile.
    InvalidPattern,
    /// A reference leads out of the document or nowhere.
    Unresolved,
    /// A reference leads back to itself without stepping into the value.
    Cycle,
}

/// Why a schema does not compile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CompileError {
    /// What kind of fault.
    pub kind: CompileErrorKind,
    /// Where in the schema, as a JSON pointer; empty for the root or where no place is known.
    pub path: String,
    /// The fault in words, for the developer.
    pub message: String,
}

#[cfg(feature = "schema")]
impl CompileError {
    pub(crate) fn new(kind: CompileErrorKind, path: &str, message: impl Into<String>) -> Self {
        Self { kind, path: path.to_owned(), message: message.into() }
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            write!(formatter, "invalid schema: {}", self.message)
        } else {
            write!(formatter, "invalid schema at {}: {}", self.path, self.message)
        }
    }
}

impl core::error::Error for CompileError {}
