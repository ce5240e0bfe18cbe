//! Every test of the official suite whose schema the small checker takes. The counts are exact: a change that
//! takes fewer schemas shows.

use pagehand::schema::{Check, CompileError, Draft, Options, compile};
use serde_json::{Value, json};

use super::json_schema_suite::groups;
use super::small;

fn run(folder: &str, address: &str, draft: Draft, expected: usize) {
    let options = Options { draft: Some(draft), ..Options::default() };
    let mut count = 0;
    for group in groups(folder).into_values().flatten() {
        let mut schema: Value = serde_json::from_str(group.schema.get()).expect("JSON");
        if let Some(map) = schema.as_object_mut() {
            map.entry("$schema").or_insert(json!(address));
        }
        let Some(small) = small(&schema.to_string()) else { continue };
        let whole =
            compile(&schema, &options).unwrap_or_else(|error: CompileError| panic!("{error}: {schema}"));
        for case in group.tests {
            count += 1;
            let told = format!("{}: {}", group.description, case.description);
            let found = small.check(case.data.get());
            assert_eq!(found.is_empty(), case.valid, "{told}: {found:?}");
            assert_eq!(found, whole.check(case.data.get()), "{told}: the small checker first");
        }
    }
    assert_eq!(count, expected, "tests of {folder} whose schema is taken");
}

#[test]
fn every_test_of_draft_7_that_is_taken_passes() {
    run("draft7", "http://json-schema.org/draft-07/schema#", Draft::Draft7, 356);
}

#[test]
fn every_test_of_draft_2019_09_that_is_taken_passes() {
    run("draft2019-09", "https://json-schema.org/draft/2019-09/schema", Draft::Draft201909, 448);
}

#[test]
fn every_test_of_draft_2020_12_that_is_taken_passes() {
    run("draft2020-12", "https://json-schema.org/draft/2020-12/schema", Draft::Draft202012, 467);
}
