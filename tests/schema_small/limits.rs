//! What the small checker leaves to the other, and that its work grows with the value alone.

use std::rc::Rc;

use pagehand::schema::{Check, Native, Small, lint};
use serde_json::{Value, json};

use super::{agree, both, small};

#[test]
fn whatever_is_beyond_the_set_is_left_alone() {
    for schema in [
        json!({ "not": {} }),
        json!({ "allOf": [{}] }),
        json!({ "if": {} }),
        json!({ "patternProperties": {} }),
        json!({ "prefixItems": [{}] }),
        json!({ "items": [{}] }),
        json!({ "items": false }),
        json!({ "contains": {} }),
        json!({ "uniqueItems": true }),
        json!({ "multipleOf": 2 }),
        json!({ "minProperties": 1 }),
        json!({ "unevaluatedProperties": false }),
        json!({ "$dynamicRef": "#" }),
        json!({ "$id": "https://example.com/a" }),
        json!({ "$anchor": "a" }),
        json!({ "nullable": true }),
        json!({ "properties": { "a": false } }),
        json!({ "properties": [] }),
        json!({ "type": "text" }),
        json!({ "type": [] }),
        json!({ "type": ["string", "string"] }),
        json!({ "enum": [] }),
        json!({ "enum": [{}] }),
        json!({ "const": [] }),
        json!({ "required": ["a", "a"] }),
        json!({ "required": "a" }),
        json!({ "minLength": -1 }),
        json!({ "minLength": 1.5 }),
        json!({ "minimum": "1" }),
        json!({ "exclusiveMinimum": true }),
        json!({ "pattern": "(" }),
        json!({ "pattern": "\\-" }),
        json!({ "title": 1 }),
        json!({ "anyOf": [] }),
        json!({ "$ref": "#/$defs/nowhere" }),
        json!({ "$ref": "https://example.com/a" }),
        json!({ "$ref": "#name" }),
        json!({ "$schema": "http://json-schema.org/draft-04/schema#" }),
        json!({ "$schema": "https://example.com/own" }),
        json!({ "properties": { "a": { "$schema": "http://json-schema.org/draft-07/schema#" } } }),
        json!({ "$schema": "http://json-schema.org/draft-07/schema#", "format": "email" }),
        json!({ "$schema": "http://json-schema.org/draft-07/schema#", "$defs": { "a": {} }, "$ref": "#/$defs/a", "type": "string" }),
        json!(false),
        json!("text"),
    ] {
        assert!(small(&schema.to_string()).is_none(), "{schema}");
    }
    for text in ["", "{", r#"{"type":"string","type":"object"}"#] {
        assert!(small(text).is_none(), "{text}");
    }
}

#[test]
fn as_the_input_of_a_tool_it_takes_no_schema_that_a_developer_must_hear_of() {
    let taken = |schema: &Value| Small::compile(&schema.to_string(), true, Rc::new(Native)).is_some();
    for schema in [
        json!({ "type": "string" }),
        json!({ "const": 1 }),
        json!({ "anyOf": [{ "type": "string" }, { "$ref": "#/$defs/a" }], "$defs": { "a": { "type": "array" } } }),
        json!({ "type": "object", "required": ["a"], "additionalProperties": false }),
        json!({ "properties": { "a": { "required": ["x"], "properties": {}, "additionalProperties": false } } }),
    ] {
        assert_ne!(lint(&schema), [], "{schema}");
        assert!(!taken(&schema), "{schema}");
    }
    for schema in [json!({}), json!(true), json!({ "anyOf": [{ "type": "string" }, { "type": "object" }] })] {
        assert_eq!(lint(&schema), [], "{schema}");
        assert!(taken(&schema), "{schema}");
    }
}

#[test]
fn what_refers_to_itself_is_taken_where_it_ends() {
    let list = json!({
        "type": "object",
        "properties": { "value": { "type": "number" }, "next": { "anyOf": [{ "$ref": "#" }, { "type": "null" }] } },
        "required": ["value"],
    });
    let checkers = both(&list);
    assert!(agree(&list, &checkers, r#"{"value":1,"next":{"value":2,"next":null}}"#));
    assert!(!agree(&list, &checkers, r#"{"value":1,"next":{"value":"2","next":null}}"#));
    for schema in [
        json!({ "$ref": "#" }),
        json!({ "anyOf": [{ "type": "null" }, { "$ref": "#" }] }),
        json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "oneOf": [{ "$ref": "#/$defs/a" }] } } }),
        // Each level of a value would double the work.
        json!({ "anyOf": [{ "properties": { "a": { "$ref": "#" } } }, { "properties": { "a": { "$ref": "#" } } }] }),
    ] {
        assert!(small(&schema.to_string()).is_none(), "{schema}");
    }
}

