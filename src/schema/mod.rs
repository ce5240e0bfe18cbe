//! JSON Schema for tools: is this text whole, is it an object, does it meet its schema, and what should be
//! said to a model that got it wrong.
//!
//! Without the `schema` feature only the text half is here (classification, issues, lint): what the runtime
//! needs on the page at once. With it comes [`Compiled`], the whole of `jsonschema` behind the same [`Check`].
//!
//! Assumes nothing about what comes in: texts are from a model, schemas from a developer, both may be wrong.
//! Must never change a value, fetch a reference, panic on data, or recurse deeper than a stated cap.

#![forbid(unsafe_code)]

mod arguments;
mod check;
#[cfg(feature = "schema")]
mod compiled;
mod cycle;
mod draft;
mod ecma;
mod findings;
#[doc(hidden)]
pub mod fuzz;
mod graph;
mod issue;
mod json;
mod lint;
mod nearest;
mod number;
mod reader;
mod small;
mod syntax;
mod tape;
#[cfg(feature = "schema")]
mod translate;
mod value;
mod walk;
pub mod wording;

pub use arguments::{Arguments, Limits, classify_text};
pub use check::Check;
#[cfg(feature = "schema")]
pub use compiled::{Compiled, Options, compile, compile_text};
pub use cycle::{Alternatives, alternatives, find_cycle};
pub use draft::{CompileError, CompileErrorKind, Draft};
#[cfg(all(feature = "schema", not(target_arch = "wasm32")))]
pub use ecma::Native;
pub use ecma::{Ecma, Expression};
pub use issue::{Issue, MAX_RENDERED, render, tidy};
pub use json::{Json, Kind};
pub use lint::{Finding, Level, lint, lint_text};
pub use nearest::nearest;
pub(crate) use reader::unescape;
pub use reader::{Event, Reader, Text};
pub use small::Small;
pub use syntax::{Malformed, Position};
pub use value::parse_value;
