//! JSON Patch on text: the public suite, the RFC's rules, what stays untouched, and hostile patches.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::panic, reason = "helpers of tests fail loudly")]

use pagehand::protocol::patch::{MAX_BYTES, MAX_NESTING, MAX_OPERATIONS, PatchError, apply};
use serde_json::Value;
use serde_json::value::RawValue;

#[path = "protocol_patch/hostile.rs"]
mod hostile;
#[path = "protocol_patch/random.rs"]
mod random;

/// The beginning of a text, for messages.
fn short(text: &str) -> &str {
    text.char_indices().nth(400).map_or(text, |(end, _)| &text[..end])
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The new document, of a patch that must apply.
fn applied(document: &str, patch: &str) -> String {
    apply(document, patch).unwrap_or_else(|error| panic!("{error}: {} on {}", short(patch), short(document)))
}

/// Why a patch that must fail does.
fn refused(document: &str, patch: &str) -> PatchError {
    match apply(document, patch) {
        Ok(result) => panic!("{} on {} gave {}", short(patch), short(document), short(&result)),
        Err(error) => error,
    }
}

#[derive(serde::Deserialize)]
struct Record {
    comment: Option<String>,
    doc: Option<Box<RawValue>>,
    patch: Option<Box<RawValue>>,
    expected: Option<Value>,
    error: Option<String>,
    #[serde(default)]
    disabled: bool,
}

/// Runs a file of the suite and tells how many records said something.
fn run_suite(text: &str) -> usize {
    let records: Vec<Record> = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}"));
    let mut count = 0;
    for record in records {
        let (Some(document), Some(patch)) = (record.doc, record.patch) else { continue };
        let about = record.comment.unwrap_or_else(|| patch.get().to_owned());
        let result = apply(document.get(), patch.get());
        match (record.expected, record.error, result) {
            (Some(expected), _, Ok(result)) => assert_eq!(parsed(&result), expected, "{about}"),
            (None, None, Ok(result)) => assert_eq!(result, document.get(), "{about}"),
            (None, Some(_), Err(_)) => {}
            // Those with two members `op`: the last counts here, as for every reader of JSON in a browser.
            (None, Some(_), Ok(_)) if record.disabled => {}
            (_, _, result) => panic!("{about}: {result:?}"),
        }
        count += 1;
    }
    count
}

#[test]
fn the_public_suite_passes_whole() {
    assert_eq!(run_suite(include_str!("fixtures/json-patch/tests.json")), 78);
    assert_eq!(run_suite(include_str!("fixtures/json-patch/spec_tests.json")), 17);
}

