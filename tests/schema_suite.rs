//! The official JSON Schema test suite, every required test of every draft, through the door the runtime uses:
//! texts in, issues out. The counts are exact, so a file that fails to load cannot pass by silence. And what the
//! stand-ins in the file that ships must judge as the crates here do: schema-shipped.test.mjs reads the same table.

#![cfg(not(target_arch = "wasm32"))]
#![cfg(feature = "schema")]
#![allow(clippy::expect_used, reason = "helpers of tests fail loudly")]

mod json_schema_suite;

use std::collections::BTreeMap;

use json_schema_suite::{fixture, groups};
use pagehand::schema::{Check, Draft, Options, compile_text};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The documents the tests refer to, as if someone had fetched them before.
fn documents() -> Vec<(String, Value)> {
    let documents: BTreeMap<String, Value> = serde_json::from_str(&fixture("remotes")).expect("JSON");
    let address = |path: String| format!("http://localhost:1234/{path}");
    documents.into_iter().map(|(path, document)| (address(path), document)).collect()
}

fn run(folder: &str, draft: Draft, expected: usize) {
    let options = Options { draft: Some(draft), documents: documents(), ..Options::default() };
    let files = groups(folder);
    let mut count = 0;
    let mut failures = Vec::new();
    for (file, groups) in &files {
        for group in groups {
            let schema = match compile_text(group.schema.get(), &options) {
                Ok(schema) => schema,
                Err(error) => {
                    failures.push(format!("{file}: {}: {error}", group.description));
                    continue;
                }
            };
            for case in &group.tests {
                count += 1;
                let issues = schema.check(case.data.get());
                if issues.is_empty() != case.valid {
                    failures.push(format!("{file}: {}: {}: {issues:?}", group.description, case.description));
                }
                for issue in &issues {
                    assert!(
                        !issue.message.is_empty() && !issue.keyword.is_empty(),
                        "an empty issue: {issue:?}"
                    );
                    assert!(issue.message.chars().count() < 1200, "a long message: {issue:?}");
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} of {count} failed:\n{}", failures.len(), failures.join("\n"));
    assert_eq!(count, expected, "the number of tests in {folder}");
}

#[test]
fn every_required_test_of_draft_4_passes() {
    run("draft4", Draft::Draft4, 610);
}

#[test]
fn every_required_test_of_draft_6_passes() {
    run("draft6", Draft::Draft6, 829);
}

#[test]
fn every_required_test_of_draft_7_passes() {
    run("draft7", Draft::Draft7, 913);
}

#[test]
fn every_required_test_of_draft_2019_09_passes() {
    run("draft2019-09", Draft::Draft201909, 1227);
}

#[test]
fn every_required_test_of_draft_2020_12_passes() {
    run("draft2020-12", Draft::Draft202012, 1257);
}

#[derive(Deserialize)]
struct Alike {
    judged: Vec<Judged>,
    refused: Vec<String>,
}

#[derive(Deserialize)]
struct Judged {
    draft: String,
    schema: Box<RawValue>,
    valid: Vec<Box<RawValue>>,
    invalid: Vec<Box<RawValue>>,
}

#[test]
fn what_ships_with_stand_ins_is_judged_alike_here() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/schema-stand-ins.json");
    let text = std::fs::read_to_string(path).expect("the table is in the repository");
    let table: Alike = serde_json::from_str(&text).expect("JSON");
    for one in &table.judged {
        let options = Options { draft: Draft::from_name(&one.draft), ..Options::default() };
        let schema = compile_text(one.schema.get(), &options).expect("a schema");
        for (texts, wanted) in [(&one.valid, true), (&one.invalid, false)] {
            for text in texts {
                let issues = schema.check(text.get());
                assert_eq!(issues.is_empty(), wanted, "{} of {}: {issues:?}", text.get(), one.schema.get());
            }
        }
    }
    for pattern in &table.refused {
        let schema = serde_json::json!({ "pattern": pattern }).to_string();
        let error = compile_text(&schema, &Options::default()).expect_err(pattern);
        assert!(error.message.ends_with("is not a valid regular expression"), "{pattern}: {error}");
    }
}
