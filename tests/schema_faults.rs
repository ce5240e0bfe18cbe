//! Schemas as people really write them: references, recursion, null, dialects, and the ones that cannot work.

#![cfg(not(target_arch = "wasm32"))]
#![cfg(feature = "schema")]
#![allow(clippy::expect_used, clippy::panic, reason = "helpers of tests fail loudly")]

use pagehand::schema::{
    Check, CompileError, CompileErrorKind, Compiled, Draft, Level, Options, compile, compile_text, lint,
    lint_text,
};
use serde_json::{Value, json};

fn made(schema: &Value) -> Compiled {
    compile(schema, &Options::default()).unwrap_or_else(|error| panic!("{error}: {schema}"))
}

fn refused(schema: &Value) -> CompileError {
    compile(schema, &Options::default()).expect_err("it must not compile")
}

fn messages(schema: &Value, text: &str) -> Vec<String> {
    made(schema).check(text).iter().map(ToString::to_string).collect()
}

fn tree() -> Value {
    json!({
        "type": "object",
        "properties": { "root": { "$ref": "#/$defs/Node" } },
        "$defs": { "Node": {
            "type": "object",
            "properties": { "name": { "type": "string" }, "child": { "$ref": "#/$defs/Node" } },
            "required": ["name"],
        } },
    })
}

fn nested_nodes(levels: usize, last: &str) -> String {
    format!(
        "{{\"root\":{}{last}{}}}",
        "{\"name\":\"n\",\"child\":".repeat(levels - 1),
        "}".repeat(levels - 1)
    )
}