#[test]
fn what_a_patch_does_not_touch_stays_to_the_last_byte() {
    let document = " { \"big\" : 9007199254740993 ,\t\"odd\":1.10e+2, \"half\":\"\\ud800\\/\",\n \"list\" : [ 1 , 2.0, { } ] } ";
    for (patch, expected) in [
        ("[]", document.trim().to_owned()),
        (r#"[{"op":"replace","path":"/list/1","value":1e400}]"#, document.trim().replace("2.0", "1e400")),
        (
            r#"[{"op":"add","path":"/list/2/x","value":[ -0.0 ]}]"#,
            document.trim().replace("{ }", "{\"x\":[ -0.0 ] }"),
        ),
        (
            r#"[{"op":"add","path":"/\"new\"\n","value":"\ud800"}]"#,
            document.trim().replace("] }", "],\"\\\"new\\\"\\n\":\"\\ud800\" }"),
        ),
        (r#"[{"op":"remove","path":"/big"}]"#, document.trim().replace(" \"big\" : 9007199254740993 ,", "")),
        (r#"[{"op":"remove","path":"/list/0"}]"#, document.trim().replace("[ 1 ,", "[")),
        (r#"[{"op":"add","path":"/list/0","value":0}]"#, document.trim().replace("[ 1 ", "[0, 1 ")),
        (
            r#"[{"op":"copy","from":"/big","path":"/list/-"}]"#,
            document.trim().replace("{ } ", "{ },9007199254740993 "),
        ),
        (
            r#"[{"op":"test","path":"/list","value":[1,2,{}]},{"op":"test","path":"/odd","value":110}]"#,
            document.trim().to_owned(),
        ),
    ] {
        assert_eq!(applied(document, patch), expected, "{patch}");
    }
}

#[test]
fn of_equal_names_the_last_counts_and_removing_takes_them_all() {
    let document = r#"{"a":1,"b":2,"a":3}"#;
    applied(document, r#"[{"op":"test","path":"/a","value":3}]"#);
    applied(document, r#"[{"op":"test","path":"","value":{"b":2,"a":3}}]"#);
    applied(r#"{"a":3,"b":2}"#, r#"[{"op":"test","path":"","value":{"a":1,"a":3,"b":2}}]"#);
    refused(r#"{"a":3,"b":2}"#, r#"[{"op":"test","path":"","value":{"a":3,"a":3}}]"#);
    refused(r#"{"a":3}"#, r#"[{"op":"test","path":"","value":{"a":3,"a":3,"b":2}}]"#);
    assert_eq!(applied(document, r#"[{"op":"remove","path":"/a"}]"#), r#"{"b":2}"#);
    assert_eq!(applied(document, r#"[{"op":"replace","path":"/a","value":4}]"#), r#"{"a":1,"b":2,"a":4}"#);
    assert_eq!(applied(document, r#"[{"op":"move","from":"/a","path":"/c"}]"#), r#"{"b":2,"c":3}"#);
    assert_eq!(applied("{}", r#"[{"op":"add","path":"/x","value":1,"value":null}]"#), r#"{"x":null}"#);
}

#[test]
fn test_compares_by_value() {
    for (document, value) in [
        ("1", "1.0"),
        ("100", "1e2"),
        ("-0", "0.0"),
        ("12345678901234567890123", "12345678901234567890123.000"),
        ("1e99999999999", "1e99999999999"),
        (r#""\u0061\/""#, r#""a/""#),
        (r#""\ud83d\ude00""#, "\"😀\""),
        (r#"{"a":[1,{"b":null}],"c":{}}"#, r#"{ "c" : { } , "a" : [ 1.0 , { "\u0062" : null } ] }"#),
        (r#"{"\ud800":1}"#, r#"{"\ud800":1.0}"#),
    ] {
        applied(document, &format!(r#"[{{"op":"test","path":"","value":{value}}}]"#));
    }
    for (document, value) in [
        ("1", "\"1\""),
        ("9007199254740992", "9007199254740993"),
        ("0", "false"),
        ("null", "false"),
        ("null", "{}"),
        ("[]", "{}"),
        ("[]", "0"),
        ("true", "false"),
        ("[1,2]", "[2,1]"),
        ("[1]", "[1,1]"),
        (r#"{"a":1}"#, r#"{"a":1,"b":2}"#),
        (r#"{"a":1,"b":2}"#, r#"{"a":1}"#),
        (r#"{"a":1}"#, r#"{"A":1}"#),
        (r#""\ud800""#, r#""\\ud800""#),
        (r#""\ud83d\ude00""#, r#""\ud83d""#),
        ("1e99999999999", "1e99999999998"),
    ] {
        let error = refused(document, &format!(r#"[{{"op":"test","path":"","value":{value}}}]"#));
        assert_eq!(error.what, "the value is another than the one tested for", "{document} {value}");
    }
}

#[test]
fn a_pointer_means_one_place_or_none() {
    let document = r#"{"":{"":5},"a/b":1,"m~n":2,"~1":3,"list":[10,11],"__proto__":{"x":1},"0":4}"#;
    for (pointer, value) in [
        ("/", r#"{"":5}"#),
        ("//", "5"),
        ("/a~1b", "1"),
        ("/m~0n", "2"),
        ("/~01", "3"),
        ("/0", "4"),
        ("/list/0", "10"),
        ("/list/1", "11"),
        ("/__proto__/x", "1"),
        ("/\\u006cist/1", "11"),
    ] {
        applied(document, &format!(r#"[{{"op":"test","path":"{pointer}","value":{value}}}]"#));
    }
    for pointer in [
        "list",
        "a",
        "~",
        "/~",
        "/~2",
        "/m~n",
        "/list/-",
        "/list/2",
        "/list/01",
        "/list/00",
        "/list/+1",
        "/list/-1",
        "/list/1e0",
        "/list/",
        "/list/ 1",
        "/list/\\u0661",
        "/list/99999999999999999999999",
        "/list/0/",
        "/a~1b/x",
        "/A~1B",
        "/constructor",
        "/list/length",
        "/#",
    ] {
        for rest in [r#""op":"test","value":10"#, r#""op":"replace","value":10"#, r#""op":"remove""#] {
            let error = refused(document, &format!(r#"[{{{rest},"path":"{pointer}"}}]"#));
            assert_eq!(error.operation, Some(0), "{pointer}");
        }
        for op in ["copy", "move"] {
            refused(document, &format!(r#"[{{"op":"{op}","from":"{pointer}","path":"/list/0"}}]"#));
        }
    }
}

#[test]
fn values_are_moved_and_copied_whole_but_never_into_themselves() {
    for (document, patch, expected) in [
        (
            r#"{"a":{"b":1}}"#,
            r#"[{"op":"copy","from":"","path":"/a/c"}]"#,
            r#"{"a":{"b":1,"c":{"a":{"b":1}}}}"#,
        ),
        (r#"{"a":{"b":1}}"#, r#"[{"op":"copy","from":"/a","path":""}]"#, r#"{"b":1}"#),
        (r#"{"a":{"b":1}}"#, r#"[{"op":"move","from":"/a/b","path":""}]"#, "1"),
        (r#"{"a":{"b":1}}"#, r#"[{"op":"move","from":"/a/b","path":"/a"}]"#, r#"{"a":1}"#),
        (r#"{"a":1,"ab":{}}"#, r#"[{"op":"move","from":"/a","path":"/ab/c"}]"#, r#"{"ab":{"c":1}}"#),
        ("[1,2,3]", r#"[{"op":"move","from":"/0","path":"/-"}]"#, "[2,3,1]"),
        ("[1,2,3]", r#"[{"op":"move","from":"/0","path":"/2"}]"#, "[2,3,1]"),
        ("[1]", r#"[{"op":"move","from":"","path":""}]"#, "[1]"),
        (r#"{"a":[1]}"#, r#"[{"op":"move","from":"/a","path":"/a"}]"#, r#"{"a":[1]}"#),
        (
            r#"{"a":{"b":1}}"#,
            r#"[{"op":"replace","path":"/a/b","value":2},{"op":"copy","from":"/a","path":"/c"},{"op":"add","path":"/c/b","value":3}]"#,
            r#"{"a":{"b":2},"c":{"b":3}}"#,
        ),
    ] {
        assert_eq!(applied(document, patch), expected, "{patch}");
    }
    for (document, patch) in [
        ("[[],[]]", r#"[{"op":"move","from":"/0","path":"/0/0"}]"#),
        ("{}", r#"[{"op":"move","from":"","path":"/a"}]"#),
        ("[1,2,3]", r#"[{"op":"move","from":"/0","path":"/3"}]"#),
        ("{}", r#"[{"op":"move","from":"/a","path":"/a"}]"#),
    ] {
        refused(document, patch);
    }
}

#[test]
fn an_error_says_which_operation_where_and_what() {
    for (document, patch, words) in [
        ("{\"a\":}", "[]", "not JSON, at the document, byte 5"),
        ("", "[]", "not JSON, at the document, byte 0"),
        ("{}", "[{]", "not JSON, at the patch, byte 2"),
        ("{}", "{}", "a patch must be an array of operations"),
        ("{}", "null", "a patch must be an array of operations"),
        ("{}", "[[]]", "operation 0 of the patch: an operation must be an object, at \"\""),
        ("{}", "[{}]", "operation 0 of the patch: an operation needs a string `op`, at \"\""),
        (
            "{}",
            r#"[{"op":"remove","path":7}]"#,
            "operation 0 of the patch: an operation needs a string `path`, at \"\"",
        ),
        (
            "{}",
            r#"[{"op":"move","path":"/a","from":null}]"#,
            "operation 0 of the patch: this operation needs a string `from`, at \"/a\"",
        ),
        (
            "{}",
            r#"[{"op":"add","path":"/a"}]"#,
            "operation 0 of the patch: this operation needs a `value`, at \"/a\"",
        ),
        (
            "{}",
            r#"[{"op":"Add","path":"/a","value":1}]"#,
            "operation 0 of the patch: `op` must be add, remove, replace, move, copy or test, at \"/a\"",
        ),
        (
            r#"{"a":[]}"#,
            r#"[{"op":"add","path":"/a/0","value":1},{"op":"add","path":"/a/5","value":1}]"#,
            "operation 1 of the patch: the array has no such place, at \"/a/5\"",
        ),
        (
            r#"{"a":"x"}"#,
            r#"[{"op":"add","path":"/a/b","value":1}]"#,
            "operation 0 of the patch: only an object or an array can be added to, at \"/a/b\"",
        ),
        (
            r#"{"a":[]}"#,
            r#"[{"op":"move","from":"/b\n","path":"/a"}]"#,
            "operation 0 of the patch: there is nothing at this place, at \"/b\\n\"",
        ),
        (
            "{}",
            r#"[{"op":"remove","path":""}]"#,
            "operation 0 of the patch: the whole document can only be replaced, at \"\"",
        ),
    ] {
        assert_eq!(refused(document, patch).to_string(), words, "{patch}");
    }
    let long = "ä".repeat(5_000);
    let error = refused("{}", &format!(r#"[{{"op":"remove","path":"/{long}"}}]"#));
    assert_eq!(error.place, format!("\"/{}\"", "ä".repeat(99)));
}
