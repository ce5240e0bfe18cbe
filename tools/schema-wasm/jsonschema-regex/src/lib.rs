//! The few functions of `jsonschema-regex` that `jsonschema` calls, where patterns are JavaScript's.
//!
//! The real crate translates ECMA-262 into what Rust's engine reads, and knows shortcuts around that engine.
//! Here nothing needs translating, and every shortcut answers "no": the general way, the expression itself, is
//! then taken. What differs: a pattern is judged by the engine at hand, so it may be newer or older than the
//! real crate in what it knows of ECMA-262, names of Unicode properties are looked up and not taken on trust,
//! and inline flags of Rust's engine, `(?i)`, are refused.

#![forbid(unsafe_code)]

mod pattern;

use std::borrow::Cow;

/// The pattern for the stand-in of `regex`.
///
/// # Errors
/// When it escapes a letter that ECMA-262 gives no meaning. All else is for JavaScript to judge.
#[allow(clippy::result_unit_err, reason = "the real crate's signature")]
pub fn to_rust_regex(pattern: &str) -> Result<Cow<'_, str>, ()> {
    pattern::for_javascript(pattern).map(|written| written.text).ok_or(())
}

/// Whether a pattern is one of ECMA-262's by its rules for Unicode, or differs only by escapes of characters
/// that need none.
#[must_use]
pub fn is_valid_ecma_regex(pattern: &str) -> bool {
    pattern::for_javascript(pattern)
        .is_some_and(|written| written.standard && regex::is_unicode(&written.text))
}

/// Whether a text holds a character that `\s` matches.
#[must_use]
pub fn contains_ecma_whitespace(text: &str) -> bool {
    text.chars().any(|character| {
        // Unicode's white space is ECMA-262's but for these two.
        character == '\u{feff}' || (character.is_whitespace() && character != '\u{85}')
    })
}

/// Shapes of patterns that need no engine; none is told here.
#[derive(Debug, PartialEq, Eq)]
pub enum PatternAnalysis<'a> {
    /// Never.
    Prefix(Cow<'a, str>),
    /// Never.
    Exact(Cow<'a, str>),
    /// Never.
    Alternation(Vec<String>),
    /// Never.
    NoWhitespace,
}

/// Always the general way.
#[must_use]
pub fn analyze_pattern(_pattern: &str) -> Option<PatternAnalysis<'_>> {
    None
}

/// No text is made up to fit a pattern.
#[must_use]
pub fn pattern_witness(_pattern: &str) -> Option<String> {
    None
}

/// Always the general way.
#[must_use]
pub fn split_leading_lookaheads(_pattern: &str) -> Option<Vec<String>> {
    None
}

/// A repeated class of characters; there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RepeatedClass {}

impl RepeatedClass {
    /// Never called.
    #[must_use]
    pub fn is_match(&self, _text: &str) -> bool {
        match *self {}
    }
}

/// A cheaper form of a pattern; there is none.
#[derive(Debug, PartialEq, Eq)]
pub enum Search {
    /// Never.
    RepeatedClass(RepeatedClass),
    /// Never.
    Collapsed(String),
}

/// Always the general way.
#[must_use]
pub fn search_form(_pattern: &str, _translated: &str) -> Option<Search> {
    None
}

/// A sequence of classes of characters; there is none.
#[derive(Debug, Clone)]
pub enum Sequence {}

impl Sequence {
    /// Always the general way.
    #[must_use]
    pub fn compile(_translated: &str) -> Option<Self> {
        None
    }

    /// Never called.
    #[must_use]
    pub fn is_match(&self, _text: &[u8]) -> Option<bool> {
        match *self {}
    }
}
