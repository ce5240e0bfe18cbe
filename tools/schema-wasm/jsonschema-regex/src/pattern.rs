//! From a pattern as people write it to one that JavaScript reads with its `u` flag.

use std::borrow::Cow;

/// What `u` lets stand behind a backslash by itself; `-` inside a class alone.
const SYNTAX: &str = "^$\\.*+?()[]{}|/";

/// The letters and digits ECMA-262 gives a meaning behind a backslash.
const LETTERS: &str = "bBcdDfknpPrsStuvwWx0123456789";

/// A pattern for JavaScript.
pub(crate) struct Written<'a> {
    /// Its text.
    pub(crate) text: Cow<'a, str>,
    /// Whether the pattern is ECMA-262's own as it was written.
    pub(crate) standard: bool,
}

/// The pattern without the escapes of plain characters, which `u` forbids, and with `\x{41}` as `\u{41}`: the
/// one form that the real crate takes beyond ECMA-262. None when it escapes a letter that has no meaning.
pub(crate) fn for_javascript(pattern: &str) -> Option<Written<'_>> {
    if !pattern.contains('\\') {
        return Some(Written { text: Cow::Borrowed(pattern), standard: true });
    }
    let mut text = String::with_capacity(pattern.len());
    let mut standard = true;
    let mut in_class = false;
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next()? {
                'x' if characters.peek() == Some(&'{') => {
                    standard = false;
                    text.push_str("\\u");
                }
                escaped if LETTERS.contains(escaped) || SYNTAX.contains(escaped) => {
                    text.extend(['\\', escaped])
                }
                '-' if in_class => text.push_str("\\-"),
                letter if letter.is_ascii_alphanumeric() => return None,
                plain => text.push(plain),
            },
            other => {
                in_class = other == '[' || (in_class && other != ']');
                text.push(other);
            }
        }
    }
    Some(Written { text: Cow::Owned(text), standard })
}
