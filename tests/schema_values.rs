//! The table of arguments, in Rust: which numbers, keys and texts are taken, as what they are judged, and what is
//! said of the others. What a handler gets of them is in `tests/facade/values-arguments.test.ts`.

#![cfg(not(target_arch = "wasm32"))]
#![cfg(feature = "schema")]
#![allow(clippy::expect_used, clippy::panic, reason = "helpers of tests fail loudly")]

use pagehand::schema::{Arguments, Check, Limits, Options, classify_text, compile};
use proptest::prelude::*;
use serde_json::{Value, json};

fn refused(text: &str) -> Option<String> {
    match classify_text(text, &Limits::default()) {
        Arguments::Object { text: taken } => {
            assert_eq!(taken, text, "handed on to the last byte");
            None
        }
        Arguments::Malformed(malformed) => Some(malformed.message),
    }
}

fn issues(schema: &Value, text: &str) -> Vec<String> {
    let compiled = compile(schema, &Options::default()).expect("a valid schema");
    compiled.check(text).iter().map(ToString::to_string).collect()
}

fn number(literal: &str) -> String {
    format!("{{\"n\":{literal}}}")
}

#[test]
fn numbers_that_a_double_or_a_whole_number_can_hold_are_taken() {
    let digits = "9".repeat(308);
    for literal in [
        "9007199254740991",
        "9007199254740992",
        "9007199254740993",
        "-9007199254740993",
        "9223372036854775808",
        "18446744073709551616",
        "123456789012345678901234567890",
        "-0",
        "0.1",
        "1E5",
        "12e3",
        "1e-400",
        "0e999",
        "-0.000e99999999999999999999",
        "1e-99999999999999999999",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "-17976931348623157.0e292",
        "0.00017976931348623157e312",
        digits.as_str(),
    ] {
        assert_eq!(refused(&number(literal)), None, "{literal}");
    }
}

#[test]
fn a_number_that_would_be_an_infinity_is_malformed_at_its_place() {
    let digits = "9".repeat(310);
    for literal in [
        "1e400",
        "-1e309",
        "1.7976931348623159e308",
        "1.79769313486231580793e308",
        "0.1e310",
        "1e99999999999999999999",
        digits.as_str(),
    ] {
        let said = refused(&format!("{{\"deep\":[{}]}}", number(literal))).expect(literal);
        let what =
            "a number too large to be held: send one between -1.79e308 and 1.79e308 (line 1, column 15";
        assert!(said.starts_with(what), "{said}");
    }
}

proptest! {
    #[test]
    fn numbers_are_refused_exactly_where_reading_them_gives_an_infinity(
        literal in "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,24})?[eE](-?[0-9]{1,3}|[23][0-9]{2}|30[5-9])",
    ) {
        let infinite = literal.parse::<f64>().expect("a number").is_infinite();
        prop_assert_eq!(refused(&number(&literal)).is_some(), infinite, "{}", literal);
    }
}

#[test]
fn whole_numbers_are_judged_by_their_digits() {
    let whole = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    for literal in ["9007199254740993", "18446744073709551616", "1E5", "12.0", "-0", "1e308"] {
        assert_eq!(issues(&whole, &number(literal)), [""; 0], "{literal}");
    }
    assert_eq!(issues(&whole, &number("0.1")), ["/n: expected integer, got number 0.1"]);
    let exact = json!({ "type": "object", "properties": { "n": { "const": 9_007_199_254_740_993_i64 } } });
    assert_eq!(issues(&exact, &number("9007199254740993")), [""; 0]);
    assert_eq!(issues(&exact, &number("9007199254740992")).len(), 1);
    let most = json!({ "type": "object", "properties": { "n": { "maximum": 9_007_199_254_740_992_i64 } } });
    assert_eq!(issues(&most, &number("9007199254740993")).len(), 1);
    let tenth = json!({ "type": "object", "properties": { "n": { "const": 0.1 } } });
    assert_eq!(issues(&tenth, &number("0.1")), [""; 0]);
}

#[test]
fn names_that_objects_of_javascript_have_are_names_like_others() {
    let closed = json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": false });
    for name in ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"] {
        let text = format!("{{\"{name}\":{{\"{name}\":1}}}}");
        assert_eq!(refused(&text), None);
        assert_eq!(issues(&closed, &text), [format!("unknown property \"{name}\" (allowed: \"a\")")]);
        let needed = json!({ "type": "object", "required": [name] });
        assert_eq!(issues(&needed, &text), [""; 0]);
        assert_eq!(issues(&needed, "{}").len(), 1, "{name} is not there by inheritance");
    }
}

#[test]
fn of_equal_keys_the_last_is_judged_as_the_handler_gets_it() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "integer" } } });
    assert_eq!(refused(r#"{"a":"x","a":1}"#), None);
    assert_eq!(issues(&schema, r#"{"a":"x","a":1}"#), [""; 0]);
    assert_eq!(issues(&schema, r#"{"a":1,"\u0061":"x"}"#), ["/a: expected integer, got string \"x\""]);
}

#[test]
fn texts_that_are_not_one_object_are_told_what_and_where() {
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    for (text, said) in [
        (deep.as_str(), "JSON is nested deeper than 128 levels (line 1, column 133, offset 132"),
        (
            "\u{feff}{}",
            "not JSON: a byte order mark stands before the value: send bare JSON (line 1, column 1, offset 0, at `\\ufeff{}`)",
        ),
        (
            "{}\0",
            "text follows the end of the JSON document: send the document alone (line 1, column 3, offset 2, at `\\u0000`)",
        ),
        (
            "{\"a\":\"\0\"}",
            "not JSON: a control character in a string must be escaped (a new line is \\n) (line 1, column 7, offset 6, at `\\u0000\"}`)",
        ),
        ("{\"a\":1}{\"b\":2}", "a second JSON document follows the first: send one (line 1, column 8"),
        (
            "{\"a\":1} thanks",
            "text follows the end of the JSON document: send the document alone (line 1, column 9",
        ),
        (
            "{\"a\":\"x",
            "JSON is cut short: the text ends inside the string opened at line 1, column 6 (line 1, column 8",
        ),
    ] {
        let told = refused(text).expect(text);
        assert!(told.starts_with(said), "{told}");
    }
    let large = format!("{{\"a\":\"{}\"}}", "x".repeat(10 << 20));
    assert_eq!(
        refused(&large).expect("refused"),
        "arguments of 10485768 bytes, larger than the cap of 10000000 bytes"
    );
}
