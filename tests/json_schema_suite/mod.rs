//! The official JSON Schema test suite as the repository holds it: for each draft one document of files, each with
//! groups of tests for one schema.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
pub(crate) struct Group {
    pub(crate) description: String,
    pub(crate) schema: Box<RawValue>,
    pub(crate) tests: Vec<Case>,
}

#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) description: String,
    pub(crate) data: Box<RawValue>,
    pub(crate) valid: bool,
}

/// The text of one document.
pub(crate) fn fixture(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/json-schema-suite/");
    std::fs::read_to_string(format!("{folder}{name}.json")).expect("the suite is in the repository")
}

/// The files of a draft, by name.
pub(crate) fn groups(draft: &str) -> BTreeMap<String, Vec<Group>> {
    serde_json::from_str(&fixture(draft)).expect("JSON")
}
