//! From the dialect `jsonschema` translates patterns into, back to what JavaScript reads with its `u` flag.

/// What `u` lets stand behind a backslash by itself; `-` inside a class alone.
const SYNTAX: &str = "^$\\.*+?()[]{}|/";

/// The pattern with `\x{41}` as `\u{41}` and without the escapes of plain characters, which `u` forbids.
pub(crate) fn for_javascript(pattern: &str) -> String {
    let mut text = String::with_capacity(pattern.len());
    let mut characters = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('x') if characters.peek() == Some(&'{') => text.push_str("\\u"),
                Some(escaped) if plain(escaped, in_class) => text.push(escaped),
                Some(escaped) => text.extend(['\\', escaped]),
                None => text.push('\\'),
            },
            '[' => {
                in_class = true;
                text.push('[');
            }
            ']' => {
                in_class = false;
                text.push(']');
            }
            other => text.push(other),
        }
    }
    text
}

fn plain(escaped: char, in_class: bool) -> bool {
    !(escaped.is_ascii_alphanumeric() || SYNTAX.contains(escaped) || (in_class && escaped == '-'))
}
