//! A pull reader of JSON text: one event at a time, by the grammar of RFC 8259 and nothing more.
//!
//! `serde_json` refuses texts the grammar allows (`1e400`, a lone `\ud800`) and keeps no place for the words
//! a model needs, so the syntax is judged here. Linear time, no recursion: the open containers are a list
//! whose length is capped. Numbers and strings are handed out as they stand in the text.

use std::borrow::Cow;

use super::syntax::{Problem, SyntaxError};

/// One step through a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// `{`
    ObjectStart,
    /// A property name; its value comes next.
    Key(Text<'a>),
    /// `}`
    ObjectEnd,
    /// `[`
    ArrayStart,
    /// `]`
    ArrayEnd,
    /// A string.
    String(Text<'a>),
    /// A number, digit by digit as it was written.
    Number(&'a str),
    /// `true` or `false`
    Boolean(bool),
    /// `null`
    Null,
}

/// What stands between the quotes of a string, still escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text<'a> {
    raw: &'a str,
    escaped: bool,
}

impl<'a> Text<'a> {
    /// The characters meant. A lone surrogate escape, which no Rust string can hold, becomes U+FFFD.
    #[must_use]
    pub fn decode(&self) -> Cow<'a, str> {
        if self.escaped { Cow::Owned(unescape(self.raw, false)) } else { Cow::Borrowed(self.raw) }
    }
}

/// An open container: which kind, and where it began.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    pub(super) object: bool,
    pub(super) start: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    CommaOrEnd,
    End,
}

/// Reads one JSON document from a text, event by event.
#[derive(Debug)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Where the last event began.
    from: usize,
    open: Vec<Open>,
    expect: Expect,
    max_depth: usize,
}

impl<'a> Reader<'a> {
    /// A reader that refuses more than `max_depth` containers inside each other.
    #[must_use]
    pub fn new(text: &'a str, max_depth: usize) -> Self {
        Self { text, at: 0, from: 0, open: Vec::new(), expect: Expect::Value, max_depth }
    }

