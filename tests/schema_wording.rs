//! What a model reads when its call is wrong: realistic schemas and calls, and the exact words.

#![cfg(not(target_arch = "wasm32"))]
#![cfg(feature = "schema")]
#![allow(clippy::expect_used, reason = "helpers of tests fail loudly")]

use pagehand::schema::{Check, Issue, MAX_RENDERED, Options, compile, nearest, render, tidy};
use serde_json::{Value, json};

fn issues(schema: &Value, text: &str) -> Vec<Issue> {
    compile(schema, &Options::default()).expect("a valid schema").check(text)
}

/// Each issue of a call, one line each, and what [`render`] makes of them.
fn expect(schema: &Value, text: &str, lines: &[&str]) {
    let found = issues(schema, text);
    let shown: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(shown, lines, "for {text}");
    let mut whole = lines.iter().take(MAX_RENDERED).copied().collect::<Vec<_>>().join("; ");
    if lines.len() > MAX_RENDERED {
        whole += &format!(" (+{} more)", lines.len() - MAX_RENDERED);
    }
    assert_eq!(render(&found), whole);
}

fn order() -> Value {
    json!({
        "type": "object",
        "properties": {
            "items": { "type": "array", "minItems": 1, "items": {
                "type": "object",
                "properties": { "sku": { "type": "string" }, "qty": { "type": "integer", "minimum": 1, "maximum": 99 } },
                "required": ["sku", "qty"],
                "additionalProperties": false,
            } },
            "shipping": { "enum": ["standard", "express", "pickup"] },
            "note": { "type": ["string", "null"], "maxLength": 10 },
            "gift": { "type": "boolean" },
            "address": { "$ref": "#/$defs/Address" },
        },
        "required": ["items"],
        "$defs": { "Address": {
            "type": "object",
            "properties": {
                "street": { "type": "string", "minLength": 1 },
                "zip": { "type": "string", "pattern": "^[0-9]{5}$" },
                "country": { "const": "PT" },
            },
            "required": ["street", "zip"],
        } },
    })
}

#[test]
fn a_right_call_has_no_issues() {
    let text = r#"{"items":[{"sku":"a","qty":2}],"shipping":"express","note":null,"address":{"street":"x","zip":"01000"}}"#;
    expect(&order(), text, &[]);
}