/// Definitions each of which offers the next one twice: the work would double with each.
#[test]
fn choices_that_lead_to_the_same_choice_are_left_alone() {
    let mut definitions = serde_json::Map::new();
    for level in 0..40 {
        let next = json!({ "properties": { "a": { "$ref": format!("#/$defs/{}", level + 1) } } });
        definitions.insert(level.to_string(), json!({ "anyOf": [next, next] }));
    }
    definitions.insert("40".to_owned(), json!({ "type": "null" }));
    assert!(small(&json!({ "$ref": "#/$defs/0", "$defs": definitions }).to_string()).is_none());
}

/// Frames of a build for debugging are large; what ships is held to a page's own stack elsewhere.
#[test]
fn a_text_of_the_deepest_nesting_and_the_longest_chain_is_checked() {
    let roomy = std::thread::Builder::new().stack_size(32 << 20);
    roomy.spawn(deepest).expect("a thread").join().expect("no overflow");
}

fn deepest() {
    let mut schema = json!({ "$ref": "#" });
    for _ in 0..3 {
        schema = json!({ "anyOf": [schema] });
    }
    let schema = json!({ "properties": { "a": schema }, "additionalProperties": { "type": "null" } });
    let small = small(&schema.to_string()).expect("taken");
    let deep =
        |inner: &str, depth: usize| format!("{}{inner}{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
    assert_eq!(small.check(&deep("{}", 127)), []);
    assert_eq!(small.check(&deep(r#"{"b":1}"#, 127)).len(), 1);
    assert_eq!(small.check(&deep("{}", 128)).len(), 1);
}

#[test]
fn texts_that_are_no_json_or_too_large_read_as_they_do_elsewhere() {
    let schema = json!({ "type": "object" });
    let checkers = both(&schema);
    for text in ["", "{", r#"{"a":1,}"#, "{} {}", "nul", "1e400", "\"\\ud800\""] {
        assert!(!agree(&schema, &checkers, text), "{text}");
    }
    assert!(!agree(&schema, &checkers, &format!("\"{}\"", "a".repeat(10_000_000))));
    let (small, whole) = &checkers;
    for text in ["no JSON", "{}", "[]", "\u{8}\u{c}"] {
        assert_eq!(small.check_result(text), whole.check_result(text), "{text}");
    }
}

#[test]
fn names_that_come_twice_count_by_the_last() {
    let schema = json!({
        "properties": { "a": { "type": "string" } },
        "additionalProperties": { "type": "integer" },
        "required": ["a", "x"],
    });
    let checkers = both(&schema);
    for (text, right) in [
        (r#"{"a":1,"a":"s","x":1}"#, true),
        (r#"{"a":"s","a":1,"x":1}"#, false),
        (r#"{"a":"s","x":"s","x":1}"#, true),
        (r#"{"a":"s","x":1,"x":"s"}"#, false),
        (r#"{"a":"s","\u0078":1}"#, true),
    ] {
        assert_eq!(agree(&schema, &checkers, text), right, "{text}");
    }
    // Ten megabytes of them end, and soon.
    let many =
        (0..600_000).map(|number| format!("\"{}\":\"\"", number % 300_000)).collect::<Vec<_>>().join(",");
    assert!(!checkers.0.check(&format!("{{{many}}}")).is_empty());
}

#[test]
fn a_value_of_many_parts_is_told_of_in_a_word() {
    let plain = json!({ "items": { "type": "integer" } });
    let choice = json!({ "items": { "anyOf": [{ "type": "integer" }, { "type": "null" }] } });
    let many = format!("[{}]", vec!["\"x\""; 30_000].join(","));
    assert_eq!(both(&plain).0.check(&many).len(), 1);
    assert!(!agree(&choice, &both(&choice), &many));
    let some = format!("[{}]", vec!["\"x\""; 300].join(","));
    assert_eq!(both(&plain).0.check(&some).len(), 64);
}