    /// The next event, or `None` after a whole document with nothing but white space behind it.
    ///
    /// # Errors
    /// The first place where the text leaves the grammar or the depth cap. Further calls repeat it or not;
    /// a reader that failed is of no more use.
    pub fn read(&mut self) -> Result<Option<Event<'a>>, SyntaxError> {
        loop {
            self.skip_white_space();
            self.from = self.at;
            let Some(byte) = self.peek() else {
                return if self.expect == Expect::End {
                    Ok(None)
                } else {
                    Err(self.fail(self.at, Problem::Cut(self.open.last().copied())))
                };
            };
            match (self.expect, byte) {
                (Expect::End, _) => return Err(self.fail(self.at, Problem::Trailing)),
                (Expect::CommaOrEnd, b',') => {
                    self.at += 1;
                    let object = self.open.last().is_some_and(|open| open.object);
                    self.expect = if object { Expect::Key } else { Expect::Value };
                }
                (Expect::CommaOrEnd | Expect::KeyOrEnd | Expect::ValueOrEnd, b'}' | b']') => {
                    return self.close(byte).map(Some);
                }
                (Expect::CommaOrEnd, _) => {
                    return Err(self.fail(self.at, Problem::CommaWanted(self.in_object())));
                }
                (Expect::Key | Expect::KeyOrEnd, b'"') => {
                    let key = self.string()?;
                    self.skip_white_space();
                    match self.peek() {
                        Some(b':') => self.at += 1,
                        Some(_) => return Err(self.fail(self.at, Problem::ColonWanted)),
                        None => {
                            return Err(self.fail(self.at, Problem::Cut(self.open.last().copied())));
                        }
                    }
                    self.expect = Expect::Value;
                    return Ok(Some(Event::Key(key)));
                }
                (Expect::Key | Expect::KeyOrEnd, _) => {
                    let after_comma = self.expect == Expect::Key;
                    return Err(self.fail(self.at, Problem::KeyWanted { after_comma }));
                }
                (Expect::Value | Expect::ValueOrEnd, _) => return self.value(byte).map(Some),
            }
        }
    }

    /// The next event with its text; where it opens a container, the text to its end, where the reader then stands.
    pub(crate) fn read_whole(&mut self) -> Result<Option<(Event<'a>, &'a str)>, SyntaxError> {
        let outside = self.open.len();
        let Some(event) = self.read()? else { return Ok(None) };
        let from = self.from;
        while self.open.len() > outside {
            self.read()?;
        }
        Ok(Some((event, self.text.get(from..self.at).unwrap_or_default())))
    }

    /// Reads to the end of the document.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn drain(&mut self) -> Result<(), SyntaxError> {
        while self.read()?.is_some() {}
        Ok(())
    }

    /// A fault of the last event, which the grammar allows.
    pub(super) fn refuse(&self, problem: Problem) -> SyntaxError {
        self.fail(self.from, problem)
    }

    fn value(&mut self, byte: u8) -> Result<Event<'a>, SyntaxError> {
        let event = match byte {
            b'{' | b'[' => {
                if self.open.len() >= self.max_depth {
                    return Err(self.fail(self.at, Problem::TooDeep(self.max_depth)));
                }
                let object = byte == b'{';
                self.open.push(Open { object, start: self.at });
                self.at += 1;
                self.expect = if object { Expect::KeyOrEnd } else { Expect::ValueOrEnd };
                return Ok(if object { Event::ObjectStart } else { Event::ArrayStart });
            }
            b'"' => Event::String(self.string()?),
            b'-' | b'0'..=b'9' => Event::Number(self.number()?),
            b't' => self.word("true", Event::Boolean(true))?,
            b'f' => self.word("false", Event::Boolean(false))?,
            b'n' => self.word("null", Event::Null)?,
            _ => {
                let after_comma = self.expect == Expect::Value && self.at > 0 && self.last_was_comma();
                return Err(self.fail(self.at, Problem::ValueWanted { after_comma }));
            }
        };
        self.after_value();
        Ok(event)
    }

    fn close(&mut self, byte: u8) -> Result<Event<'a>, SyntaxError> {
        let object = byte == b'}';
        match self.open.last().copied() {
            Some(open) if open.object == object => {
                self.open.pop();
                self.at += 1;
                self.after_value();
                Ok(if object { Event::ObjectEnd } else { Event::ArrayEnd })
            }
            open => Err(self.fail(self.at, Problem::WrongEnd(open))),
        }
    }

    fn after_value(&mut self) {
        self.expect = if self.open.is_empty() { Expect::End } else { Expect::CommaOrEnd };
    }

    fn word(&mut self, word: &str, event: Event<'a>) -> Result<Event<'a>, SyntaxError> {
        let rest = self.rest();
        if rest.starts_with(word) {
            self.at += word.len();
            Ok(event)
        } else if word.starts_with(rest) {
            Err(self.fail(self.text.len(), Problem::Cut(self.open.last().copied())))
        } else {
            Err(self.fail(self.at, Problem::ValueWanted { after_comma: false }))
        }
    }

    fn number(&mut self) -> Result<&'a str, SyntaxError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
            if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                return Err(self.fail(start, Problem::LeadingZero));
            }
        } else {
            self.digits(start)?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits(start)?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits(start)?;
        }
        Ok(self.text.get(start..self.at).unwrap_or_default())
    }

    /// One digit or more.
    fn digits(&mut self, start: usize) -> Result<(), SyntaxError> {
        let first = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at > first {
            return Ok(());
        }
        Err(if self.peek().is_none() {
            self.fail(self.at, Problem::Cut(self.open.last().copied()))
        } else {
            self.fail(start, Problem::BadNumber)
        })
    }

    /// A string, from its opening quote.
    fn string(&mut self) -> Result<Text<'a>, SyntaxError> {
        let opening = self.at;
        let start = opening + 1;
        self.at = start;
        let mut escaped = false;
        loop {
            let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
            let Some(ahead) = plain(rest) else {
                return Err(self.fail(self.text.len(), Problem::CutString(opening)));
            };
            self.at += ahead;
            match self.peek() {
                Some(b'"') => {
                    let raw = self.text.get(start..self.at).unwrap_or_default();
                    self.at += 1;
                    return Ok(Text { raw, escaped });
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape(opening)?;
                }
                _ => return Err(self.fail(self.at, Problem::ControlCharacter)),
            }
        }
    }

    fn escape(&mut self, opening: usize) -> Result<(), SyntaxError> {
        let start = self.at;
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    match self.peek() {
                        Some(byte) if byte.is_ascii_hexdigit() => self.at += 1,
                        Some(_) => return Err(self.fail(start, Problem::BadEscape)),
                        None => return Err(self.fail(self.at, Problem::CutString(opening))),
                    }
                }
            }
            Some(_) => return Err(self.fail(start, Problem::BadEscape)),
            None => return Err(self.fail(self.at, Problem::CutString(opening))),
        }
        Ok(())
    }

    fn skip_white_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn in_object(&self) -> bool {
        self.open.last().is_some_and(|open| open.object)
    }

    fn last_was_comma(&self) -> bool {
        self.text.get(..self.at).is_some_and(|before| before.trim_end().ends_with(','))
    }

    fn fail(&self, at: usize, problem: Problem) -> SyntaxError {
        SyntaxError { at, problem }
    }
}