#[test]
fn a_number_in_quotes() {
    expect(
        &order(),
        r#"{"items":[{"sku":"a","qty":"2"}]}"#,
        &[r#"/items/0/qty: expected integer, got string "2" (write 2, without quotes)"#],
    );
}

#[test]
fn a_misspelt_property_and_the_one_it_was_meant_for() {
    expect(
        &order(),
        r#"{"items":[{"sku":"a","quantity":2}]}"#,
        &[
            r#"/items/0: missing required property "qty" ("quantity" was sent; is it meant as "qty"?)"#,
            r#"/items/0: unknown property "quantity" (did you mean "qty"?)"#,
        ],
    );
}

#[test]
fn a_near_miss_of_an_enum() {
    expect(
        &order(),
        r#"{"items":[{"sku":"a","qty":1}],"shipping":"Express delivery"}"#,
        &[
            r#"/shipping: expected one of "standard", "express", "pickup", got string "Express delivery" (did you mean "express"?)"#,
        ],
    );
    expect(
        &order(),
        r#"{"items":[{"sku":"a","qty":1}],"shipping":"teleport"}"#,
        &[r#"/shipping: expected one of "standard", "express", "pickup", got string "teleport""#],
    );
}

#[test]
fn a_missing_property_is_described() {
    expect(
        &order(),
        "{}",
        &[r#"missing required property "items" (add "items": array of object with "sku", "qty")"#],
    );
    expect(
        &order(),
        r#"{"items":[{"sku":"a","qty":1}],"address":{}}"#,
        &[
            r#"/address: missing required property "street" (add "street": string)"#,
            r#"/address: missing required property "zip" (add "zip": string)"#,
        ],
    );
}

#[test]
fn bounds_lengths_and_patterns() {
    expect(
        &order(),
        r#"{"items":[],"note":"much too long","address":{"street":"","zip":"12a","country":"ES"}}"#,
        &[
            r#"/address/country: expected "PT", got string "ES""#,
            r#"/address/street: expected at least 1 character, got 0: string """#,
            r#"/address/zip: expected a string matching ^[0-9]{5}$, got string "12a""#,
            r#"/items: expected at least 1 item, got 0"#,
            r#"/note: expected at most 10 characters, got 13: string "much too long""#,
        ],
    );
    expect(
        &order(),
        r#"{"items":[{"sku":"a","qty":0},{"sku":"b","qty":100}]}"#,
        &[
            "/items/0/qty: expected at least 1, got integer 0",
            "/items/1/qty: expected at most 99, got integer 100",
        ],
    );
}

#[test]
fn json_inside_a_string_and_a_bare_value_for_a_list() {
    expect(
        &order(),
        r#"{"items":"[{\"sku\":\"a\",\"qty\":1}]"}"#,
        &[
            r#"/items: expected array, got string "[{\"sku\":\"a\",\"qty\":1}]" (send the JSON itself, not a string that holds it)"#,
        ],
    );
    expect(
        &order(),
        r#"{"items":{"sku":"a","qty":1}}"#,
        &[r#"/items: expected array, got object {"qty":1,"sku":"a"} (wrap it: [{"qty":1,"sku":"a"}])"#],
    );
}

#[test]
fn null_for_a_property_that_may_be_left_out() {
    expect(
        &order(),
        r#"{"items":[{"sku":"a","qty":1}],"gift":null}"#,
        &["/gift: expected boolean, got null (leave the property out if there is no value)"],
    );
    expect(&order(), r#"{"items":null}"#, &["/items: expected array, got null"]);
}

#[test]
fn alternatives_told_apart_by_a_constant() {
    let shape = |kind: &str, side: &str| json!({ "type": "object", "properties": { "kind": { "const": kind }, side: { "type": "number" } }, "required": ["kind", side] });
    let schema = json!({ "type": "object", "properties": { "shape": { "oneOf": [shape("circle", "radius"), shape("square", "side")] } } });
    expect(
        &schema,
        r#"{"shape":{"kind":"square","sid":3}}"#,
        &[r#"/shape: missing required property "side" ("sid" was sent; is it meant as "side"?)"#],
    );
    expect(
        &schema,
        r#"{"shape":{"kind":"triangle"}}"#,
        &[r#"/shape/kind: expected "circle" or "square", got string "triangle""#],
    );
    expect(
        &schema,
        r#"{"shape":{}}"#,
        &[
            r#"/shape: matches none of 2 alternatives: (1) missing required property "kind" (add "kind": "circle"), missing required property "radius" (add "radius": number); (2) missing required property "kind" (add "kind": "square"), missing required property "side" (add "side": number)"#,
        ],
    );
}

#[test]
fn alternatives_of_several_types() {
    let schema = json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }, { "type": "null" }] });
    expect(&schema, "5", &["expected string, array or null, got integer 5 (put it in quotes: \"5\")"]);
    expect(&schema, "[5]", &["/0: expected string, got integer 5 (put it in quotes: \"5\")"]);
    let one_of = json!({ "type": "object", "anyOf": [{ "required": ["id"] }, { "required": ["name"] }] });
    expect(
        &one_of,
        "{}",
        &[
            r#"matches none of 2 alternatives: (1) missing required property "id" (add "id"); (2) missing required property "name" (add "name")"#,
        ],
    );
    let overlapping = json!({ "oneOf": [{ "type": "integer" }, { "minimum": 5 }, { "type": "string" }] });
    expect(&overlapping, "7", &["matches 2 of 3 alternatives (1, 2), where exactly one must match"]);
}

#[test]
fn names_formats_repeats_and_the_rest() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
            "at": { "type": "string", "format": "date-time" },
            "tags": { "type": "array", "uniqueItems": true, "maxItems": 2, "contains": { "type": "string" } },
            "labels": { "type": "object", "propertyNames": { "pattern": "^[a-z]+$" }, "maxProperties": 1 },
            "step": { "type": "number", "multipleOf": 0.5, "exclusiveMinimum": 0 },
            "not": { "not": { "type": "string" } },
            "gone": false,
        },
        "dependencies": { "at": ["zone"] },
    });
    expect(
        &schema,
        r#"{"at":"tomorrow","tags":[1,2,1],"labels":{"A-1":1,"b":2},"step":0,"not":"x","gone":1}"#,
        &[
            r#"missing required property "zone" (add "zone")"#,
            r#"/at: expected a string of format "date-time", got string "tomorrow" (for example "2025-01-31T09:30:00Z")"#,
            r#"/gone: no value is allowed here, got integer 1 (leave it out)"#,
            r#"/labels: expected at most 1 property, got 2"#,
            r#"/labels: property name "A-1": expected a string matching ^[a-z]+$, got string "A-1""#,
            r#"/not: expected anything but string, got string "x""#,
            r#"/step: expected more than 0, got integer 0"#,
            r#"/tags: expected an item that is string, got array [1,2,1]"#,
            r#"/tags: expected at most 2 items, got 3"#,
            r#"/tags: expected items that differ, but items 0 and 2 are equal"#,
        ],
    );
    expect(&json!({ "multipleOf": 0.5 }), "0.7", &["expected a multiple of 0.5, got number 0.7"]);
    expect(
        &json!({ "prefixItems": [{}], "items": false }),
        "[1,2]",
        &["/1: no value is allowed here, got integer 2 (leave it out)"],
    );
}