#[test]
fn local_references_resolve_by_pointer_anchor_id_and_the_older_definitions() {
    let integer = |reference: &str| {
        json!({
            "$id": "https://example.com/tool.json",
            "properties": { "a": { "$ref": reference } },
            "$defs": { "Whole": { "$anchor": "whole", "type": "integer" }, "by/name": { "$id": "whole.json", "type": "integer" } },
            "definitions": { "W": { "type": "integer" } },
        })
    };
    let references = [
        "#/$defs/Whole",
        "#whole",
        "#/definitions/W",
        "#/$defs/by~1name",
        "whole.json",
        "https://example.com/whole.json",
        "https://example.com/tool.json#whole",
    ];
    for reference in references {
        assert_eq!(messages(&integer(reference), r#"{"a":1}"#), [""; 0], "{reference}");
        assert_eq!(messages(&integer(reference), r#"{"a":null}"#).len(), 1, "{reference}");
    }
}

#[test]
fn a_recursive_type_is_judged_fifty_levels_down_and_at_the_cap() {
    let schema = made(&tree());
    assert!(schema.check(&nested_nodes(50, r#"{"name":"leaf"}"#)).is_empty());
    let issues = schema.check(&nested_nodes(50, r#"{"name":5}"#));
    assert_eq!(issues.len(), 1);
    assert_eq!(issues[0].path, format!("/root{}/name", "/child".repeat(49)));
    assert!(schema.check(&nested_nodes(127, r#"{"name":"leaf"}"#)).is_empty());
    let issues = schema.check(&nested_nodes(128, r#"{"name":"leaf"}"#));
    assert_eq!(issues[0].keyword, "nesting");
}

#[test]
fn a_reference_to_itself_is_refused_and_the_chain_is_named() {
    let cases = [
        (json!({ "$ref": "#" }), "# -> #"),
        (json!({ "$ref": "" }), "# -> #"),
        (json!({ "anyOf": [{ "type": "string" }, { "$ref": "#" }] }), "# -> #/anyOf/1 -> #"),
        (
            json!({ "properties": { "x": { "$ref": "#/$defs/a" } },
                    "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "allOf": [{ "$ref": "#/$defs/a" }] } } }),
            "#/$defs/a -> #/$defs/b -> #/$defs/b/allOf/0 -> #/$defs/a",
        ),
        (
            json!({ "$defs": { "a": { "$anchor": "me", "not": { "$ref": "#me" } } }, "$ref": "#me" }),
            "#/$defs/a",
        ),
        (json!({ "$id": "https://example.com/a", "$ref": "https://example.com/a#" }), "# -> #"),
        (json!({ "$ref": "#/%24defs/a~1b", "$defs": { "a/b": { "$ref": "#" } } }), "#/$defs/a~1b"),
    ];
    for (schema, chain) in cases {
        let error = refused(&schema);
        assert_eq!(error.kind, CompileErrorKind::Cycle, "{error}");
        let steps = chain.split(" -> ").all(|step| error.message.contains(step));
        assert!(
            steps && error.message.contains("refers to itself without stepping into the value"),
            "{error}"
        );
    }
}

#[test]
fn a_recursion_that_steps_into_the_value_is_no_cycle() {
    let schemas = [
        json!({ "properties": { "next": { "$ref": "#" } } }),
        json!({ "items": { "$ref": "#" }, "type": "array" }),
        json!({ "allOf": [{ "$ref": "#/$defs/a" }, { "$ref": "#/$defs/a" }], "$defs": { "a": { "type": "object" } } }),
        json!({ "$schema": "http://json-schema.org/draft-07/schema#", "definitions": { "a": { "$ref": "#/definitions/b", "allOf": [{ "$ref": "#/definitions/a" }] }, "b": {} } }),
        json!({ "const": { "$ref": "#" }, "default": { "$ref": "#" } }),
        json!({ "properties": { "$ref": { "type": "string" } } }),
    ];
    for schema in schemas {
        made(&schema);
    }
}

#[test]
fn dynamic_references_to_themselves_end() {
    for text in [
        r##"{"$dynamicRef":"#"}"##,
        r##"{"$dynamicAnchor":"a","$dynamicRef":"#a"}"##,
        r##"{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"$recursiveRef":"#"}"##,
        r##"{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveRef":"#","unevaluatedProperties":false}"##,
    ] {
        if let Ok(schema) = compile_text(text, &Options::default()) {
            let _ = schema.check(r#"{"a":{"a":{}}}"#);
        }
    }
}

#[test]
fn nothing_is_fetched_and_the_reference_is_named() {
    let error = refused(&json!({ "properties": { "a": { "$ref": "https://example.com/other.json#/x" } } }));
    assert_eq!(error.kind, CompileErrorKind::Unresolved);
    assert_eq!(
        error.message,
        "the reference \"https://example.com/other.json\" leads out of the schema, and nothing is fetched"
    );
    for reference in ["#/$defs/missing", "#missing", "file:///etc/passwd", "other.json"] {
        let error = refused(&json!({ "$ref": reference }));
        assert_eq!(error.kind, CompileErrorKind::Unresolved, "{reference}");
        assert!(error.message.contains(reference.trim_start_matches("other")), "{error}");
    }
    let documents = vec![("https://example.com/other.json".to_owned(), json!({ "type": "integer" }))];
    let options = Options { documents, ..Options::default() };
    let schema =
        compile(&json!({ "$ref": "https://example.com/other.json" }), &options).expect("it is at hand");
    assert_eq!(schema.check("\"x\"").len(), 1);
}

#[test]
fn the_meta_schema_of_the_draft_in_use_is_at_hand() {
    for address in [
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
    ] {
        let schema = made(&json!({ "$schema": address, "properties": { "s": { "$ref": address } } }));
        assert!(schema.check(r#"{"s":{"type":"string"}}"#).is_empty(), "{address}");
        assert!(!schema.check(r#"{"s":{"type":"nothing"}}"#).is_empty(), "{address}");
    }
}

#[test]
fn a_list_of_types_and_any_of_with_null_are_unions() {
    for nullable in [
        json!({ "type": ["string", "null"] }),
        json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }),
    ] {
        let schema = json!({ "type": "object", "properties": { "note": nullable } });
        for text in [r#"{"note":null}"#, r#"{"note":""}"#, "{}"] {
            assert_eq!(messages(&schema, text), [""; 0]);
        }
        assert_eq!(
            messages(&schema, r#"{"note":1}"#),
            ["/note: expected string or null, got integer 1 (put it in quotes: \"1\")"]
        );
    }
}

#[test]
fn an_object_is_open_unless_additional_properties_says_otherwise() {
    let with =
        |rule: Value| json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": rule });
    assert_eq!(messages(&json!({ "type": "object", "properties": { "a": {} } }), r#"{"b":1}"#), [""; 0]);
    assert_eq!(messages(&with(json!(true)), r#"{"b":1}"#), [""; 0]);
    assert_eq!(messages(&with(json!(false)), r#"{"b":1}"#), ["unknown property \"b\" (allowed: \"a\")"]);
    assert_eq!(
        messages(&with(json!({ "type": "string" })), r#"{"b":1}"#),
        ["/b: expected string, got integer 1 (put it in quotes: \"1\")"]
    );
}

#[test]
fn nullable_means_nothing_and_is_pointed_out_at_registration() {
    let schema =
        json!({ "type": "object", "properties": { "note": { "type": "string", "nullable": true } } });
    assert_eq!(made(&schema).check(r#"{"note":null}"#).len(), 1);
    let findings = lint(&schema);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].level, Level::Warning);
    assert_eq!(findings[0].path, "/properties/note/nullable");
    assert_eq!(findings[0].hint.as_deref(), Some("write \"type\": [\"string\", \"null\"]"));
    assert!(
        lint(&json!({ "type": "object", "properties": { "nullable": { "type": "boolean" } } })).is_empty()
    );
}

#[test]
fn a_root_that_takes_no_object_is_refused_at_registration() {
    let refused = [
        (json!({ "type": "array", "items": {} }), "array"),
        (json!({ "type": "string" }), "string"),
        (json!({ "type": "null" }), "null"),
        (json!({ "type": ["string", "null"] }), "string or null"),
        (json!({ "enum": ["a", "b"] }), "one of \"a\", \"b\""),
        (json!({ "$ref": "#/$defs/a", "$defs": { "a": { "type": "number" } } }), "number"),
        (json!({ "oneOf": [{ "type": "string" }, { "const": 1 }] }), "string or 1"),
    ];
    for (schema, asks) in refused {
        let findings = lint(&schema);
        assert_eq!(findings[0].level, Level::Error);
        assert_eq!(
            findings[0].message,
            format!("a tool's input is always an object, but the root asks for {asks}")
        );
    }
    for schema in [json!(false), json!(3), json!([])] {
        assert_eq!(lint(&schema)[0].level, Level::Error, "{schema}");
    }
    for schema in [
        json!({}),
        json!(true),
        json!({ "type": "object" }),
        json!({ "type": ["object", "null"] }),
        json!({ "$ref": "#/$defs/a", "$defs": { "a": { "type": "object" } } }),
        json!({ "anyOf": [{ "type": "string" }, { "properties": {} }] }),
        json!({ "$ref": "#" }),
    ] {
        assert!(lint(&schema).is_empty(), "{schema}");
    }
    assert_eq!(lint_text("{\"type\":")[0].level, Level::Error);
}

#[test]
fn a_required_property_that_nothing_allows_is_pointed_out() {
    let findings = lint(
        &json!({ "type": "object", "required": ["a", "b"], "properties": { "a": {} }, "additionalProperties": false }),
    );
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].message, "\"b\" is required, but no property of that name is allowed");
}

#[test]
fn the_draft_is_the_one_the_schema_names_else_the_option_else_the_newest() {
    let tuple = json!({ "items": [{ "type": "string" }] });
    let error = refused(&tuple);
    assert!(error.message.contains("use \"prefixItems\", or name the draft in \"$schema\""), "{error}");
    let older = Options { draft: Some(Draft::Draft7), ..Options::default() };
    assert_eq!(compile(&tuple, &older).expect("draft 7").check("[1]").len(), 1);
    let named =
        json!({ "$schema": "http://json-schema.org/draft-07/schema#", "items": [{ "type": "string" }] });
    let newer = Options { draft: Some(Draft::Draft202012), ..Options::default() };
    assert_eq!(compile(&named, &newer).expect("it names its draft").check("[1]").len(), 1);
    for (name, draft) in [
        ("4", Draft::Draft4),
        ("draft-06", Draft::Draft6),
        ("draft7", Draft::Draft7),
        ("07", Draft::Draft7),
        ("draft2019-09", Draft::Draft201909),
        ("2020-12", Draft::Draft202012),
        ("https://json-schema.org/draft/2020-12/schema", Draft::Draft202012),
    ] {
        assert_eq!(Draft::from_name(name), Some(draft), "{name}");
    }
    for name in ["", "3", "8", "draft-next", "2020"] {
        assert_eq!(Draft::from_name(name), None, "{name}");
    }
}

#[test]
fn format_is_asserted_as_the_draft_says_unless_told() {
    let verdict = |schema: Value, formats: Option<bool>| {
        let options = Options { formats, ..Options::default() };
        compile(&schema, &options).expect("valid").check("\"tomorrow\"").is_empty()
    };
    let seven = json!({ "$schema": "http://json-schema.org/draft-07/schema#", "format": "date" });
    assert!(!verdict(seven.clone(), None));
    assert!(verdict(seven, Some(false)));
    assert!(verdict(json!({ "format": "date" }), None));
    assert!(!verdict(json!({ "format": "date" }), Some(true)));
    assert!(verdict(json!({ "format": "no-such-format" }), Some(true)));
}

#[test]
fn a_schema_that_cannot_work_says_why_and_where() {
    let cases = [
        (
            json!({ "properties": { "a": { "pattern": "[" } } }),
            CompileErrorKind::InvalidPattern,
            "invalid schema at /properties/a/pattern: \"[\" is not a valid regular expression",
        ),
        (
            json!({ "$schema": "http://json-schema.org/draft-07/schema#", "pattern": "(" }),
            CompileErrorKind::InvalidPattern,
            "invalid schema at /pattern: \"(\" is not a valid regular expression",
        ),
        (
            json!({ "properties": { "a": { "type": "strin" } } }),
            CompileErrorKind::InvalidKeyword,
            "invalid schema at /properties/a/type: \"strin\" is not a type: array, boolean, integer, null, number, object, string are; did you mean \"string\"?",
        ),
        (
            json!({ "$schema": "http://json-schema.org/draft-03/schema#" }),
            CompileErrorKind::UnknownDraft,
            "invalid schema at /$schema: \"http://json-schema.org/draft-03/schema#\" is not a known draft: 4, 6, 7, 2019-09 and 2020-12 are",
        ),
        (
            json!([]),
            CompileErrorKind::NotASchema,
            "invalid schema: a schema is an object or a boolean, got array []",
        ),
        (
            json!({ "minLength": -1 }),
            CompileErrorKind::InvalidKeyword,
            "invalid schema at /minLength: expected at least 0, got integer -1",
        ),
        (
            json!({ "exclusiveMinimum": true }),
            CompileErrorKind::InvalidKeyword,
            "invalid schema at /exclusiveMinimum: expected number, got boolean true (a boolean here is draft-04: give the bound itself)",
        ),
    ];
    for (schema, kind, message) in cases {
        let error = refused(&schema);
        assert_eq!((error.kind, error.to_string().as_str()), (kind, message));
    }
    let patterns = refused(&json!({ "patternProperties": { "[": {} } }));
    assert_eq!(patterns.kind, CompileErrorKind::InvalidPattern);
    let broken = compile_text("{\"type\":", &Options::default()).expect_err("no JSON");
    assert_eq!(broken.kind, CompileErrorKind::NotASchema);
}

#[test]
fn odd_schemas_never_panic() {
    for text in [
        r##"{"$id":"#foo"}"##,
        r#"{"$id":""}"#,
        r##"{"$id":"#"}"##,
        r#"{"$id":"not a uri %"}"#,
        r#"{"$id":"http://[::1"}"#,
        r#"{"$id":"urn:x"}"#,
        r#"{"$id":5}"#,
        r#"{"$ref":5}"#,
        r#"{"$schema":5}"#,
        r#"{"$anchor":""}"#,
        r#"{"properties":[]}"#,
        r#"{"minLength":1e400}"#,
        r#"{"multipleOf":1e-320}"#,
        r#"{"multipleOf":0}"#,
        r#"{"$vocabulary":{"x":true}}"#,
        r##"{"$ref":"#/%zz"}"##,
        r##"{"$ref":"#/a~2"}"##,
        r##"{"$ref":"#%"}"##,
        r#"{"$ref":"\\"}"#,
        r#"{"$id":"\ud800"}"#,
        r#"{"$id":"http://x","$defs":{"a":{"$id":"http://x"}}}"#,
        r##"{"$id":"http://x/y#"}"##,
        r#"{"id":"http://x y"}"#,
        r#"{"items":{"items":{"$id":":"}}}"#,
        r#"{"const":1e400,"enum":[]}"#,
        r#"{"dependencies":{"a":["b"],"c":{}}}"#,
    ] {
        for draft in [Draft::Draft4, Draft::Draft6, Draft::Draft7, Draft::Draft201909, Draft::Draft202012] {
            let options = Options { draft: Some(draft), ..Options::default() };
            if let Ok(schema) = compile_text(text, &options) {
                for text in ["{}", "1e400", "0.1", r#"{"a":[[1]]}"#, "\"\\ud800\""] {
                    let _ = schema.check(text);
                }
            }
            assert!(lint_text(text).len() < 9);
        }
    }
}

#[test]
fn deep_schemas_compile_up_to_the_cap_and_are_refused_beyond() {
    let deep = |levels: usize| {
        let text = format!("{}{{}}{}", "{\"not\":".repeat(levels - 1), "}".repeat(levels - 1));
        compile_text(&text, &Options::default())
    };
    assert!(deep(128).is_ok());
    assert_eq!(deep(129).expect_err("too deep").kind, CompileErrorKind::TooLarge);
    let properties = format!("{}{{}}{}", "{\"properties\":{\"a\":".repeat(63), "}}".repeat(63));
    assert!(compile_text(&properties, &Options::default()).is_ok());
    let mut value = json!({});
    for _ in 0..200 {
        value = json!({ "not": value });
    }
    assert_eq!(refused(&value).kind, CompileErrorKind::TooLarge);
    assert_eq!(lint(&value)[0].level, Level::Error);
}

#[test]
fn a_recursion_through_alternatives_is_judged_in_bounded_time() {
    let branch = |name: &str| {
        json!({ "type": "object", "required": ["kind", name],
                "properties": { "kids": { "type": "array", "items": { "$ref": "#/$defs/n" } } } })
    };
    let schema =
        made(&json!({ "$ref": "#/$defs/n", "$defs": { "n": { "anyOf": [branch("a"), branch("b")] } } }));
    let nested =
        |levels: usize| format!("{}{{}}{}", "{\"kind\":1,\"kids\":[".repeat(levels), "]}".repeat(levels));
    assert!(schema.check(&nested(2))[0].message.starts_with("matches none of 2 alternatives"));
    let issues = schema.check(&nested(60));
    assert_eq!(issues.len(), 1);
    assert_eq!(
        issues[0].message,
        "does not meet the schema; too large or too deep among its alternatives to say where"
    );
}

#[test]
fn a_pattern_that_backtracks_without_end_is_an_issue() {
    let schema = made(&json!({ "pattern": "^(?=(a+)+$)(a|aa)+\\1$" }));
    let issues = schema.check(&format!("\"{}!\"", "a".repeat(60)));
    assert_eq!(issues.len(), 1);
    assert_eq!(issues[0].keyword, "pattern");
}

#[test]
fn numbers_no_double_can_hold_are_judged_and_not_refused() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer", "minimum": 5 } } });
    for digits in ["9007199254740993", "9223372036854775808", "18446744073709551616", "1e400", "5.0"] {
        assert_eq!(messages(&schema, &format!("{{\"n\":{digits}}}")), [""; 0], "{digits}");
    }
    assert_eq!(messages(&schema, r#"{"n":-1e400}"#).len(), 1);
    assert_eq!(messages(&schema, r#"{"n":5.5}"#), ["/n: expected integer, got number 5.5"]);
}

#[test]
fn a_result_is_read_as_json_when_it_parses_else_as_a_string() {
    let string = made(&json!({ "type": "string" }));
    for text in ["Lisbon", "", "12 monkeys", "{half", "\"quoted\""] {
        assert!(string.check_result(text).is_empty(), "{text:?}");
    }
    assert_eq!(string.check_result("12").len(), 1);
    let object = made(&json!({ "type": "object", "required": ["items"] }));
    assert!(object.check_result(r#" {"items":3} "#).is_empty());
    assert_eq!(object.check_result("done")[0].message, "expected object, got string \"done\"");
    let deep = "[".repeat(200) + &"]".repeat(200);
    assert_eq!(object.check_result(&deep)[0].keyword, "nesting");
}

#[test]
fn a_text_that_is_no_json_or_too_large_is_an_issue_of_its_own() {
    let schema = made(&json!({}));
    assert_eq!(schema.check("{")[0].keyword, "syntax");
    assert_eq!(schema.check(&"1".repeat(10_000_001))[0].keyword, "size");
}

#[test]
fn the_input_schemas_of_forty_public_tools_compile_and_raise_nothing() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/tool-schemas.jsonl");
    let lines = std::fs::read_to_string(path).expect("in the repository");
    let mut count = 0;
    for line in lines.lines().filter(|line| !line.is_empty()) {
        let tool: Value = serde_json::from_str(line).expect("JSON");
        let schema = &tool["inputSchema"];
        let errors = lint(schema).into_iter().filter(|finding| finding.level == Level::Error);
        assert_eq!(errors.count(), 0, "{}", tool["name"]);
        let compiled = made(schema);
        assert!(!compiled.check("[]").is_empty() || schema.get("type").is_none(), "{}", tool["name"]);
        count += 1;
    }
    assert_eq!(count, 40);
}

#[test]
fn a_value_of_a_million_wrong_items_is_told_of_its_first() {
    let text = format!("{{\"list\":[{}1]}}", "1,".repeat(1_000_000));
    let schema = json!({ "type": "object", "properties": { "list": { "type": "array", "items": { "type": "string" } } } });
    assert_eq!(
        messages(&schema, &text),
        ["/list/0: expected string, got integer 1 (put it in quotes: \"1\")"]
    );
    let either = json!({ "properties": { "list": { "anyOf": [{ "items": { "type": "string" } }, { "items": { "type": "null" } }] } } });
    assert_eq!(messages(&either, &text).len(), 1);
}
