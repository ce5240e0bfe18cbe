//! What the fuzz targets run: here, so that it keeps compiling with the crate.
//!
//! Each body states in asserts what must hold for every input; a target is four lines around it.

use std::rc::Rc;

use super::{Arguments, Check, Ecma, Event, Expression, Limits, Reader, Small, classify_text, parse_value};

/// Classification never panics, never rewrites an object, and agrees with the reader of values.
pub fn fuzz_classify(data: &[u8]) {
    let Ok(text) = core::str::from_utf8(data) else {
        return;
    };
    let limits = Limits::default();
    let value = parse_value(text, &limits);
    match classify_text(text, &limits) {
        Arguments::Object { text: taken } => {
            let blank = matches!(text.trim(), "" | "null");
            assert!(if blank { taken == "{}" } else { taken == text }, "an object's text was changed");
            assert!(blank || value.is_ok_and(|value| value.is_object()), "taken, but it is no object");
        }
        Arguments::Malformed(malformed) => {
            assert!(!value.is_ok_and(|value| value.is_object()), "refused, but it is an object");
            if let Some(position) = malformed.position {
                assert!(position.offset <= text.len(), "the place is beyond the text");
                assert!(position.line >= 1 && position.column >= 1, "places count from 1");
            }
        }
    }
    let mut open = 0_usize;
    let mut reader = Reader::new(text, limits.depth);
    while let Ok(Some(event)) = reader.read() {
        match event {
            Event::ObjectStart | Event::ArrayStart => open += 1,
            Event::ObjectEnd | Event::ArrayEnd => open = open.saturating_sub(1),
            _ => {}
        }
        assert!(open <= limits.depth, "deeper than the cap");
    }
    // Whatever `serde_json` takes as a value is JSON for us too, the byte order mark of a file excepted.
    if serde_json::from_str::<serde_json::Value>(text).is_ok() {
        assert!(Reader::new(text, limits.depth).drain().is_ok(), "valid JSON was refused");
    }
}

/// A schema and a text with a NUL between: whatever the small checker takes, it judges without a panic, in so many
/// issues at most, of which none is empty.
pub fn fuzz_small(data: &[u8]) {
    let Ok(both) = core::str::from_utf8(data) else {
        return;
    };
    let (schema, text) = both.split_once('\0').unwrap_or((both, both));
    let Some(small) = Small::compile(schema, data.len().is_multiple_of(2), Rc::new(Plain)) else {
        return;
    };
    let issues = [small.check(text), small.check_result(text), small.check(schema)];
    for issue in issues.iter().flatten() {
        assert!(!issue.message.is_empty() && !issue.keyword.is_empty(), "an issue that says nothing");
    }
    assert!(issues.iter().all(|issues| issues.len() <= 64), "more issues than the cap");
}

/// Takes every pattern for a text to be found. Fuzzing looks for what breaks, not for what is right.
struct Plain;

impl Ecma for Plain {
    fn expression(&self, pattern: &str) -> Option<Box<dyn Expression>> {
        Some(Box::new(Found(pattern.to_owned())))
    }

    fn double(&self, digits: &str) -> f64 {
        digits.parse().unwrap_or_default()
    }

    fn digits(&self, double: f64) -> String {
        format!("{double:e}")
    }
}

struct Found(String);

impl Expression for Found {
    fn matches(&self, text: &str) -> bool {
        text.contains(&self.0)
    }
}
