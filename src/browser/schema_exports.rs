//! What the schema WASM exports: JSON texts in, JSON texts out, so that nothing is converted twice.
//!
//! Issues go out as a JSON array of `{ path, keyword, message, expected?, got?, hint? }`, lint findings as one
//! of `{ level, path, message, hint? }`. It must not trap over any text, and decides nothing.

use wasm_bindgen::prelude::*;

use crate::schema::{Check, Compiled, Draft, Issue, Options, compile_text, lint_text};

/// A compiled schema.
#[wasm_bindgen(js_name = RawSchema)]
#[derive(Debug)]
pub struct RawSchema {
    compiled: Compiled,
}

#[wasm_bindgen(js_class = RawSchema)]
impl RawSchema {
    /// Compiles a schema given as JSON text; `draft` is for schemas that name none.
    ///
    /// # Errors
    /// A JavaScript `Error` whose message is the developer's.
    pub fn compile(schema: &str, draft: Option<String>) -> Result<RawSchema, JsError> {
        let draft = match draft {
            None => None,
            Some(name) => Some(Draft::from_name(&name).ok_or_else(|| {
                JsError::new(&format!("unknown draft {name:?}: 4, 6, 7, 2019-09 and 2020-12 are known"))
            })?),
        };
        let options = Options { draft, ..Options::default() };
        match compile_text(schema, &options) {
            Ok(compiled) => Ok(Self { compiled }),
            Err(error) => Err(JsError::new(&error.to_string())),
        }
    }

    /// The issues of one JSON document.
    #[wasm_bindgen(js_name = checkText)]
    #[must_use]
    pub fn check_text(&self, text: &str) -> String {
        issues(&self.compiled.check(text))
    }

    /// The issues of a tool's result: read as JSON when it parses, else as a string.
    #[wasm_bindgen(js_name = checkResult)]
    #[must_use]
    pub fn check_result(&self, text: &str) -> String {
        issues(&self.compiled.check_result(text))
    }
}

/// What a developer should hear about a schema for a tool's input.
#[wasm_bindgen(js_name = lintSchema)]
#[must_use]
pub fn lint_schema(schema: &str) -> String {
    json(&lint_text(schema))
}

fn issues(issues: &[Issue]) -> String {
    if issues.is_empty() { "[]".to_owned() } else { json(issues) }
}

fn json<T: serde::Serialize + ?Sized>(value: &T) -> String {
    // Plain strings alone: there is nothing in them that could fail to be written.
    serde_json::to_string(value).unwrap_or_else(|_| "[]".to_owned())
}
