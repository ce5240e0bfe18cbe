//! Tells whether the text a model sent as arguments is one whole JSON object.
//!
//! Only the JSON grammar is judged here, not the schema. Nothing is repaired and nothing is rewritten: an
//! object is handed on to the last byte, or the text is malformed with the place in it. Empty, blank and
//! `null` texts count as `{}`, as models send them for tools without parameters.

use std::borrow::Cow;

use super::reader::{Event, Reader};
use super::syntax::Malformed;

/// How much text is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// UTF-8 bytes of one text.
    pub bytes: usize,
    /// Objects and arrays inside each other. The default is what `serde_json` reads, and far beyond any tool.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 10_000_000, depth: 128 }
    }
}

impl Limits {
    /// Refuses a text beyond the size cap.
    pub(crate) fn admit(&self, what: &str, text: &str) -> Result<(), Malformed> {
        if text.len() <= self.bytes {
            return Ok(());
        }
        let message = format!("{what} of {} bytes, larger than the cap of {} bytes", text.len(), self.bytes);
        Err(Malformed { message, position: None })
    }
}

/// What a text of arguments is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arguments<'a> {
    /// One whole JSON object: the text exactly as it came, or `{}` for an empty one.
    Object {
        /// The text to check and to run with.
        text: Cow<'a, str>,
    },
    /// Anything else. Never run.
    Malformed(Malformed),
}

/// Classifies a text of arguments by its syntax.
#[must_use]
pub fn classify_text<'a>(text: &'a str, limits: &Limits) -> Arguments<'a> {
    if let Err(malformed) = limits.admit("arguments", text) {
        return Arguments::Malformed(malformed);
    }
    if matches!(text.trim(), "" | "null") {
        return Arguments::Object { text: Cow::Borrowed("{}") };
    }
    let mut reader = Reader::new(text, limits.depth);
    let first = match reader.read().and_then(|first| reader.drain().map(|()| first)) {
        Ok(first) => first,
        Err(error) => return Arguments::Malformed(error.describe(text)),
    };
    let got = match first {
        Some(Event::ObjectStart) => {
            return Arguments::Object { text: Cow::Borrowed(text) };
        }
        Some(Event::ArrayStart) => "an array",
        Some(Event::String(inner)) if holds_object(&inner.decode(), limits) => {
            "a string that holds one; send the object itself, not in quotes"
        }
        Some(Event::String(_)) => "a string",
        Some(Event::Number(_)) => "a number",
        Some(Event::Boolean(_)) => "a boolean",
        _ => "null",
    };
    Arguments::Malformed(Malformed {
        message: format!("arguments must be a JSON object, got {got}"),
        position: None,
    })
}

fn holds_object(text: &str, limits: &Limits) -> bool {
    text.trim_start().starts_with('{') && Reader::new(text, limits.depth).drain().is_ok()
}
