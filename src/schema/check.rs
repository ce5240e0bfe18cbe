//! The one door to every checker: JSON text in, issues out.
//!
//! Text and not a value, because what is checked must be what is handed on, to the last digit. A checker is
//! made once per schema and may be asked any number of times; an answer depends on the text alone.

use super::issue::Issue;
use super::json::Kind;
use super::reader::Reader;
use crate::protocol::settle::write::quote;

/// Issues gathered from one text: a wrong array of thousands says nothing new after these.
pub(super) const ISSUE_CAP: usize = 64;

/// Parts of a value up to which every issue is looked for.
pub(super) const SIZE_CAP: usize = 20_000;

/// What is said of a value of this kind that fails its schema, where to say more would take too much work.
pub(super) fn beyond_words(got: Kind) -> Issue {
    let reason = "does not meet the schema; too large or too deep among its alternatives to say where";
    Issue::new("", "anyOf", reason).having(got.name())
}

/// Something that checks JSON texts against one schema.
pub trait Check {
    /// The ways in which `text`, one JSON document, breaks the schema, in their stable order; none if it
    /// meets it. A text that is no JSON is an issue of its own.
    fn check(&self, text: &str) -> Vec<Issue>;

    /// The same for a tool's result: read as JSON when it parses, else as a string.
    fn check_result(&self, text: &str) -> Vec<Issue> {
        match Reader::new(text, self.depth()).drain() {
            Err(error) if !error.is_depth() => {
                let mut string = String::new();
                quote(&mut string, text);
                self.check(&string)
            }
            _ => self.check(text),
        }
    }

    /// Containers inside each other that are read.
    fn depth(&self) -> usize {
        super::Limits::default().depth
    }
}
