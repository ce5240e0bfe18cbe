//! What counts as arguments: the classification of texts a model sends, valid, odd, cut and hostile.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::panic, reason = "helpers of tests fail loudly")]

use pagehand::schema::fuzz::fuzz_classify;
use pagehand::schema::{Arguments, Limits, Malformed, classify_text, parse_value};
use proptest::prelude::*;
use serde_json::Value;

fn classify(text: &str) -> Arguments<'_> {
    classify_text(text, &Limits::default())
}

fn malformed(text: &str) -> Malformed {
    match classify(text) {
        Arguments::Malformed(malformed) => malformed,
        Arguments::Object { .. } => panic!("taken as an object: {text}"),
    }
}

fn is_taken_unchanged(text: &str) -> bool {
    matches!(classify(text), Arguments::Object { text: taken } if taken == text)
}

#[test]
fn empty_blank_and_null_texts_count_as_an_empty_object() {
    for text in ["", " ", "\n\t ", "null", " null\n", "{}"] {
        assert_eq!(classify(text), Arguments::Object { text: "{}".into() }, "{text:?}");
    }
}

#[test]
fn json_that_is_no_object_is_malformed_and_named() {
    let cases = [
        ("[]", "an array"),
        ("[{\"a\":1}]", "an array"),
        ("\"text\"", "a string"),
        ("\" \"", "a string"),
        ("1e400", "a number"),
        ("-0", "a number"),
        ("true", "a boolean"),
        (r#""{\"a\":1}""#, "a string that holds one; send the object itself, not in quotes"),
    ];
    for (text, got) in cases {
        let found = malformed(text);
        assert_eq!(found.message, format!("arguments must be a JSON object, got {got}"));
        assert_eq!(found.position, None);
    }
}

#[test]
fn every_valid_object_is_handed_on_to_the_last_byte() {
    let texts = [
        " {\"a\" : 1.0 , \"b\":[ ] }\n",
        "{\"text\":\"ends in a new line\\n\"}\n",
        r#"{"id":2512292042121000001,"big":9223372036854775808,"bigger":18446744073709551616}"#,
        r#"{"edge":[9007199254740991,9007199254740992,9007199254740993,-9007199254740993]}"#,
        r#"{"huge":1e308,"tiny":1e-400,"zero":-0,"whole":1.0,"e":1E+2}"#,
        r#"{"lone":"\ud800","low":"\udc00","pair":"\ud83d\ude00","broken":"\ud800\u0041"}"#,
        r#"{"__proto__":{"polluted":true},"constructor":1,"":2}"#,
        r#"{"a":1,"a":2}"#,
        r#"{"nul":"\u0000","slash":"\/","all":"\"\\\b\f\n\r\t"}"#,
        "{\"\u{7f}\u{2028}\u{1f600}\":\"\u{e000}\"}",
    ];
    for text in texts {
        assert!(is_taken_unchanged(text), "{text:?}: {:?}", classify(text));
    }
}

#[test]
fn a_document_cut_at_any_byte_is_never_an_object() {
    let whole = r#"{"path":"a\n\u00e9","limit":-1.5e3,"deep":[{"x":null},true,false,[]],"emoji":"😀"}"#;
    assert!(is_taken_unchanged(whole));
    for cut in 1..whole.len() {
        let Some(text) = whole.get(..cut) else { continue };
        let found = malformed(text);
        assert!(found.message.starts_with("JSON is cut short"), "{text:?}: {}", found.message);
        assert_eq!(found.position.expect("a place").offset, text.len());
    }
}

#[test]
fn doubled_documents_and_trailing_words_are_malformed_at_the_place_where_the_first_ends() {
    for (text, offset) in [
        ("{\"a\":1}{\"a\":1}", 7),
        ("{\"a\":1} {\"b\":2}", 8),
        ("{}\n[]", 3),
        ("{} Hope this helps!", 3),
        ("{}}", 2),
        ("{},", 2),
    ] {
        assert_eq!(malformed(text).position.expect("a place").offset, offset, "{text}");
    }
}

#[test]
fn a_malformed_text_is_told_what_where_and_near_which_words() {
    let cases = [
        (
            r#"{"path":"a","limit":100"#,
            "JSON is cut short: the text ends inside the object opened at line 1, column 1 (line 1, column 24, offset 23, after `{\"path\":\"a\",\"limit\":100`)",
        ),
        (
            r#"{"path":"/srv/da"#,
            "JSON is cut short: the text ends inside the string opened at line 1, column 9 (line 1, column 17, offset 16, after `{\"path\":\"/srv/da`)",
        ),
        (
            r#"{"a":1}{"a":1}"#,
            "a second JSON document follows the first: send one (line 1, column 8, offset 7, at `{\"a\":1}`)",
        ),
        (
            "{\n  \"é\": 1,\n  'b': 2\n}",
            "not JSON: expected a property name in double quotes (line 3, column 3, offset 15, at `'b': 2 }`)",
        ),
        (
            "{\"a\":1,}",
            "not JSON: nothing may stand between the last `,` and `}` (line 1, column 8, offset 7, at `}`)",
        ),
        (
            "{\"ok\":True}",
            "not JSON: expected a value; the words of JSON are true, false and null (line 1, column 7, offset 6, at `True}`)",
        ),
        (
            "```json\n{}\n```",
            "not JSON: expected a value; send bare JSON without a code fence (line 1, column 1, offset 0, at ````json {} ````)",
        ),
        (
            "{\"a\":\"x\ny\"}",
            "not JSON: a control character in a string must be escaped (a new line is \\n) (line 1, column 8, offset 7, at ` y\"}`)",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(malformed(text).message, message);
    }
}

#[test]
fn what_the_grammar_forbids_is_malformed() {
    let texts = [
        "{'a':1}",
        "{a:1}",
        "{\"a\":01}",
        "{\"a\":1.}",
        "{\"a\":.5}",
        "{\"a\":+1}",
        "{\"a\":-}",
        "{\"a\":1e}",
        "{\"a\":0x1}",
        "{\"a\":NaN}",
        "{\"a\":Infinity}",
        "{\"a\":undefined}",
        "{\"a\":nul}",
        "{\"a\":nulll}",
        "{\"a\":\"\\x41\"}",
        "{\"a\":\"\\u12g4\"}",
        "{\"a\" 1}",
        "{\"a\":}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":1,,\"b\":2}",
        "{,}",
        "{\"a\":[1}}",
        "{\"a\":(1)}",
        "{\"a\":1]",
        "// no\n{}",
        "{} // no",
        "\u{feff}{}",
        "{\"a\":\"\t\"}",
        "\u{a0}{}",
        "{\"a\"::1}",
        "{1:2}",
    ];
    for text in texts {
        malformed(text);
    }
}

#[test]
fn nesting_is_taken_up_to_the_cap_and_ten_thousand_levels_are_a_clean_refusal() {
    let nested = |levels: usize| format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels));
    assert!(is_taken_unchanged(&nested(128)));
    for text in [nested(129), nested(10_000), format!("{{\"a\":{}", "[".repeat(1_000_000))] {
        assert!(malformed(&text).message.starts_with("JSON is nested deeper than 128 levels"));
    }
    let small = Limits { depth: 2, ..Limits::default() };
    assert!(matches!(classify_text("{\"a\":{}}", &small), Arguments::Object { .. }));
    assert!(matches!(classify_text("{\"a\":{\"b\":[]}}", &small), Arguments::Malformed(_)));
}

