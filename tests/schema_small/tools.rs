//! Schemas of forty real tools: all are of the small set, and a developer need not be told anything of them.

use std::rc::Rc;

use pagehand::schema::{Native, Small, lint};
use serde::Deserialize;
use serde_json::Value;

use super::chance::Chance;
use super::{agree, whole};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tool {
    name: String,
    input_schema: Value,
}

fn schemas() -> Vec<(String, Value)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/tool-schemas.jsonl");
    let lines = std::fs::read_to_string(path).expect("the schemas are in the repository");
    let tools = lines.lines().map(|line| serde_json::from_str::<Tool>(line).expect("a tool"));
    tools.map(|tool| (tool.name, tool.input_schema)).collect()
}

#[test]
fn all_forty_are_taken_and_both_say_the_same_of_right_and_broken_values() {
    let schemas = schemas();
    assert_eq!(schemas.len(), 40);
    for (name, schema) in schemas {
        let text = schema.to_string();
        let small =
            Small::compile(&text, true, Rc::new(Native)).unwrap_or_else(|| panic!("{name} is not taken"));
        assert_eq!(lint(&schema), [], "{name}");
        let checkers = (small, whole(&text));
        let (mut right, mut wrong) = (0, 0);
        for seed in 0..400 {
            let value = Chance(seed).answer(&schema, &schema, 6);
            if agree(&schema, &checkers, &value) { right += 1 } else { wrong += 1 }
        }
        assert!(wrong > 0, "{name}: {right} right, {wrong} wrong");
    }
}
