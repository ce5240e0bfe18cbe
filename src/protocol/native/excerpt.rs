//! A short look at a frame that cannot be read, fit for a log: its shape without what it says.
//!
//! Arguments and answers may hold anything a person typed, so strings but member names, long words
//! and long numbers are left out.

const LONGEST: usize = 80;
const LONGEST_WORD: usize = 16;
const LEFT_OUT: char = '…';

pub(super) fn of(name: &str, data: &str) -> String {
    let mut out = String::new();
    if !name.is_empty() {
        out.extend(name.chars().filter(|letter| !letter.is_control()).take(LONGEST_WORD * 3));
        out.push(' ');
    }
    let mut left = LONGEST;
    let mut rest = data;
    while let Some(first) = rest.chars().next() {
        let (token, tail) = rest.split_at_checked(token_length(first, rest)).unwrap_or((rest, ""));
        rest = tail;
        let shown = shown(first, token, tail);
        if shown.chars().count() > left {
            out.push(LEFT_OUT);
            break;
        }
        left = left.saturating_sub(shown.chars().count());
        out.push_str(&shown);
    }
    out.trim_end().to_owned()
}

fn shown(first: char, token: &str, tail: &str) -> String {
    if first == '"' {
        let is_name = tail.trim_start().starts_with(':') && is_word(token.trim_matches('"'));
        return if is_name { token.to_owned() } else { format!("\"{LEFT_OUT}\"") };
    }
    if first.is_control() {
        return " ".to_owned();
    }
    let digits = token.bytes().all(|byte| byte.is_ascii_digit());
    if in_word(first) && (!is_word(token) || token.len() > 6 && digits) {
        return LEFT_OUT.to_string();
    }
    token.to_owned()
}

fn is_word(text: &str) -> bool {
    text.len() <= LONGEST_WORD && text.chars().all(|letter| in_word(letter) || letter == '_')
}

/// Whether a word may hold it. What is beyond ASCII may be a letter, and the tables that know are large.
fn in_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || (!letter.is_ascii() && !letter.is_control())
}

/// The length of the string, word or single character that `rest` begins with.
fn token_length(first: char, rest: &str) -> usize {
    if first == '"' {
        let mut escaped = false;
        let end = rest.char_indices().skip(1).find(|(_, letter)| {
            let ends = *letter == '"' && !escaped;
            escaped = *letter == '\\' && !escaped;
            ends
        });
        return end.map_or(rest.len(), |(place, _)| place + 1);
    }
    if in_word(first) {
        return rest.find(|letter: char| !in_word(letter)).unwrap_or(rest.len());
    }
    first.len_utf8()
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
        assert_eq!(shape, r#"tool.call.requested {"id":"…","arguments":"…","n":12,"pan":…"#);
    }

    #[test]
    fn text_that_is_no_json_is_shown_in_short_words_only() {
        assert_eq!(of("x.y", "not json"), "x.y not json");
        assert_eq!(of("", "Bearer eyJhbGciOiJIUzI1NiJ9abcdef"), "Bearer …");
        assert_eq!(of("", "a\nb"), "a b");
    }

    #[test]
    fn long_frames_are_cut() {
        let shape = of("", &"[1],".repeat(100));
        assert!(shape.chars().count() <= 81, "{shape}");
        assert!(shape.ends_with('…'), "{shape}");
        assert!(of("", &format!("\"{}", "secret ".repeat(100))).len() < 8);
    }
}