/// How many bytes come before a quote, an escape or a control character; nothing where none of them comes. Eight at a
/// time: most of what is read is strings.
fn plain(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // The lowest byte that is marked is one that is below; those above it may be marked for its sake.
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & (ONES << 7);
    let mut at = 0;
    while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*word);
        let quote = below(word ^ (ONES * u64::from(b'"')), 1);
        let escape = below(word ^ (ONES * u64::from(b'\\')), 1);
        let found = quote | escape | below(word, 0x20);
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let ahead = rest.iter().position(|&byte| byte == b'"' || byte == b'\\' || byte < 0x20)?;
    Some(at + ahead)
}

/// The characters meant by what stands between the quotes of a string. A lone surrogate escape becomes U+FFFD,
/// or stays as it is spelled: right where the characters are JSON in turn.
pub(crate) fn unescape(raw: &str, spell_halves: bool) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.bytes().position(|byte| byte == b'\\') {
        text.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at..).unwrap_or_default();
        let (character, length) = escaped_character(rest);
        match character {
            Some(character) => text.push(character),
            None if spell_halves => text.push_str(rest.get(..length).unwrap_or_default()),
            None => text.push(char::REPLACEMENT_CHARACTER),
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    text.push_str(rest);
    text
}

/// The character of the escape at the start of `text`, unless it is a lone surrogate, and how many bytes the
/// escape takes.
fn escaped_character(text: &str) -> (Option<char>, usize) {
    let plain = match text.as_bytes().get(1) {
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => {
            let unit = code_unit(text, 2);
            let pair = text.get(6..8) == Some("\\u");
            let low = if pair { code_unit(text, 8) } else { 0 };
            if (0xD800..0xDC00).contains(&unit) && (0xDC00..0xE000).contains(&low) {
                return (char::from_u32(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)), 12);
            }
            return (char::from_u32(unit), 6);
        }
        Some(&byte) => char::from(byte),
        None => return (None, 1),
    };
    (Some(plain), 2)
}

fn code_unit(text: &str, at: usize) -> u32 {
    text.get(at..at + 4).and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn the_end_of_what_is_plain_is_found_at_every_place_and_beside_every_byte() {
        let ends = |byte: u8| byte == b'"' || byte == b'\\' || byte < 0x20;
        for length in 0..20 {
            for place in 0..length {
                for byte in 0..=255 {
                    for around in [b'a', 0x80, 0xff, 0x7f, b'!', b'#', b'[', b']', 0x20] {
                        let mut bytes = vec![around; length];
                        if let Some(one) = bytes.get_mut(place) {
                            *one = byte;
                        }
                        assert_eq!(plain(&bytes), bytes.iter().position(|&byte| ends(byte)), "{bytes:?}");
                    }
                }
            }
        }
    }
}
