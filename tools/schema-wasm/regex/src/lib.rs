//! JavaScript's RegExp behind the few functions of the `regex` crate that `jsonschema` calls.
//!
//! The expressions of JSON Schema are ECMA-262's, and the engine at hand is the one that defines them. A bad
//! pattern is an error, never an exception through WASM. Expressions live in a table of this thread, so that
//! the handle to one is an ordinary value.

#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = RegExp)]
    type Expression;

    #[wasm_bindgen(catch, constructor, js_class = "RegExp")]
    fn new(pattern: &str, flags: &str) -> Result<Expression, JsValue>;

    #[wasm_bindgen(catch, method)]
    fn test(this: &Expression, text: &str) -> Result<bool, JsValue>;
}

thread_local! {
    static TABLE: RefCell<Vec<Option<Expression>>> = const { RefCell::new(Vec::new()) };
}

/// A place in the table, given back when the last regex that holds it goes.
#[derive(Debug)]
struct Slot(usize);

impl Slot {
    fn take(expression: Expression) -> Self {
        TABLE.with_borrow_mut(|table| match table.iter().position(Option::is_none) {
            Some(free) => {
                table[free] = Some(expression);
                Self(free)
            }
            None => {
                table.push(Some(expression));
                Self(table.len() - 1)
            }
        })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        TABLE.with_borrow_mut(|table| table[self.0] = None);
    }
}

/// A compiled expression.
#[derive(Debug, Clone)]
pub struct Regex {
    pattern: Arc<str>,
    slot: Arc<Slot>,
}

impl Regex {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// When JavaScript refuses it, by the rules for Unicode patterns and by the older, laxer ones.
    pub fn new(pattern: &str) -> Result<Self, Error> {
        let strict = Expression::new(pattern, "u");
        let expression =
            strict.or_else(|_| Expression::new(pattern, "")).map_err(|_| Error(pattern.to_owned()))?;
        Ok(Self { pattern: pattern.into(), slot: Arc::new(Slot::take(expression)) })
    }

    /// Whether it matches anywhere in a text.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        TABLE.with_borrow(|table| {
            let expression = table.get(self.slot.0).and_then(Option::as_ref);
            expression.is_some_and(|expression| expression.test(text).unwrap_or(false))
        })
    }

    /// The pattern it was made from.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.pattern
    }
}

/// Whether JavaScript takes a pattern by its rules for Unicode.
#[must_use]
pub fn is_unicode(pattern: &str) -> bool {
    Expression::new(pattern, "u").is_ok()
}

/// Makes a regex; the limits of the real crate mean nothing here.
#[derive(Debug, Clone)]
pub struct RegexBuilder(String);

impl RegexBuilder {
    /// A builder for a pattern.
    #[must_use]
    pub fn new(pattern: &str) -> Self {
        Self(pattern.to_owned())
    }

    /// Accepted and without effect.
    pub fn size_limit(&mut self, _bytes: usize) -> &mut Self {
        self
    }

    /// Accepted and without effect.
    pub fn dfa_size_limit(&mut self, _bytes: usize) -> &mut Self {
        self
    }

    /// Compiles it.
    ///
    /// # Errors
    /// As [`Regex::new`].
    pub fn build(&self) -> Result<Regex, Error> {
        Regex::new(&self.0)
    }
}

/// A pattern that JavaScript refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "not a regular expression: {}", self.0)
    }
}

impl std::error::Error for Error {}
