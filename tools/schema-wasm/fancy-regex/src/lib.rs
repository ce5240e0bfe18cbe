//! The few functions of `fancy-regex` that `jsonschema` calls: JavaScript's RegExp has look-around and
//! back-references by itself, and knows no limit.
//!
//! A match cannot fail, so its error has no value. That makes this type's code the same as that of the stand-in
//! for `regex`, and what `jsonschema` has for the one and the other is merged into one.

#![forbid(unsafe_code)]

use std::fmt;

/// Why a match failed: it does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {}

impl fmt::Display for Error {
    fn fmt(&self, _formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

impl std::error::Error for Error {}

/// A compiled expression.
#[derive(Debug, Clone)]
pub struct Regex(regex::Regex);

impl Regex {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// When JavaScript refuses it.
    pub fn new(pattern: &str) -> Result<Self, regex::Error> {
        regex::Regex::new(pattern).map(Self)
    }

    /// Whether it matches anywhere in a text.
    ///
    /// # Errors
    /// Never: there is no limit to reach.
    pub fn is_match(&self, text: &str) -> Result<bool, Error> {
        Ok(self.0.is_match(text))
    }

    /// The pattern it was made from.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
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
    pub fn backtrack_limit(&mut self, _steps: usize) -> &mut Self {
        self
    }

    /// Accepted and without effect.
    pub fn delegate_size_limit(&mut self, _bytes: usize) -> &mut Self {
        self
    }

    /// Accepted and without effect.
    pub fn delegate_dfa_size_limit(&mut self, _bytes: usize) -> &mut Self {
        self
    }

    /// Compiles it.
    ///
    /// # Errors
    /// As [`Regex::new`].
    pub fn build(&self) -> Result<Regex, regex::Error> {
        Regex::new(&self.0)
    }
}
