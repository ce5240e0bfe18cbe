//! A short look at a frame that cannot be read, fit for a log: its shape without what it says.
//!
//! Arguments and answers may hold anything a person typed, so nothing is shown but punctuation and the names
//! of members.

const LONGEST: usize = 120;
const LONGEST_WORD: usize = 16;
const LEFT_OUT: char = '…';

pub(super) fn of(name: &str, data: &str) -> String {
    let mut out: String = name.chars().filter(|letter| !letter.is_control()).take(LONGEST_WORD * 3).collect();
    if !out.is_empty() {
        out.push(' ');
    }
    // Every other piece is inside of a string. One that holds an escaped quote only looks like several.
    let mut pieces = data.split('"').peekable();
    let mut inside = false;
    while let Some(piece) = pieces.next() {
        if out.len() > LONGEST {
            out.push(LEFT_OUT);
            break;
        }
        let is_name = pieces.peek().is_some_and(|next| next.starts_with(':')) && is_word(piece);
        if inside && is_name {
            out.push_str(piece);
        } else if inside {
            out.push(LEFT_OUT);
        } else {
            mask(piece, &mut out);
        }
        if pieces.peek().is_some() {
            out.push('"');
        }
        inside = !inside;
    }
    out
}

/// Punctuation stays; whatever else stands between is left out.
fn mask(piece: &str, out: &mut String) {
    for byte in piece.bytes().take(LONGEST) {
        if byte.is_ascii_punctuation() || byte == b' ' {
            out.push(char::from(byte));
        } else if !out.ends_with(LEFT_OUT) {
            out.push(LEFT_OUT);
        }
    }
}

fn is_word(text: &str) -> bool {
    text.len() <= LONGEST_WORD && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn the_shape_stays_and_the_texts_go() {
        let shape = of(
            "tool.call.requested",
            r#"{"id":"call_1","arguments":"{\"card\":\"4111\"}","n":12,"pan":4111111111111111"#,
        );
        assert!(shape.starts_with(r#"tool.call.requested {"id":"…","arguments":"#), "{shape}");
        assert!(shape.ends_with(r#","n":…,"pan":…"#), "{shape}");
        assert!(!shape.contains("4111") && !shape.contains("card"), "{shape}");
    }

    #[test]
    fn text_that_is_no_json_is_not_shown() {
        assert_eq!(of("x.y", "not json"), "x.y … …");
        assert_eq!(of("", "Bearer eyJhbGciOiJIUzI1NiJ9.abcdef"), "… ….…");
        assert_eq!(of("", "a\nb"), "…");
    }

    #[test]
    fn long_frames_are_cut() {
        for data in ["[1],".repeat(100), format!("\"{}", "secret ".repeat(100)), "\"a\":".repeat(100)] {
            let shape = of("", &data);
            assert!(shape.chars().count() <= 250, "{shape}");
            assert!(!shape.contains("secret"), "{shape}");
        }
    }
}
