//! Patches that are to break the reader: deep, huge, doubling, slow. Each ends in an error, none in a panic.

use super::*;

/// A value nested so deep.
fn nested(depth: usize) -> String {
    "[".repeat(depth) + &"]".repeat(depth)
}

#[test]
fn nesting_is_capped_in_the_document_the_patch_and_the_result() {
    let cap = nested(MAX_NESTING);
    assert_eq!(applied(&cap, "[]"), cap);
    let whole = format!(r#"[{{"op":"add","path":"","value":{cap}}}]"#);
    assert_eq!(applied("1", &whole), cap);
    for depth in [MAX_NESTING + 1, 100_000, 5_000_000] {
        assert_eq!(refused(&nested(depth), "[]").what, "nested deeper than 256 levels");
        let patch = format!(r#"[{{"op":"test","path":"","value":{}}}]"#, nested(depth));
        assert_eq!(refused("1", &patch).what, "nested deeper than 256 levels");
    }
    let deeper = format!(r#"[{{"op":"add","path":"/-","value":{cap}}}]"#);
    assert_eq!(refused("[]", &deeper).what, "nested deeper than 256 levels");
    let fits = format!(r#"[{{"op":"add","path":"/-","value":{}}}]"#, nested(MAX_NESTING - 1));
    applied("[]", &fits);
    // Each copy of the whole into its own depth doubles the nesting.
    let copies: Vec<String> = (0..10)
        .map(|step| {
            let path = "/0".repeat((1 << step) - 1) + "/-";
            format!(r#"{{"op":"copy","from":"","path":"{path}"}}"#)
        })
        .collect();
    let error = refused("[]", &format!("[{}]", copies.join(",")));
    assert_eq!((error.operation, error.what), (Some(8), "nested deeper than 256 levels"));
}

#[test]
fn values_as_deep_as_allowed_are_compared_copied_and_written() {
    let document = format!(r#"{{"a":{}}}"#, nested(MAX_NESTING - 1));
    let spaced = nested(MAX_NESTING - 1).replace("[]", "[ ]");
    let path = "/0".repeat(MAX_NESTING - 2);
    let patch = format!(
        r#"[{{"op":"test","path":"/a","value":{spaced}}},
            {{"op":"copy","from":"/a","path":"/b"}},
            {{"op":"add","path":"/b{path}/-","value":7}},
            {{"op":"remove","path":"/a"}}]"#
    );
    assert_eq!(
        applied(&document, &patch),
        format!(r#"{{"b":{}}}"#, nested(MAX_NESTING - 1).replace("[]", "[7]"))
    );
}

#[test]
fn more_operations_than_the_cap_are_refused_and_as_many_are_done() {
    let add = r#"{"op":"add","path":"/-","value":1}"#;
    let list = |count: usize| format!("[{}]", vec![add; count].join(","));
    let result = applied("[]", &list(MAX_OPERATIONS));
    assert_eq!(parsed(&result).as_array().map(Vec::len), Some(MAX_OPERATIONS));
    let error = refused("[]", &list(MAX_OPERATIONS + 1));
    assert_eq!((error.operation, error.what), (Some(10_000), "more than 10,000 operations"));
}

#[test]
fn a_document_that_doubles_with_every_operation_is_stopped_at_the_size_cap() {
    let text = format!(r#"{{"a":"{}"}}"#, "x".repeat(1_000));
    let copies: Vec<String> =
        (0..40).map(|step| format!(r#"{{"op":"copy","from":"","path":"/{step}"}}"#)).collect();
    let error = refused(&text, &format!("[{}]", copies.join(",")));
    assert_eq!(error.what, "larger than 16 MB");
    assert_eq!(error.operation, Some(14), "{error}");
}

#[test]
fn size_is_capped_at_every_step_but_what_is_taken_away_counts_no_more() {
    let large = "x".repeat(MAX_BYTES - 20);
    let document = format!("{{\"a\":\"{large}\"}}");
    let turns = r#"{"op":"move","from":"/a","path":"/b"},{"op":"move","from":"/b","path":"/a"}"#;
    let patch = format!("[{}]", [turns; 5].join(","));
    assert!(applied(&document, &patch) == document);
    assert_eq!(
        refused(
            &document,
            r#"[{"op":"add","path":"/c","value":"0123456789012345"},{"op":"remove","path":"/c"}]"#
        )
        .what,
        "larger than 16 MB"
    );
    let over = format!("\"{}\"", "x".repeat(MAX_BYTES));
    assert_eq!(refused(&over, "[]").what, "larger than 16 MB");
    assert_eq!(refused("1", &over).what, "larger than 16 MB");
    // A value added and removed a thousand times leaves the document as it was.
    let chunk = "y".repeat(10_000);
    let turn = format!(r#"{{"op":"add","path":"/c","value":"{chunk}"}},{{"op":"remove","path":"/c"}}"#);
    let patch = format!("[{}]", vec![turn; 1_000].join(","));
    let document = format!("{{\"a\":\"{}\"}}", "x".repeat(MAX_BYTES / 4));
    assert!(applied(&document, &patch) == document);
}

#[test]
fn work_without_end_is_refused() {
    const WORK: &str = "too much work for one patch: send smaller ones, or the whole document";
    // Millions of items taken apart.
    let items = format!("[{}0]", "0,".repeat(4_000_000));
    assert_eq!(refused(&items, r#"[{"op":"remove","path":"/1"}]"#).what, WORK);
    // A wide object with long names, searched ten thousand times.
    let tail = "x".repeat(1_600);
    let names: Vec<String> = (0..5_000).map(|number| format!("\"{number}{tail}\":0")).collect();
    let wide = format!("{{{}}}", names.join(","));
    let hit = format!(r#"{{"op":"copy","from":"/0{tail}","path":"/1{tail}"}}"#);
    applied(&wide, &format!("[{}]", vec![hit.as_str(); 100].join(",")));
    let error = refused(&wide, &format!("[{}]", vec![hit.as_str(); 5_000].join(",")));
    assert_eq!(error.what, WORK);
    assert!(error.operation.is_some_and(|number| number > 100));
    // Two wide objects compared in other orders.
    let turned: Vec<&str> = names.iter().rev().map(String::as_str).collect();
    let compare = format!(r#"[{{"op":"test","path":"","value":{{{}}}}}]"#, turned.join(","));
    assert_eq!(refused(&wide, &compare).what, WORK);
    // Equal names by the ten thousand, with one to remove them all.
    let same = format!("{{{}}}", vec!["\"a\":0"; 50_000].join(","));
    assert_eq!(refused(&same, r#"[{"op":"remove","path":"/a"}]"#).what, WORK);
    // A number of millions of digits, tested for by its exponent.
    let digits = format!("1{}", "0".repeat(2_000_000));
    let exponent = r#"{"op":"test","path":"","value":1e2000000}"#;
    applied(&digits, &format!("[{exponent}]"));
    assert_eq!(refused(&digits, &format!("[{}]", [exponent; 40].join(","))).what, WORK);
    // Copies of what is taken apart.
    let some = format!(r#"{{"a":[{}0]}}"#, "0,".repeat(500_000));
    let patch = r#"[{"op":"replace","path":"/a/0","value":1},{"op":"copy","from":"/a","path":"/b"},
        {"op":"copy","from":"/a","path":"/c"},{"op":"copy","from":"/a","path":"/d"}]"#;
    assert_eq!(refused(&some, patch).what, WORK);
}

#[test]
fn broken_texts_are_refused_wherever_they_break() {
    let document = r#"{"a":[1,"\u0041",{"b":null}],"c":-1.5e3}"#;
    let patch = r#"[{"op":"add","path":"/a/-","value":{"x":[1]}},{"op":"move","from":"/c","path":"/d"}]"#;
    applied(document, patch);
    for end in 0..document.len() {
        assert_eq!(refused(&document[..end], patch).operation, None);
    }
    for end in 0..patch.len() {
        assert_eq!(refused(document, &patch[..end]).operation, None);
    }
    for text in ["{}{}", "[1,]", "{\"a\":1,}", "NaN", "01", "\u{feff}{}", "{'a':1}", "\"\t\"", "//"] {
        assert_eq!(refused(text, "[]").what, "not JSON", "{text}");
        assert_eq!(refused("{}", text).what, "not JSON", "{text}");
        let inside = format!(r#"[{{"op":"add","path":"/a","value":{text}}}]"#);
        assert_eq!(refused("{}", &inside).what, "not JSON", "{text}");
    }
}
