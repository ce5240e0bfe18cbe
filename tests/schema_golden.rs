//! What a model reads of wrong calls: realistic schemas and calls, and the exact texts, in a file that the tests of
//! what ships read too. `UPDATE=1 cargo test --test schema_golden` writes the texts anew; read each as a model would.

#![cfg(not(target_arch = "wasm32"))]
#![cfg(feature = "schema")]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests fail loudly"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use pagehand::schema::{Check, Options, compile, render};
use serde_json::{Value, json};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/");

fn read(name: &str) -> String {
    fs::read_to_string(format!("{FOLDER}{name}")).expect("in the repository")
}

/// The schemas by name: those of the public tools, and those made for these tests.
fn schemas() -> BTreeMap<String, Value> {
    let own: BTreeMap<String, Value> =
        serde_json::from_str(&read("schema-golden/schemas.json")).expect("an object of schemas");
    let public = read("tool-schemas.jsonl");
    let public = public.lines().filter(|line| !line.is_empty()).map(|line| {
        let tool: Value = serde_json::from_str(line).expect("JSON");
        (tool["name"].as_str().expect("a name").to_owned(), tool["inputSchema"].clone())
    });
    public.chain(own).collect()
}

#[test]
fn each_wrong_call_reads_as_the_file_says() {
    let schemas = schemas();
    let mut cases: Vec<Value> =
        serde_json::from_str(&read("schema-golden/calls.json")).expect("a list of cases");
    let mut wrong = Vec::new();
    for case in &mut cases {
        let name = case["tool"].as_str().expect("a tool");
        let schema = schemas.get(name).unwrap_or_else(|| panic!("no schema of {name}"));
        let compiled = compile(schema, &Options::default()).expect("a valid schema");
        let text = render(&compiled.check(case["call"].as_str().expect("a call")));
        if case["reads"] != json!(text) {
            wrong.push(format!(
                "{}\n  {}\n  now: {text}\n  was: {}",
                case["name"], case["call"], case["reads"]
            ));
            case["reads"] = json!(text);
        }
    }
    if std::env::var_os("UPDATE").is_some() {
        let text = serde_json::to_string_pretty(&cases).expect("JSON");
        fs::write(format!("{FOLDER}schema-golden/calls.json"), text + "\n").expect("writable");
        return;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn the_file_has_many_different_calls_and_none_of_them_passes() {
    let cases: Vec<Value> = serde_json::from_str(&read("schema-golden/calls.json")).expect("a list of cases");
    let names: BTreeSet<&str> = cases.iter().filter_map(|case| case["name"].as_str()).collect();
    assert_eq!(names.len(), cases.len(), "each has a name of its own");
    assert!(cases.len() >= 60, "{}", cases.len());
    assert!(cases.iter().all(|case| case["reads"].as_str().is_some_and(|text| !text.is_empty())));
}
