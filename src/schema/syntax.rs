//! Where and how a text leaves the JSON grammar, in words a model can repair its call from.
//!
//! The reader only notes the place and the kind of fault; lines, columns and excerpts are worked out here, and
//! only for a text that failed. Excerpts are short: the text may be megabytes and may hold anything.

use std::borrow::Cow;

use serde::Serialize;

use super::issue::Issue;
use super::reader::Open;

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Position {
    /// UTF-8 bytes from the start of the text.
    pub offset: usize,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl Position {
    /// The place of the byte at `offset`.
    #[must_use]
    pub fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let mut place = Self { offset, line: 1, column: 1 };
        for character in before.chars() {
            match character {
                '\n' => (place.line, place.column) = (place.line + 1, 1),
                _ => place.column += 1,
            }
        }
        place
    }
}

/// Why a text cannot be taken as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Malformed {
    /// What is wrong and where, for the model.
    pub message: String,
    /// Where; absent when the whole text is at fault (its size, or its being no object).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
}

/// A fault of syntax and the byte it was found at.
#[derive(Debug, Clone, Copy)]
pub struct SyntaxError {
    pub(super) at: usize,
    pub(super) problem: Problem,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Problem {
    Cut(Option<Open>),
    CutString(usize),
    Trailing,
    TooDeep(usize),
    CommaWanted(bool),
    ColonWanted,
    KeyWanted { after_comma: bool },
    ValueWanted { after_comma: bool },
    WrongEnd(Option<Open>),
    LeadingZero,
    BadNumber,
    BeyondDoubles,
    BadEscape,
    ControlCharacter,
}

impl SyntaxError {
    /// Whether the text is JSON too deep to read, rather than no JSON.
    #[must_use]
    pub fn is_depth(&self) -> bool {
        matches!(self.problem, Problem::TooDeep(_))
    }

    /// The fault in words; `text` is the text that was read.
    #[must_use]
    pub fn describe(&self, text: &str) -> Malformed {
        let position = Position::of(text, self.at);
        let what = self.what(text);
        let near = match self.problem {
            Problem::Cut(_) | Problem::CutString(_) => match tail(text) {
                "" => String::new(),
                tail => format!(", after `{}`", visible(tail)),
            },
            _ => format!(", at `{}`", visible(head(text, self.at))),
        };
        Malformed {
            message: format!(
                "{what} (line {}, column {}, offset {}{near})",
                position.line, position.column, position.offset
            ),
            position: Some(position),
        }
    }

    /// The fault as an issue of the whole text, for a checker that is asked for a value.
    pub(super) fn issue(&self, text: &str) -> Issue {
        let keyword = if self.is_depth() { "nesting" } else { "syntax" };
        Issue::new("", keyword, &self.describe(text).message)
    }

    fn what(&self, text: &str) -> Cow<'static, str> {
        let found = text.get(self.at..).and_then(|rest| rest.chars().next());
        Cow::Borrowed(match self.problem {
            Problem::Cut(None) => "JSON is cut short: the text ends before a value",
            Problem::Cut(Some(open)) => {
                let kind = if open.object { "object" } else { "array" };
                let start = Position::of(text, open.start);
                return Cow::Owned(format!(
                    "JSON is cut short: the text ends inside the {kind} opened at line {}, column {}",
                    start.line, start.column
                ));
            }
            Problem::CutString(opening) => {
                let start = Position::of(text, opening);
                return Cow::Owned(format!(
                    "JSON is cut short: the text ends inside the string opened at line {}, column {}",
                    start.line, start.column
                ));
            }
            Problem::Trailing => match found {
                Some('{' | '[') => "a second JSON document follows the first: send one",
                _ => "text follows the end of the JSON document: send the document alone",
            },
            Problem::TooDeep(limit) => {
                return Cow::Owned(format!("JSON is nested deeper than {limit} levels"));
            }
            Problem::CommaWanted(true) => "not JSON: expected `,` or `}` after a property",
            Problem::CommaWanted(false) => "not JSON: expected `,` or `]` after an item",
            Problem::ColonWanted => "not JSON: expected `:` after a property name",
            Problem::KeyWanted { after_comma } => match (after_comma, found) {
                (true, Some('}')) => "not JSON: nothing may stand between the last `,` and `}`",
                _ => "not JSON: expected a property name in double quotes",
            },
            Problem::ValueWanted { after_comma } => match (after_comma, found) {
                (true, Some(']')) => "not JSON: nothing may stand between the last `,` and `]`",
                (_, Some('\'')) => "not JSON: strings take double quotes",
                (_, Some('`')) => "not JSON: expected a value; send bare JSON without a code fence",
                (_, Some('T' | 'F' | 'N' | 'u' | 'n' | 't' | 'f' | 'I')) => {
                    "not JSON: expected a value; the words of JSON are true, false and null"
                }
                (_, Some('\u{feff}')) => {
                    "not JSON: a byte order mark stands before the value: send bare JSON"
                }
                (_, Some('/' | '#')) => "not JSON: expected a value; JSON has no comments",
                _ => "not JSON: expected a value",
            },
            Problem::WrongEnd(Some(Open { object: true, .. })) => "not JSON: an object ends with `}`",
            Problem::WrongEnd(_) => "not JSON: an array ends with `]`",
            Problem::LeadingZero => "not JSON: a number may not begin with 0",
            Problem::BadNumber => "not JSON: bad number",
            Problem::BeyondDoubles => {
                "a number too large to be held: send one between -1.79e308 and 1.79e308"
            }
            Problem::BadEscape => "not JSON: bad escape in a string",
            Problem::ControlCharacter => {
                "not JSON: a control character in a string must be escaped (a new line is \\n)"
            }
        })
    }
}

/// Characters shown around a fault.
const EXCERPT: usize = 24;

fn head(text: &str, at: usize) -> &str {
    let rest = text.get(at..).unwrap_or_default();
    match rest.char_indices().nth(EXCERPT) {
        Some((end, _)) => rest.get(..end).unwrap_or_default(),
        None => rest,
    }
}

fn tail(text: &str) -> &str {
    match text.char_indices().rev().nth(EXCERPT - 1) {
        Some((start, _)) => text.get(start..).unwrap_or_default(),
        None => text,
    }
}

/// White space as spaces, and what cannot be seen as its escape.
fn visible(text: &str) -> String {
    let mut shown = String::new();
    for character in text.chars() {
        match character {
            '\n' | '\r' | '\t' => shown.push(' '),
            '\u{feff}' => shown.push_str("\\ufeff"),
            _ if character.is_control() => shown.push_str(&format!("\\u{:04x}", u32::from(character))),
            _ => shown.push(character),
        }
    }
    shown
}
