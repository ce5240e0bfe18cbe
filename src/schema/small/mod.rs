//! The small checker: the part of JSON Schema that tools really use, small enough to come beside what every page
//! loads.
//!
//! It takes a schema whole or not at all: one keyword, value or draft beyond it, and [`Small::compile`] gives
//! nothing, so that the whole of JSON Schema has the word. What it takes it judges as that does, verdict for
//! verdict, in the same words. It is also fast: a check reads the text once and builds nothing for its parts.
//!
//! What it takes: `type`, `properties`, `required`, `additionalProperties`, `propertyNames`, `enum` and `const`
//! of plain values, `items` as one schema, `minItems`, `maxItems`, `minLength`, `maxLength`, `pattern`,
//! `format`, the four bounds of numbers, `anyOf`, `oneOf`, `$ref` inside the document, and annotations, in
//! drafts 7, 2019-09 and 2020-12.

mod alternatives;
mod compile;
mod explain;
mod format;
mod judge;
mod node;

use std::rc::Rc;

use super::arguments::Limits;
use super::check::{Check, ISSUE_CAP, SIZE_CAP, beyond_words};
use super::ecma::Ecma;
use super::issue::{Issue, tidy};
use super::json::Json;
use super::tape::Tape;
use judge::verdict;
use node::Node;

/// A schema of the small set, ready to check with.
#[derive(Debug)]
pub struct Small {
    nodes: Vec<Node>,
    /// The schema as it came: hints are found in it.
    text: String,
    limits: Limits,
    ecma: Rc<dyn Ecma>,
    /// Whether it offers alternatives: to explain one is to explain them all.
    alternatives: bool,
}

impl Small {
    /// Compiles a schema given as JSON text, if it is of the small set. `for_input` also wants it to be one that
    /// a developer need not be told anything of as the input of a tool.
    #[must_use]
    pub fn compile(text: &str, for_input: bool, ecma: Rc<dyn Ecma>) -> Option<Self> {
        let limits = Limits::default();
        limits.admit("a schema", text).ok()?;
        let (nodes, alternatives) =
            compile::nodes(&Tape::read(text, &limits, &*ecma).ok()?, for_input, &*ecma)?;
        Some(Self { nodes, text: text.to_owned(), limits, ecma, alternatives })
    }

    fn judge(&self, tape: &Tape<'_>) -> Vec<Issue> {
        if verdict(&self.nodes, 0, tape.root()) {
            return Vec::new();
        }
        let heavy = tape.is_larger(SIZE_CAP);
        if heavy && self.alternatives {
            return vec![beyond_words(tape.root().kind())];
        }
        let Ok(schema) = Tape::read(&self.text, &self.limits, &*self.ecma) else { return Vec::new() };
        let cap = if heavy { 1 } else { ISSUE_CAP };
        let mut issues = explain::issues(&self.nodes, tape.root(), schema.root(), cap);
        tidy(&mut issues);
        issues
    }
}

impl Check for Small {
    fn check(&self, text: &str) -> Vec<Issue> {
        if let Err(malformed) = self.limits.admit("a text", text) {
            return vec![Issue::new("", "size", &malformed.message)];
        }
        match Tape::read(text, &self.limits, &*self.ecma) {
            Ok(tape) => self.judge(&tape),
            Err(error) => vec![error.issue(text)],
        }
    }

    fn depth(&self) -> usize {
        self.limits.depth
    }
}
