//! The small checker against the whole of JSON Schema: whatever schema it takes, both give the same issues, word
//! for word, and so the same verdict. On the official suite, on schemas of real tools, and on random ones.

#![cfg(not(target_arch = "wasm32"))]
#![cfg(feature = "schema")]
#![allow(clippy::expect_used, clippy::panic, reason = "helpers of tests fail loudly")]

#[path = "schema_small/chance.rs"]
mod chance;
#[path = "schema_small/formats.rs"]
mod formats;
mod json_schema_suite;
#[path = "schema_small/limits.rs"]
mod limits;
#[path = "schema_small/random.rs"]
mod random;
#[path = "schema_small/suite.rs"]
mod suite;
#[path = "schema_small/tools.rs"]
mod tools;

use std::rc::Rc;

use pagehand::schema::{Check, Compiled, Native, Options, Small, compile_text};
use serde_json::Value;

fn small(schema: &str) -> Option<Small> {
    Small::compile(schema, false, Rc::new(Native))
}

fn whole(schema: &str) -> Compiled {
    compile_text(schema, &Options::default()).unwrap_or_else(|error| panic!("{error}: {schema}"))
}

/// Both checkers of a schema that the small one takes.
fn both(schema: &Value) -> (Small, Compiled) {
    let text = schema.to_string();
    (small(&text).unwrap_or_else(|| panic!("not taken: {text}")), whole(&text))
}

/// Asserts that both say the same of a text. Gives whether it is right.
fn agree(schema: &Value, (small, whole): &(Small, Compiled), text: &str) -> bool {
    let (found, wanted) = (small.check(text), whole.check(text));
    assert_eq!(found, wanted, "the small checker first, of {text} by {schema}");
    found.is_empty()
}
