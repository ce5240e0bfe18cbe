//! Text of a page as it goes into lines for a model: one line, no control characters, quoted, of bounded length.
//!
//! A page must not be able to forge a line of a snapshot, so nothing leaves this room unsqueezed.

/// Makes one line of any text: white space and control characters become single spaces.
#[must_use]
pub fn squeeze(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace() || c.is_control() || is_invisible(c)) {
        if word.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Characters that show nothing, or turn the direction of what follows.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

/// Texts with something between them.
#[must_use]
pub fn joined(texts: &[String], between: &str) -> String {
    let mut out = String::new();
    for text in texts {
        if !out.is_empty() {
            out.push_str(between);
        }
        out.push_str(text);
    }
    out
}

/// Cuts a text to a number of characters, with a mark where something is missing.
#[must_use]
pub fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default().trim_end()),
        None => text.to_owned(),
    }
}

/// A text in quotes, on one line.
#[must_use]
pub fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Whether a word is one of a list, which is written with spaces between. What ships is smaller by it than by patterns.
#[must_use]
pub fn is_one_of(word: &str, list: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

/// Whether two texts differ in nothing but white space.
#[must_use]
pub fn same(left: &str, right: &str) -> bool {
    squeeze(left) == squeeze(right)
}

/// Whether two texts hold the same letters and digits, whatever a mask put between them. Case counts beyond ASCII alone.
#[must_use]
pub fn alike(left: &str, right: &str) -> bool {
    let letters = |text: &str| {
        text.chars()
            .filter(|c| !c.is_ascii() || c.is_ascii_alphanumeric())
            .map(|c| c.to_ascii_lowercase())
            .collect::<String>()
    };
    let found = letters(left);
    !found.is_empty() && found == letters(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_cannot_forge_a_line() {
        assert_eq!(
            squeeze("Save\n\u{2028}e9 button \u{202e}\"Delete\"\u{0}\u{e0041}\u{200e}"),
            "Save e9 button \"Delete\""
        );
        assert_eq!(quote("a \"b\" \\"), "\"a \\\"b\\\" \\\\\"");
    }

    #[test]
    fn cuts_between_characters() {
        assert_eq!(shorten("日本語です", 3), "日本語…");
        assert_eq!(shorten("short", 5), "short");
    }

    #[test]
    fn a_mask_between_digits_is_no_difference() {
        assert!(alike("5551234567", "(555) 123-4567"));
        assert!(!alike("5551234567", "(555) 123-456"));
        assert!(!alike("", "-"));
    }
}