#[test]
fn a_text_of_ten_megabytes_and_more_is_refused_by_its_size_alone() {
    let text = format!("{{\"a\":\"{}\"}}", "x".repeat(10_000_000));
    assert_eq!(
        malformed(&text).message,
        "arguments of 10000008 bytes, larger than the cap of 10000000 bytes"
    );
    let text = format!("{{\"a\":\"{}\"}}", "x".repeat(9_999_992));
    assert!(is_taken_unchanged(&text));
}

#[test]
fn values_are_read_by_the_same_grammar() {
    let read = |text: &str| parse_value(text, &Limits::default()).expect("valid");
    assert_eq!(
        read(r#"{"a":[1,-2,3.5],"b":{"c":null},"a":true}"#),
        serde_json::json!({"a": true, "b": {"c": null}})
    );
    assert_eq!(read(r#""\ud83d\ude00 \ud800 \u0041\/""#), Value::from("😀 \u{fffd} A/"));
    assert_eq!(read(r#""\ud800\ud83d\ude00""#), Value::from("\u{fffd}😀"));
    assert_eq!(read("1e400"), Value::from(f64::MAX));
    assert_eq!(read("-1e400"), Value::from(f64::MIN));
    assert_eq!(read("18446744073709551615"), Value::from(u64::MAX));
}

/// JSON texts with white space and odd spellings, nested a few levels.
fn json_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,4})?([eE](-[0-9]{1,3}|\\+?[0-9]{1,2}))?",
        "\"([ -!#-\\[\\]-~é😀]|\\\\[\"\\\\/bfnrt]|\\\\u[0-9a-fA-F]{4}){0,8}\"",
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[ {} ]", items.join(" ,"))),
            object(inner),
        ]
    })
}

fn object(inner: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let entry = ("\"[a-c_$]{0,3}\"", inner).prop_map(|(key, value)| format!("{key} :\n{value}"));
    proptest::collection::vec(entry, 0..4).prop_map(|entries| format!("\t{{{}}} ", entries.join(",")))
}

proptest! {
    #[test]
    fn any_bytes_are_classified_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        fuzz_classify(&bytes);
    }

    #[test]
    fn any_text_of_json_characters_is_classified_without_panic(text in "[\\[\\]{}:,\"\\\\0-9eE.+\\-truefalsn d8]{0,60}") {
        fuzz_classify(text.as_bytes());
    }

    #[test]
    fn valid_objects_pass_unchanged(text in object(json_text())) {
        prop_assert!(is_taken_unchanged(&text), "{:?}", classify(&text));
        fuzz_classify(text.as_bytes());
    }

    #[test]
    fn valid_objects_cut_anywhere_never_pass(text in object(json_text()), at in any::<prop::sample::Index>()) {
        let text = text.trim();
        let cut = at.index(text.len());
        if let Some(text) = text.get(..cut).filter(|text| !text.is_empty()) {
            prop_assert!(matches!(classify(text), Arguments::Malformed(_)));
        }
    }
}
