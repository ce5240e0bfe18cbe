//! JSON Patch (RFC 6902) on JSON text: what a patch does not touch stays as it was, to the last byte.
//!
//! All or nothing: the first operation that cannot be done gives an error, and the document is as before.
//! Numbers keep their digits, and of equal names the last counts, as everywhere. Both texts come from outside and
//! are not trusted: nesting, operations, size and work are capped, and nothing here panics. What state a
//! patch belongs to, and what to do about one that fails, is for others to know.

mod fault;
mod pointer;
mod same;
mod tree;

use super::json;
use super::settle::write::quote;
use crate::schema::{Event, Reader};
use fault::Fault;
use std::borrow::Cow;
use std::fmt;
use tree::{Node, Tree};

/// The operations that one patch may have.
pub const MAX_OPERATIONS: usize = 10_000;

/// The bytes that the document may have, before, between and after the operations; the patch may have as many.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The containers that may stand inside each other.
pub const MAX_NESTING: usize = 256;

/// Why a patch was not applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchError {
    /// Which operation, from 0; none when a text as a whole is at fault.
    pub operation: Option<u64>,
    /// Where: the operation's pointer, shortened and quoted, or the text that is at fault and the byte in it.
    pub place: String,
    /// What is wrong, in words.
    pub what: &'static str,
}

impl fmt::Display for PatchError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(operation) = self.operation {
            write!(formatter, "operation {operation} of the patch: ")?;
        }
        formatter.write_str(self.what)?;
        if self.place.is_empty() { Ok(()) } else { write!(formatter, ", at {}", self.place) }
    }
}

impl std::error::Error for PatchError {}

/// Applies a patch to a document and gives the new document, without space around it.
///
/// # Errors
/// When a text is not JSON, the patch is no list of operations, an operation cannot be done, or a cap is met.
pub fn apply(document: &str, patch: &str) -> Result<String, PatchError> {
    let mut tree = Tree::new(admit("the document", document, MAX_NESTING)?);
    // A value of the patch stands two levels deep in it.
    let patch = admit("the patch", patch, MAX_NESTING + 2)?;
    let mut reader = Reader::new(patch, usize::MAX);
    if !matches!(reader.read(), Ok(Some(Event::ArrayStart))) {
        return Err(PatchError { operation: None, place: String::new(), what: Fault::NoList.words() });
    }
    let mut count = 0;
    while let Ok(Some((event, operation))) = reader.read_whole() {
        if let Event::ArrayEnd = event {
            break;
        }
        let mut pointer = "".into();
        let done = if count < MAX_OPERATIONS as u64 {
            one(&mut tree, operation, &mut pointer)
        } else {
            Err(Fault::TooMany)
        };
        if let Err(fault) = done {
            return Err(PatchError { operation: Some(count), place: shown(&pointer), what: fault.words() });
        }
        count += 1;
    }
    Ok(tree.into_text())
}

/// Does one operation. Members that it has no use for are passed over. When it fails, `at` is the pointer that
/// the fault is about.
fn one<'a>(tree: &mut Tree<'a>, operation: &'a str, at: &mut Cow<'a, str>) -> Result<(), Fault> {
    let members = json::pick_all(operation, ["op", "path", "from", "value"]);
    let [op, path, from, value] = members.ok_or(Fault::NoOperation)?;
    let op = op.and_then(json::text).ok_or(Fault::NoOp)?;
    *at = path.and_then(json::text).ok_or(Fault::NoPath)?;
    let target = pointer::read(at)?;
    let op = op.as_ref();
    let value = match op {
        "remove" => return tree.remove(&target).map(drop),
        "add" | "replace" | "test" => Node::Text(value.ok_or(Fault::NoValue)?),
        "move" | "copy" => {
            let from = from.and_then(json::text).ok_or(Fault::NoFrom)?;
            let path = std::mem::replace(at, from);
            let source = pointer::read(at)?;
            let value = if op == "copy" {
                tree.copy(&source)?
            } else if target.starts_with(&source) {
                // To where it is it may be moved, if it is there.
                tree.copy(&source)?;
                return if target.len() == source.len() { Ok(()) } else { Err(Fault::IntoItself) };
            } else {
                tree.remove(&source)?
            };
            *at = path;
            value
        }
        _ => return Err(Fault::OddOp),
    };
    match op {
        "replace" => tree.replace(&target, value),
        "test" => tree.test(&target, value),
        _ => tree.add(&target, value),
    }
}

/// A pointer as messages show it.
fn shown(pointer: &str) -> String {
    let mut end = pointer.len().min(200);
    while !pointer.is_char_boundary(end) {
        end -= 1;
    }
    let mut place = String::new();
    quote(&mut place, pointer.get(..end).unwrap_or_default());
    place
}

/// The one JSON value of a text, within the caps.
fn admit<'a>(name: &str, text: &'a str, nesting: usize) -> Result<&'a str, PatchError> {
    let mut place = name.to_owned();
    let mut reader = Reader::new(text, nesting);
    let what = if text.len() > MAX_BYTES {
        Fault::TooLarge
    } else {
        match reader.read_whole().and_then(|whole| reader.read().map(|_| whole)) {
            Ok(whole) => return Ok(whole.map_or("", |(_, whole)| whole)),
            Err(error) if error.is_depth() => Fault::TooDeep,
            Err(error) => {
                let offset = error.describe(text).position.map_or(0, |position| position.offset as u64);
                place.push_str(", byte ");
                place.push_str(&offset.to_string());
                Fault::NoJson
            }
        }
    };
    Err(PatchError { operation: None, place, what: what.words() })
}