#[test]
fn unevaluated_properties_and_items_read_like_additional_ones() {
    let schema = json!({ "allOf": [{ "properties": { "a": {} } }], "properties": { "city": {} }, "unevaluatedProperties": false });
    expect(&schema, r#"{"a":1,"cty":2}"#, &[r#"unknown property "cty" (did you mean "city"?)"#]);
    let items = json!({ "prefixItems": [{}], "unevaluatedItems": false });
    expect(&items, "[1,2]", &["expected no items beyond those described, got 2"]);
}

#[test]
fn an_issue_is_what_the_types_say() {
    let found = issues(&order(), r#"{"items":[{"sku":"a","qty":"2"}]}"#);
    assert_eq!(
        serde_json::to_value(&found).expect("plain strings"),
        json!([{
            "path": "/items/0/qty", "keyword": "type", "message": "/items/0/qty: expected integer, got string \"2\"",
            "expected": "integer", "got": "string \"2\"", "hint": "write 2, without quotes",
        }])
    );
    assert_eq!(found[0].reason(), "expected integer, got string \"2\"");
    let bare = serde_json::to_value(Issue::new("", "type", "x")).expect("plain strings");
    assert_eq!(bare, json!({ "path": "", "keyword": "type", "message": "x" }));
    let back: Issue = serde_json::from_value(bare).expect("the rest is optional");
    assert_eq!(back, Issue::new("", "type", "x"));
}

#[test]
fn issues_stand_in_the_order_of_the_value() {
    let names = ["", "/a", "/a/2", "/a/10", "/a/10/b", "/a/1x", "/a/x", "/b"];
    let mut shuffled: Vec<Issue> = names.iter().rev().map(|path| Issue::new(path, "type", "x")).collect();
    shuffled.extend(names.iter().map(|path| Issue::new(path, "required", "x")));
    shuffled.extend(names.iter().map(|path| Issue::new(path, "type", "x")));
    tidy(&mut shuffled);
    let order: Vec<(&str, &str)> =
        shuffled.iter().map(|issue| (issue.path.as_str(), issue.keyword.as_str())).collect();
    let wanted: Vec<(&str, &str)> =
        names.iter().flat_map(|path| [(*path, "type"), (*path, "required")]).collect();
    assert_eq!(order, wanted);
}

#[test]
fn large_values_and_long_names_are_shortened() {
    let schema = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    let name = "n".repeat(500);
    let found = issues(&schema, &format!("{{\"{name}\":[{}1]}}", "123456789,".repeat(100_000)));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].path.len(), 501);
    assert!(found[0].message.chars().count() < 260, "{}", found[0].message);
    assert!(found[0].message.ends_with('…'));
    let wide = issues(
        &schema,
        &format!("{{{}\"z\":1}}", (0..1000).map(|n| format!("\"p{n}\":{n},")).collect::<String>()),
    );
    assert_eq!(wide.len(), 64);
    assert!(render(&wide).ends_with("(+61 more)"));
}

#[test]
fn the_nearest_name_is_a_slip_away_or_none() {
    let names = ["quantity", "unitPrice", "currency", "id"];
    for (typed, meant) in [
        ("quantiy", Some("quantity")),
        ("qauntity", Some("quantity")),
        ("unit_price", Some("unitPrice")),
        ("qty", Some("quantity")),
        ("Currency", Some("currency")),
        ("ID", Some("id")),
        ("if", None),
        ("weather", None),
        ("", None),
        ("pricing", None),
    ] {
        assert_eq!(nearest(typed, names), meant, "{typed}");
    }
    assert_eq!(nearest("ab", ["ac", "ad"]), None);
    assert_eq!(nearest("color", ["colour", "colon"]), Some("colour"));
}
