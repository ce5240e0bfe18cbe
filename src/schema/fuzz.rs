//! What the fuzz targets run: here, so that it keeps compiling with the crate.
//!
//! Each body states in asserts what must hold for every input; a target is four lines around it.

use super::{Arguments, Event, Limits, Reader, classify_text, parse_value};

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
